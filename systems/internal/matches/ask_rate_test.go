package matches_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client is sent as few snapshots as it asks for, but at least a quarter of the usual number, and others as many as before. Nobody
// stalls when the rate changes.
func TestAskSendRate(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]time.Duration{"near": time.Millisecond, "far": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			c := systemstest.New(t, systemstest.Config{
				Protocol: fieldtest.Protocol, Clients: 3, Seed: 1, Link: systemstest.RoundTrip(link, link/10, 0),
				Play: systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(c.Input()/60%3) - 1 }),
			})
			c.Connect()
			c.Run(5 * time.Second)
			k := c.Clients[0]
			for _, rate := range []struct{ asked, least, most int }{
				{0, 59, 61}, {30, 29, 31}, {20, 19, 21}, {7, 6, 7}, {1, 4, systems.UsualSendRate / 4}, {60, 59, 61}, {5, 4, 5}, {0, 59, 61},
			} {
				k.AskSendRate(rate.asked)
				c.Run(2 * time.Second)
				c.Mark()
				c.Run(4 * time.Second)
				for _, x := range c.Clients {
					least, most := 59, 61
					if x == k {
						least, most = rate.least, rate.most
					}
					if f := x.Figures(); f.Snapshots < uint64(4*least) || f.Snapshots > uint64(4*most+1) || f.Stalls > 0 {
						t.Errorf("%v asked for %d: %d snapshots in 4 s, want %d to %d a second: %+v", k, rate.asked, f.Snapshots, least, most, f)
					}
				}
			}
			c.Settle()
			fieldtest.MustConverge(c)
		})
	}
}
