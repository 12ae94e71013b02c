package matches_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A player whose inputs need much longer than the window to arrive plays all the same, with a later view of the others under
// ServerRewind and with a delay of its inputs under Rollback. A player nearby plays as if it were alone.
func TestRoundTripBeyondTheWindow(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Model{
		policy.ServerRewind{Window: 100 * time.Millisecond}, policy.ServerRewind{Window: policy.NoWindow},
		policy.Rollback{Window: 100 * time.Millisecond},
	} {
		t.Run(model.String(), func(t *testing.T) {
			near := systemstest.RoundTrip(20*time.Millisecond, 0, 0)
			c := systemstest.New(t, systemstest.Config{
				Protocol: fieldtest.Protocol, Clients: 2, Seed: 1, Link: near, Server: systems.ServerConfig{Model: model},
				Play: systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(c.Input()/60%3) - 1 }),
			})
			far := systemstest.RoundTrip(1500*time.Millisecond, 60*time.Millisecond, 0.02)
			c.Clients[1].SetLinks(far, far)
			c.Connect()
			c.Run(20 * time.Second)
			c.Mark()
			c.Run(20 * time.Second)
			for _, k := range c.Clients {
				if f := k.Figures(); f.Consumed < 1140 || f.Missing > 60 {
					t.Errorf("%v: %+v", k, f)
				}
			}
			if ahead := int(c.Clients[0].Input()) - int(c.Server.Tick()); ahead > 35 {
				t.Errorf("the input of the player nearby is for %d ticks ahead", ahead)
			}
			fieldtest.MustConverge(c)
		})
	}
}
