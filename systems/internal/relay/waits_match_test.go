package relay_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client that joins during a match gets the whole world at once, and causes no correction and no stall for others. After a
// stall of seconds it continues with a few ticks at a time, and simulates no more than its predictions again. The server
// simulates nothing again.
func TestNetcodeE7_JoinsAndStallsStayAtHome(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(3), func(t *testing.T, seed uint64) {
		var c *systemstest.Crowd
		config := fieldtest.Config(seed, 3, fieldtest.BadLink())
		config.Server.Session.Timeout = time.Minute
		loaded := 0
		config.Client = func(n int) systems.ClientConfig {
			return systems.ClientConfig{Loaded: func(w *ecs.World, tick uint32) {
				if n < 3 {
					return
				}
				loaded++
				seen := 0
				for range ecs.All[struct{ Pos components.Position }](w) {
					seen++
				}
				if want := 4 + len(c.Clients); seen < want-1 {
					t.Errorf("in tick %d the newcomer sees %d entities, there are %d", tick, seen, want)
				}
			}}
		}
		c = systemstest.New(t, config)
		unmoved := func(others ...*systemstest.Client) {
			for _, k := range others {
				if f := k.Figures(); f.Corrections != 0 || f.Stalls != 0 || f.Missing != 0 {
					t.Errorf("%v: %d corrections, %d stalls, %d inputs missing", k, f.Corrections, f.Stalls, f.Missing)
				}
			}
			c.Mark()
		}
		c.Connect()
		c.Run(12 * time.Second)
		c.Mark()
		late := c.Join()
		c.Connect()
		c.Run(8 * time.Second)
		if f := late.Figures(); loaded != 1 || f.Consumed < 300 || f.Corrections > 0 {
			t.Errorf("the newcomer was told %d times that all was there; %d inputs consumed, %d corrections", loaded, f.Consumed, f.Corrections)
		}
		unmoved(c.Clients[:3]...)
		const most = 5
		k := c.Clients[1]
		last := k.Stats().Ticks
		c.OnClientTick(func(x *systemstest.Client) {
			if n := k.Stats().Ticks - last; n > most {
				t.Fatalf("%d steps at once", n)
			}
			last = k.Stats().Ticks
		})
		for range 2 {
			stall := time.Duration(1+k.Rand().IntN(4)) * time.Second
			k.Stall(stall)
			c.Run(stall + 5*time.Second)
			// What it predicts ahead of the server is its buffer and the round trip.
			if n := k.Stats().LongestReplay; n > 90 {
				t.Errorf("%d ticks simulated again at once", n)
			}
			if n := c.Server.Stats().ResimulatedTicks; n != 0 {
				t.Errorf("the server simulated %d ticks again", n)
			}
			if k.Status().LastInput+300 < k.Input() {
				t.Errorf("input %d, and the server is at %d", k.Input(), k.Status().LastInput)
			}
			unmoved(c.Clients[0], c.Clients[2])
		}
		fieldtest.MustConverge(c)
	})
}

// watch records which clients play: the server consumes the client's inputs, and the client's world is not further behind than
// its link explains.
type watch struct {
	c    *systemstest.Crowd
	seen map[*systemstest.Client]*progress

	begun   time.Time
	idle    time.Time     // when somebody did not play last
	stopped time.Duration // longest that a world stood still, of others than the excused
	replay  uint64        // most ticks simulated again at once
	ahead   int           // most ticks by which a client was before the server
	excused *systemstest.Client
}

// progress is the newest observed progress of a client.
type progress struct {
	consumed, again uint64    // inputs, and ticks simulated again
	played, moved   time.Time // when it played, and when its world made a tick last
	tick            uint32
}

// behind is the time by which a playing client may be behind the server, in addition to two ticks.
const behind = 300 * time.Millisecond

func newWatch(c *systemstest.Crowd) *watch {
	w := &watch{c: c}
	c.OnServerTick(w.look)
	c.OnClientTick(func(k *systemstest.Client) {
		if x := w.seen[k]; x != nil {
			n := k.Stats().Resimulated
			w.replay, x.again = max(w.replay, n-x.again), n
			w.ahead = max(w.ahead, int(k.World().Tick())-int(c.Server.Tick()))
		}
	})
	return w
}

// begin clears the observations and starts to watch the first three clients and excused, the client that has a fault now.
func (w *watch) begin(excused *systemstest.Client) {
	*w = watch{c: w.c, seen: map[*systemstest.Client]*progress{}, begun: w.c.Now(), excused: excused}
	for _, k := range append(w.c.Clients[:3:3], excused) {
		w.seen[k] = &progress{again: k.Stats().Resimulated, played: w.begun, moved: w.begun}
	}
}

func (w *watch) look() {
	now, step := w.c.Now(), w.c.Server.World().StepDuration()
	for k, x := range w.seen {
		if k.World() == nil {
			continue
		}
		tick := k.World().Tick()
		if n := k.Status().Inputs.Consumed; n != x.consumed && tick+uint32(behind/step)+2 >= w.c.Server.Tick() {
			x.consumed, x.played = n, now
		}
		if now.Sub(x.played) > max(3*step, 200*time.Millisecond) {
			w.idle = now
		}
		if tick != x.tick {
			x.tick, x.moved = tick, now
		}
		if k != w.excused {
			w.stopped = max(w.stopped, now.Sub(x.moved))
		}
	}
}

// pause is a fault that takes some seconds.
type pause struct {
	of      string
	seconds time.Duration
}

var pauses = []pause{{"client", 1}, {"client", 2}, {"client", 5}, {"client", 10}, {"join", 1}, {"join", 3}, {"join", 9}, {"server", 3}, {"server", 3}}

// Two seconds after a stall of seconds, all players play again, at any tick rate. A stalled client processes everything that
// it missed. Nobody waits for a joining client whose first state takes long. Others stop only under lockstep, for as long as
// the server waits, nobody simulates more than its window again at once, and nobody runs ahead of a stalled server.
func TestNetcodeE7_AHitchIsMadeUpFor(t *testing.T) {
	t.Parallel()
	rates, pauses := fieldtest.Rows(1, []int{10, 20, 30, 60, 128}), pauses
	if !fieldtest.Long() { // TestHitches plays others of clients
		pauses = []pause{{"client", 10}, {"join", 3}, {"server", 3}}
	}
	for _, preset := range fieldtest.PeerPresets {
		for _, rate := range rates {
			t.Run(fmt.Sprintf("%v/%d", preset, rate), func(t *testing.T) {
				if rate >= 60 {
					playPauses(t, preset, rate, pauses...)
					return
				}
				for _, h := range pauses { // a tick more of delay is long, and stays for long
					playPauses(t, preset, rate, h)
				}
			})
		}
	}
}

func playPauses(t *testing.T, preset policy.Model, rate int, pauses ...pause) {
	link := systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.01)
	config := fieldtest.PresetConfig(preset, 1, 3, link)
	config.Server.TickRate, config.Server.Session.Timeout = rate, time.Minute
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Session: systems.ClientSession{Timeout: time.Minute}}
	}
	c := fieldtest.Start(t, config, 6*time.Second)
	w := newWatch(c)
	for _, h := range pauses {
		k, d := c.Clients[1], h.seconds*time.Second
		switch h.of {
		case "client":
			k.Stall(d)
		case "join":
			k = c.Join()
			c.RunUntil(5*time.Second, k.Connected)
			k.SetLinks(link, netsys.Link{Loss: 1})
		case "server":
			c.StallServer(d)
		}
		w.begin(k)
		c.Run(d)
		k.SetLinks(link, link)
		if most := rate*3/5 + 10; h.of == "server" && w.ahead > most {
			t.Errorf("a client was %d ticks ahead of a server that stood still", w.ahead)
		}
		c.Run(time.Second)
		before := completed(c)[:4]
		c.Run(2 * time.Second)
		for i, n := range less(completed(c), before) {
			if h.of == "server" && n < 2*rate*9/10 {
				t.Errorf("peer %d made %d ticks in the second and third second after the server stood still", i, n)
			}
		}
		over, still := w.idle.Sub(w.begun), 3*c.Server.World().StepDuration()
		if policy.Is[policy.Lockstep](preset) {
			still += time.Second
		}
		t.Logf("%+v: all play after %v; others stood still for %v; %d ticks again at once", h, over, w.stopped, w.replay)
		if h.of != "server" && (over > d+2*time.Second || w.stopped > still || w.replay > uint64(2*rate)) {
			t.Errorf("%+v: over after %v; others stood still for %v; %d ticks were simulated again at once", h, over, w.stopped, w.replay)
		}
		if h.of == "join" {
			k.Leave()
		}
	}
	fieldtest.MustConverge(c)
}

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
