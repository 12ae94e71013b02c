package matches_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Processes and links stop for longer than the numbers on the wire can count. Whatever stops, everybody plays again within seconds:
// in the same session if server and clients were suspended together, when packets had arrived that were not read yet, otherwise after a
// reconnection to the same seat. By default
// one of the long silences is played under each model, and with TACTUS_LONG all.
func TestLongSilence(t *testing.T) {
	t.Parallel()
	for i, m := range policy.Presets() {
		for j, x := range []struct {
			stops   string
			timeout time.Duration
			long    time.Duration
		}{
			{"server and clients", 0, 10 * time.Minute}, {"server and clients", 0, 24 * time.Hour},
			{"a client", 3 * time.Hour, 10 * time.Minute}, {"the server", 3 * time.Hour, 20 * time.Minute}, {"the way up", 3 * time.Hour, 6 * time.Minute},
		} {
			if x.timeout > 0 && i%3 != j%3 && os.Getenv("TACTUS_LONG") == "" {
				continue
			}
			t.Run(fmt.Sprintf("%v/%s/%v", m, x.stops, x.long), func(t *testing.T) {
				t.Parallel()
				server := systems.ServerConfig{Model: m, Players: systems.Players{ReconnectWindow: 48 * time.Hour}}
				server.Session.Timeout = x.timeout
				together := x.timeout == 0
				c := systemstest.New(t, systemstest.Config{
					Protocol: fieldtest.Protocol, Clients: 2, Seed: 1, Server: server, Link: systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02),
					Client: func(int) (k systems.ClientConfig) {
						k.Session.Timeout, k.Session.Reconnect = x.timeout, !together
						return k
					},
					Play: systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(c.Input()/60%3) - 1 }),
				})
				c.Connect()
				c.Run(5 * time.Second)
				first := c.Clients[0]
				id := first.ID()
				switch x.stops {
				case "server and clients":
					for _, k := range c.Clients {
						k.Stall(x.long)
						k.SetLinks(netsys.Link{}, netsys.Link{})
					}
					c.Run(50 * time.Millisecond)
					c.StallServer(x.long)
				case "a client":
					first.Stall(x.long)
				case "the server":
					c.StallServer(x.long)
				case "the way up":
					c.Lose(func(p systemstest.Packet) bool { return p.Client == first && p.Up })
				}
				c.Run(x.long)
				c.Lose(nil)
				if c.Run(time.Second); !together {
					c.Run(14 * time.Second)
				}
				c.Mark()
				c.Run(3 * time.Second)
				for _, k := range c.Clients {
					if f := k.Figures(); !k.Connected() || f.Ticks < 170 || f.Consumed < 170 || f.Missing > 10 {
						t.Errorf("%v, connected %v (%v), ran %d of 180 ticks, consumed %d and missed %d inputs", k, k.Connected(), k.Err(), f.Ticks, f.Consumed, f.Missing)
					}
				}
				if first.ID() != id {
					t.Errorf("the player was client %d and is client %d", id, first.ID())
				}
				c.Settle()
				c.Converged()
			})
		}
	}
}
