package systems

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// A player whose token lives too long gets no answer; the log says why, every ten seconds at most, and the figures count.
func TestTokensThatLiveTooLongAreLogged(t *testing.T) {
	for _, most := range []time.Duration{0, time.Minute} {
		log := &journal{}
		g := newGame(t, plaza, ServerConfig{Logger: log.logger(), MaxTokenLifetime: most})
		for i, lifetime := range []time.Duration{2 * time.Minute, 100 * 365 * 24 * time.Hour} {
			token, err := netcode.TokenConfig{
				Key: netsys.DevelopmentKey(), ProtocolID: netsys.DefaultProtocolID, ClientID: uint64(70 + i), Lifetime: lifetime,
				Servers: []netip.AddrPort{g.addr}, Random: netsys.SeededRandom(uint64(i)),
			}.Issue(g.now)
			if err != nil {
				t.Fatal(err)
			}
			c, err := NewClient(g.network.Node(netip.AddrPort{}), g.addr, plaza(), ClientConfig{Token: token, Gather: gatherPush(), Start: g.now})
			if err != nil {
				t.Fatal(err)
			}
			g.clients = append(g.clients, c)
			g.links = append(g.links, nil)
		}
		g.run(15 * 60)
		lines := slices.DeleteFunc(slices.Clone(log.lines), func(l string) bool { return !strings.Contains(l, "MaxTokenLifetime") })
		joins, turned := 1, g.server.Stats().DatagramDrops[netcode.DropLifetime]
		if most != 0 {
			joins = 0
		}
		if len(g.server.peers) != joins || turned < 50 || len(lines) != 2 || !strings.HasPrefix(lines[0], "WARN") {
			t.Errorf("most %v: %d clients, %d requests turned away, logged %q", most, len(g.server.peers), turned, lines)
		}
	}
}

// The log says that the server is full of used tokens.
func TestFullOfUsedTokensIsLogged(t *testing.T) {
	log := &journal{}
	g := newGame(t, plaza, ServerConfig{Logger: log.logger()})
	var drops netcode.Drops
	for second := range 25 {
		if second < 15 {
			drops[netcode.DropUsedFull] += 10
		}
		g.server.tellTokens(g.now.Add(time.Duration(second)*time.Second), &drops)
	}
	want := []string{"turned away=10", "turned away=100", "turned away=40"}
	lines := slices.DeleteFunc(log.lines, func(l string) bool { return !strings.Contains(l, "full of used tokens") })
	if len(lines) != len(want) {
		t.Fatalf("logged %q", lines)
	}
	for i, l := range lines {
		if !strings.HasPrefix(l, "WARN") || !strings.Contains(l, want[i]) {
			t.Errorf("line %d is %q, want %s", i, l, want[i])
		}
	}
}
