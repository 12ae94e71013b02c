package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Once warm, neither a tick of the server nor a tick or a frame of a client
// allocates: not one object in ten seconds of a match.
func TestNetcodeTicksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, timing := range []policy.InputTiming{policy.TimingBuffered, policy.TimingArrival} {
		t.Run(timing.String(), func(t *testing.T) {
			config := onField(1, 4, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05))
			config.Server.Policies.Timing = timing
			config.Populate = drifters(60)
			config.Protocol = pushes(100) // so that there are replays
			config.CountOnly = true
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(60 * time.Second)
			c.Mark()
			// One run, because AllocsPerRun rounds the mean down.
			if n := testing.AllocsPerRun(1, func() { c.RunTicks(600) }); n != 0 {
				t.Errorf("%.0f allocations in 600 ticks of a server and 4 clients", n)
			}
			if f := c.Clients[0].Figures(); f.Snapshots < 300 || f.Corrections == 0 {
				t.Errorf("%+v: too little happened", f)
			}
		})
	}
}
