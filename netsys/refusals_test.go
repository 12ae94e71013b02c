package netsys

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// A client whose token is refused gets no answer, or learns only what it can see itself. The server's log states the reason in
// one line.
func TestRefusedTokens(t *testing.T) {
	key := netcode.GenerateKey(SeededRandom(1))
	home, elsewhere := netip.MustParseAddrPort("127.0.0.1:49152"), netip.MustParseAddrPort("192.0.2.9:7777")
	good := netcode.TokenConfig{Key: key, ClientID: 7, Servers: []netip.AddrPort{home}, Lifetime: time.Minute}
	older := good
	older.Lifetime = 50 * time.Second
	for _, test := range []struct {
		reason  netcode.DropReason
		change  func(c *netcode.TokenConfig)
		ago     time.Duration // when it was issued
		used    bool          // or replaced: somebody is connected by the good one
		want    error
		advice  string
		clients string // what the client's error says
	}{
		{netcode.DropExpired, func(*netcode.TokenConfig) {}, time.Hour, false, netcode.ErrTokenExpired, "clocks", "3540 s before"},
		{netcode.DropProtocol, func(c *netcode.TokenConfig) { c.ProtocolID = 9 }, 0, false, ErrTimeout, "ProtocolID", "look into its log"},
		{netcode.DropElsewhere, func(c *netcode.TokenConfig) { c.Known = []netip.AddrPort{elsewhere} }, 0, false, ErrTimeout, "127.0.0.1:49152", "look into its log"},
		{netcode.DropElsewhere, func(c *netcode.TokenConfig) { c.Servers = []netip.AddrPort{elsewhere} }, 0, false, ErrElsewhere, "ServerConfig.Addresses", "192.0.2.9:7777"},
		{netcode.DropElsewhere, func(c *netcode.TokenConfig) { c.Servers, c.Timeout = []netip.AddrPort{elsewhere}, 3*time.Second }, 0, false, ErrElsewhere, "ServerConfig.Addresses", "192.0.2.9:7777"},
		{netcode.DropKey, func(c *netcode.TokenConfig) { c.Key = netcode.GenerateKey(SeededRandom(2)) }, 0, false, ErrTimeout, "same key", "look into its log"},
		{netcode.DropKey, nil, 0, false, ErrTimeout, "development mode", "without a token"},
		{netcode.DropLifetime, func(c *netcode.TokenConfig) { c.Lifetime = 2 * time.Hour }, 0, false, ErrTimeout, "MaxTokenLifetime", "look into its log"},
		{netcode.DropTokenUsed, func(*netcode.TokenConfig) {}, 0, true, ErrTimeout, "a new one", "look into its log"},
		{netcode.DropClientID, func(c *netcode.TokenConfig) { *c = older }, 0, true, ErrTimeout, "expires later", "look into its log"},
		{netcode.DropFull, func(c *netcode.TokenConfig) { c.ClientID = 8 }, 0, true, ErrServerFull, "MaxClients", "full"},
	} {
		var text bytes.Buffer
		now, network := epoch, NewNetwork()
		server := serverOn(t, network.Node(netip.AddrPort{}), ServerConfig{
			Key: key, MaxClients: 1, Random: SeededRandom(3), Logger: slog.New(slog.NewTextHandler(&text, nil)),
		})
		var clients []*Client
		var last *log
		join := func(config *netcode.TokenConfig) *Client {
			var token *netcode.ConnectToken
			if config != nil {
				config.Random = SeededRandom(4)
				var err error
				token, err = config.Issue(epoch.Add(-test.ago))
				must(t, err)
			}
			c := clientOn(t, network.Node(netip.AddrPort{}), home, ClientConfig{Token: token, Random: SeededRandom(5)})
			clients, last = append(clients, c), &log{}
			return c
		}
		run := func(d time.Duration) {
			for range int(d / second60) {
				now = now.Add(second60)
				for _, c := range clients {
					c.Poll(now, last)
				}
				server.Poll(now, &log{})
			}
		}
		sitting := 0
		if test.used {
			first := good
			join(&first)
			run(time.Second)
			sitting = 1
		}
		config := &good
		if test.change != nil {
			c := good
			test.change(&c)
			config = &c
		} else {
			config = nil
		}
		c := join(config)
		run(11 * time.Second)
		err := last.reason
		if !errors.Is(err, test.want) || test.want != ErrTimeout && errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), test.clients) {
			t.Errorf("%v: the client's end is %v", test.reason, err)
		}
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		if len(lines) != 1 || !strings.Contains(lines[0], `reason="`+test.reason.String()+`"`) || !strings.Contains(lines[0], test.advice) ||
			!strings.Contains(lines[0], "from="+c.LocalAddr().String()) {
			t.Errorf("%v: logged\n%s", test.reason, text.String())
		}
		if strings.Contains(err.Error(), test.reason.String()) && test.want == ErrTimeout || server.Len() != sitting {
			t.Errorf("%v: the client's end is %v, %d are connected", test.reason, err, server.Len())
		}
	}
}
