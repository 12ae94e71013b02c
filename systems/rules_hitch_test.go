package systems_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// watch sees who plays in a match: a client does while the server consumes its inputs, and its own world is
// no further behind than its link explains.
type watch struct {
	c        *systemstest.Crowd
	consumed []uint64    // of each client
	played   []time.Time // of each, when it did last
	tick     []uint32
	moved    []time.Time // of each, when its world made a tick last
	again    []uint64    // of each, ticks simulated again

	idle    time.Time     // when somebody did not play last
	stopped time.Duration // longest that a world stood still, of others than the excused
	replay  uint64        // most ticks simulated again at once
	excused *systemstest.Client
}

// behind is how far behind the server a client may be that plays, beside two ticks.
const behind = 300 * time.Millisecond

func newWatch(c *systemstest.Crowd, excused *systemstest.Client) *watch {
	n := len(c.Clients)
	w := &watch{
		c: c, consumed: make([]uint64, n), played: make([]time.Time, n), tick: make([]uint32, n),
		moved: make([]time.Time, n), again: make([]uint64, n), excused: excused,
	}
	for i, k := range c.Clients {
		w.played[i], w.moved[i], w.again[i] = c.Now(), c.Now(), k.Stats().Resimulated
	}
	c.OnServerTick(w.look)
	c.OnClientTick(func(k *systemstest.Client) {
		n := k.Stats().Resimulated
		w.replay, w.again[k.N] = max(w.replay, n-w.again[k.N]), n
	})
	return w
}

func (w *watch) look() {
	now, step := w.c.Now(), w.c.Server.World().StepDuration()
	for i, k := range w.c.Clients {
		if k.World() == nil {
			continue
		}
		tick := k.World().Tick()
		if n := k.Status().Inputs.Consumed; n != w.consumed[i] && tick+uint32(behind/step)+2 >= w.c.Server.Tick() {
			w.consumed[i], w.played[i] = n, now
		}
		if now.Sub(w.played[i]) > max(3*step, 200*time.Millisecond) {
			w.idle = now
		}
		if tick != w.tick[i] {
			w.tick[i], w.moved[i] = tick, now
		}
		if k != w.excused {
			w.stopped = max(w.stopped, now.Sub(w.moved[i]))
		}
	}
}

// hitches runs a match of three for each model and tick rate, in which something takes so many seconds: after two more
// all play again. Meanwhile others than the one to whom it happens did not stop, but under lockstep for as long as the
// server waits; and nobody simulated more than its window again at once.
func hitches(t *testing.T, seconds []time.Duration, happen func(c *systemstest.Crowd, link netsys.Link, d time.Duration) *systemstest.Client) {
	t.Helper()
	for _, preset := range peersPresets {
		for _, rate := range []int{10, 20, 30, 60, 128} {
			for _, d := range seconds {
				t.Run(fmt.Sprintf("%v/%d/%v", preset, rate, d), func(t *testing.T) {
					link := systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.01)
					config := underPreset(preset, 1, 3, link)
					config.Server.TickRate, config.Server.Timeout = rate, time.Minute
					config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Timeout: time.Minute} }
					c := systemstest.New(t, config)
					c.Connect()
					c.Run(6 * time.Second)
					begun := c.Now()
					k := happen(c, link, d)
					w := newWatch(c, k)
					c.Run(d)
					k.SetLinks(link, link)
					c.Run(5 * time.Second)
					still := 3 * c.Server.World().StepDuration()
					if preset == policy.Lockstep {
						still += time.Second
					}
					over := w.idle.Sub(begun)
					t.Logf("all play after %v; others stood still for %v; %d ticks again at once", over, w.stopped, w.replay)
					if over > d+2*time.Second || w.stopped > still || w.replay > uint64(2*rate) {
						t.Errorf("%v of a hitch are over after %v; others stood still for %v; %d ticks were simulated again at once", d, over, w.stopped, w.replay)
					}
					c.Settle()
					c.Converged()
				})
			}
		}
	}
}

// A client that did not run for a while plays again when it does: it takes in all that it was told
// meanwhile, however far ahead that reaches.
func TestNetcodeE7_AHitchIsMadeUpFor(t *testing.T) {
	hitches(t, []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second},
		func(c *systemstest.Crowd, _ netsys.Link, d time.Duration) *systemstest.Client {
			c.Clients[1].Stall(d)
			return c.Clients[1]
		})
}

// A newcomer whose first state takes seconds plays soon after, and is not waited for before.
func TestNetcodeE7_ASlowJoinStopsNobody(t *testing.T) {
	hitches(t, []time.Duration{time.Second, 3 * time.Second, 9 * time.Second},
		func(c *systemstest.Crowd, link netsys.Link, d time.Duration) *systemstest.Client {
			late := c.Join()
			c.RunUntil(5*time.Second, late.Connected)
			late.SetLinks(link, netsys.Link{Loss: 1})
			return late
		})
}

// A dead path stops everybody under lockstep for the time that the server is told to wait, whatever its rates are.
func TestNetcodeE7_LockstepWaitsForATime(t *testing.T) {
	for _, x := range []struct {
		rate, wake   int
		stall, waits time.Duration
	}{
		{10, 1, 0, time.Second}, {10, 2, 0, time.Second}, {60, 1, 0, time.Second}, {60, 6, 0, time.Second}, {128, 1, 0, time.Second},
		{10, 1, 300 * time.Millisecond, 300 * time.Millisecond}, {128, 2, 300 * time.Millisecond, 300 * time.Millisecond},
		{60, 3, 2 * time.Second, 2 * time.Second}, {30, 1, time.Millisecond, 0},
	} {
		config := underPreset(policy.Lockstep, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
		config.Server.TickRate, config.Server.WakeEvery, config.Server.Stall = x.rate, x.wake, x.stall
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(3 * time.Second)
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
		if err := (systems.ServerConfig{Stall: stall}).Validate(); (err == nil) != valid {
			t.Errorf("Stall %v: %v", stall, err)
		}
	}
}

// Who joins is where its inputs are in time, however far everybody is behind the server for the sake of one whose way is long:
// it stands still until it is as far behind, and its inputs are there all the same.
func TestNetcodeE7_NobodyWaitsForWhoJoinsBesideALongWay(t *testing.T) {
	for _, rate := range []int{10, 20, 60, 128} {
		long := systemstest.RoundTrip(800*time.Millisecond, 0, 0)
		config := underPreset(policy.Lockstep, 1, 2, long)
		config.Server.TickRate = rate
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(6 * time.Second)
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
		c.Settle()
		c.Converged()
	}
}

// Nobody runs away from a server that stands still, and all go on with it soon after.
func TestNetcodeE7_AServerThatStoodStillIsFollowed(t *testing.T) {
	for _, preset := range peersPresets {
		for _, rate := range []int{10, 20, 60, 128} {
			config := underPreset(preset, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
			config.Server.TickRate, config.Server.Timeout = rate, time.Minute
			config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Timeout: time.Minute} }
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(4 * time.Second)
			for range 2 {
				ahead := 0
				watched := true
				c.OnClientTick(func(k *systemstest.Client) {
					if watched {
						ahead = max(ahead, int(k.World().Tick())-int(c.Server.Tick()))
					}
				})
				c.StallServer(3 * time.Second)
				c.Run(3 * time.Second)
				watched = false
				if most := rate*3/5 + 10; ahead > most {
					t.Errorf("%v at %d Hz: a client was %d ticks ahead of a server that stood still", preset, rate, ahead)
				}
				c.Run(time.Second)
				before := completed(c)
				c.Run(2 * time.Second)
				for i, n := range less(completed(c), before) {
					if n < 2*rate*9/10 {
						t.Errorf("%v at %d Hz: peer %d made %d ticks in the second and third second after the server stood still", preset, rate, i, n)
					}
				}
			}
			c.Settle()
			c.Converged()
		}
	}
}
