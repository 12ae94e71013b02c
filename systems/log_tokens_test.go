package systems

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Of players whose tokens are refused the server's log has a line each, with what to do about it, and its figures the number
// with names. The players are told what they can see by themselves.
func TestRefusedTokensAreLogged(t *testing.T) {
	for _, most := range []time.Duration{0, time.Minute} {
		log := &journal{}
		g := newGame(t, plaza, ServerConfig{Logger: log.logger(), Session: ServerSession{MaxTokenLifetime: most}})
		join := func(player uint64, lifetime, ago time.Duration) *Client {
			token, err := netcode.TokenConfig{
				Key: netsys.DevelopmentKey(), ClientID: player, Lifetime: lifetime,
				Servers: []netip.AddrPort{g.addr}, Random: netsys.SeededRandom(player),
			}.Issue(g.now.Add(-ago))
			if err != nil {
				t.Fatal(err)
			}
			return g.join(ClientConfig{Session: ClientSession{Token: token}, Gather: gatherPush()}, netsys.Link{})
		}
		join(70, 2*time.Minute, 0)
		long := join(71, 100*365*24*time.Hour, 0)
		expired := join(72, 30*time.Second, time.Minute)
		g.run(15 * 60)
		logged := func(what string) int {
			return len(slices.DeleteFunc(slices.Clone(log.lines), func(l string) bool {
				return !strings.HasPrefix(l, "WARN connect token refused from=") || !strings.Contains(l, what)
			}))
		}
		stats := g.server.Stats()
		joins, turned := 1, stats.DatagramDrops[netcode.DropLifetime]
		if most != 0 {
			joins = 0
		}
		if g.server.sessions.peers.Len() != joins || turned < 50 || logged("MaxTokenLifetime") == 0 || logged("token expired") != 1 || logged("") > 3 {
			t.Errorf("most %v: %d clients, %d requests turned away, logged %q", most, g.server.sessions.peers.Len(), turned, log.lines)
		}
		if err := long.Err(); !errors.Is(err, netsys.ErrTimeout) || !strings.Contains(err.Error(), "look into its log") {
			t.Errorf("whose token lives too long hears %v", err)
		}
		if err := expired.Err(); !errors.Is(err, netcode.ErrTokenExpired) || errors.Is(err, netsys.ErrTimeout) {
			t.Errorf("whose token has expired hears %v", err)
		}
		if text := fmt.Sprint(stats); !strings.Contains(text, fmt.Sprintf("token lives too long=%d", turned)) {
			t.Errorf("printed as %s", text)
		}
	}
}
