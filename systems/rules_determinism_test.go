package systems_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// hashes plays a match with everything in it and returns its hash after every
// second.
func hashes(t *testing.T, seed uint64, timing policy.InputTiming) (h []uint64) {
	link := bad()
	link.Duplicate, link.Burst = 0.05, 40*time.Millisecond
	config := onField(seed, 6, link)
	config.Server.Policies.Timing = timing
	config.Protocol = pushes(100)
	c := systemstest.New(t, config)
	for second := range 15 {
		switch second {
		case 4:
			c.Join()
		case 6:
			c.Clients[0].Leave()
			c.Clients[1].Kill()
		case 8:
			c.Clients[2].Stall(700 * time.Millisecond)
			c.StallServer(50 * time.Millisecond)
		case 10:
			c.SetLinks(lag(3), bad())
		}
		c.Run(time.Second)
		h = append(h, c.Hash())
	}
	c.Settle()
	return append(h, c.Hash())
}

// A match is a function of its seed, over the worlds of the server and of all
// clients; another seed is another match.
func TestNetcodeMatchFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	for _, timing := range []policy.InputTiming{policy.TimingBuffered, policy.TimingArrival} {
		t.Run(timing.String(), func(t *testing.T) {
			known := map[uint64]uint64{}
			systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
				a, b := hashes(t, seed, timing), hashes(t, seed, timing)
				if fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("two runs with one seed:\n%x\n%x", a, b)
				}
				last := a[len(a)-1]
				if other, twice := known[last]; twice {
					t.Errorf("seeds %d and %d end with the same hash", seed, other)
				}
				known[last] = seed
			})
		})
	}
}

// All timings converge when the link becomes clean.
func TestNetcodeConverges(t *testing.T) {
	t.Parallel()
	for _, timing := range []policy.InputTiming{policy.TimingBuffered, policy.TimingArrival} {
		t.Run(timing.String(), func(t *testing.T) {
			systemstest.Seeds(t, 8, func(t *testing.T, seed uint64) {
				link := bad()
				link.Duplicate, link.Burst = 0.05, 40*time.Millisecond
				config := onField(seed, 5, link)
				config.Server.Policies.Timing = timing
				config.Protocol = pushes(100)
				c := systemstest.New(t, config)
				c.Run(5 * time.Second)
				c.Join()
				c.Clients[0].Leave()
				c.Clients[1].Kill()
				c.Run(14 * time.Second)
				if n := len(places(c.Server.World())); n != 4+4 {
					t.Errorf("%d entities on the server, want 4 drifters and 4 players", n)
				}
				c.Settle()
				c.Converged()
			})
		})
	}
}
