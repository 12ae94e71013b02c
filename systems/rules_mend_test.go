package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// slip makes a world do in one tick what others do not.
type slip struct{ tick uint32 }

// A client that diverged in one tick over a bad link has the server's world again within four seconds, plays on, and
// costs the others nothing.
//
//mutant:rule E8 systems/relay/checks.go
//mutant:from p.mended, p.rest = now, min(
//mutant:to p.mended, p.rest = now, 1<<20+min(
func TestNetcodeE8_ADivergedPeerIsBroughtBack(t *testing.T) {
	for _, preset := range peersPresets {
		t.Run(preset.String(), func(t *testing.T) {
			config := underPreset(preset, 5, 3, systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05))
			config.Protocol = func() *ecs.Protocol {
				p := field()
				p.Simulate("slip", func(w *ecs.World) {
					if s := ecs.Resource[slip](w); s != nil && w.Tick() == s.tick {
						for _, d := range ecs.EachInOrder[walker](w) {
							d.Jumps.Count += 7
						}
					}
				})
				return p
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(10 * time.Second)
			for round := range 2 {
				odd := c.Clients[1]
				begun := c.Server.Tick()
				ecs.SetResource(odd.World(), &slip{odd.World().Tick() + 5})
				took := time.Duration(0)
				for mended := uint64(round + 1); took < 4*time.Second && (c.Server.Stats().Mended < mended || systems.Difference(c.Server, odd.Client) != nil); took += 50 * time.Millisecond {
					c.Run(50 * time.Millisecond)
				}
				t.Logf("equal again after %v", took)
				c.Run(4*time.Second - took)
				if err := systems.Difference(c.Server, odd.Client); err != nil {
					t.Errorf("time %d: %v", round, err)
				}
				s := c.Server.Stats()
				if s.Mended != uint64(round+1) || s.Divergences == 0 {
					t.Errorf("time %d: %d divergences were named, %d states sent", round, s.Divergences, s.Mended)
				}
				for _, k := range []int{0, 2} {
					if err := systems.Difference(c.Server, c.Clients[k].Client); err != nil {
						t.Errorf("time %d: client %d: %v", round, k, err)
					}
				}
				if n := c.Server.Tick() - begun; n < 4*60-8 {
					t.Errorf("time %d: the server made %d ticks in 4 seconds", round, n)
				}
				c.Run(4 * time.Second)
			}
		})
	}
}
