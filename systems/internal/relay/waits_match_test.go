package relay_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Under lockstep a dead path stops all players for the configured time, at any rates.
func TestNetcodeE7_LockstepWaitsForATime(t *testing.T) {
	t.Parallel()
	type row struct {
		rate, wake   int
		stall, waits time.Duration
	}
	for _, x := range fieldtest.Rows(5, []row{
		{10, 1, 0, time.Second}, {60, 6, 0, time.Second}, {10, 1, 300 * time.Millisecond, 300 * time.Millisecond},
		{60, 3, 2 * time.Second, 2 * time.Second}, {30, 1, time.Millisecond, 0},
		{10, 2, 0, time.Second}, {60, 1, 0, time.Second}, {128, 1, 0, time.Second}, {128, 2, 300 * time.Millisecond, 300 * time.Millisecond},
	}) {
		config := fieldtest.PresetConfig(policy.Lockstep{}, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
		config.Server.TickRate, config.Server.WakeEvery, config.Server.Model = x.rate, x.wake, policy.Lockstep{Stall: x.stall}
		c := fieldtest.Start(t, config, 3*time.Second)
		tick, moved, stopped := c.Server.Tick(), c.Now(), time.Duration(0)
		c.OnServerTick(func() {
			if now := c.Server.Tick(); now != tick {
				tick, moved = now, c.Now()
			}
			stopped = max(stopped, c.Now().Sub(moved))
		})
		c.Clients[1].SetLinks(netsys.Link{Loss: 1}, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
		c.Run(6 * time.Second)
		wake := time.Duration(x.wake) * c.Server.World().StepDuration()
		if stopped > x.waits || stopped < x.waits-2*wake {
			t.Errorf("%+v: the world stood still for %v", x, stopped)
		}
	}
	for stall, valid := range map[time.Duration]bool{-1: false, 0: true, time.Minute: true, time.Minute + 1: false} {
		if err := (systems.ServerConfig{Model: policy.Lockstep{Stall: stall}}).Validate(); (err == nil) != valid {
			t.Errorf("Stall %v: %v", stall, err)
		}
	}
}

// A joining client starts at the tick for which its inputs arrive in time, even if all players are far behind the server
// because of one slow path. It stands still until it is as far behind as the others.
func TestNetcodeE7_NobodyWaitsForWhoJoinsBesideALongWay(t *testing.T) {
	t.Parallel()
	for _, rate := range fieldtest.Rows(2, []int{10, 60, 20, 128}) {
		long := systemstest.RoundTrip(800*time.Millisecond, 0, 0)
		config := fieldtest.PresetConfig(policy.Lockstep{}, 1, 2, long)
		config.Server.TickRate = rate
		c := fieldtest.Start(t, config, 6*time.Second)
		late := c.Join()
		late.SetLinks(netsys.Link{}, netsys.Link{})
		c.RunUntil(5*time.Second, late.Connected)
		tick := c.Server.Tick()
		c.Run(4 * time.Second)
		if n := int(c.Server.Tick() - tick); n < 4*rate-2 {
			t.Errorf("at %d Hz the server made %d ticks of %d while one joined", rate, n, 4*rate)
		}
		if n := late.Status().Inputs; n.Consumed < uint64(2*rate) || n.Missing > 0 {
			t.Errorf("at %d Hz of who joined: %+v", rate, n)
		}
		fieldtest.MustConverge(c)
	}
}
