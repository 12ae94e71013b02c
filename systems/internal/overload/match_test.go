package overload_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// busy is a server whose wake-ups take a given time per tick and per snapshot. A wake-up that takes too long makes the next
// one late.
type busy struct {
	*systemstest.Crowd
	worked, done           time.Duration
	tick, snapshot         time.Duration
	steps                  []int // of overload, as they came
	asked, heard, answered int
}

func newBusy(t *testing.T, clients int) *busy {
	b := &busy{tick: time.Millisecond}
	var said uint64
	b.Crowd = systemstest.New(t, systemstest.Config{
		Protocol: fieldtest.Protocol, Clients: clients, Seed: 1, Link: systemstest.RoundTrip(80*time.Millisecond, 20*time.Millisecond, 0.02),
		Server: systems.ServerConfig{
			Overload: systems.Overload{Clock: func() time.Duration { return b.worked }},
			Session: systems.ServerSession{OnMessage: func(_ *systems.Server, _ uint32, _ int, m []byte) error {
				b.heard++
				return nil
			}},
			Schedule: func(s *ecs.Schedule) error {
				return s.Wrap("Snapshot", func(run func(*ecs.World)) func(*ecs.World) {
					return func(w *ecs.World) {
						run(w)
						n := b.Server.Stats().Updates
						b.worked += b.tick + time.Duration(n-said)*b.snapshot
						said = n
					}
				})
			},
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Session: systems.ClientSession{OnMessage: func(*systems.Client, int, []byte) error { b.answered++; return nil }}}
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(c.Input()/60%3) - 1 }),
	})
	b.OnServerTick(func() {
		took := b.worked - b.done
		b.done = b.worked
		b.StallServer(took)
		if st := int(b.Server.Stats().Overload.Step); len(b.steps) == 0 || b.steps[len(b.steps)-1] != st {
			b.steps = append(b.steps, st)
		}
	})
	return b
}

// The rate of snapshots follows the load down and up again, and clients that were sent fewer of them have the same world.
func TestTheRateOfAMatchChanges(t *testing.T) {
	t.Parallel()
	b := newBusy(t, 6)
	b.Connect()
	rates := map[float64]int{}
	b.OnServerTick(func() { rates[b.Server.Stats().Overload.SendRate]++ })
	for range 3 {
		for _, load := range []float64{0.1, 0.45, 0.8, 1.2, 0.3} { // at 60 snapshots a second
			b.snapshot = time.Duration(load * float64(time.Second) / (60 * 6))
			b.Run(4 * time.Second)
		}
	}
	for _, rate := range []float64{60, 30, 20} {
		if rates[rate] < 120 {
			t.Errorf("ticks by rate: %v", rates)
			break
		}
	}
	b.snapshot = 0
	b.Settle()
	b.Converged()
	for _, k := range b.Clients {
		if f := k.Figures(); f.Stalls > 0 {
			t.Errorf("%v: %+v", k, f)
		}
	}
}

// say sends a reliable message in each direction.
func (b *busy) say(t *testing.T) {
	t.Helper()
	for _, k := range b.Clients {
		if err := k.Session().Channels().Send(0, []byte("up")); err != nil {
			t.Fatal(err)
		}
		if err := b.Server.Session(k.ID()).Channels().Send(0, []byte("down")); err != nil {
			t.Fatal(err)
		}
		b.asked++
	}
}

// At a load of 1.5 for a minute, the steps are taken in order, inputs are consumed, messages arrive, nobody is disconnected,
// and new players are refused with the reason. Two seconds after the load has fallen, everything is as before.
func TestOverload(t *testing.T) {
	t.Parallel()
	const clients = 12
	b := newBusy(t, clients)
	b.Connect()
	b.Run(3 * time.Second)
	before := b.Server.Stats()
	b.snapshot = time.Duration(1.5*float64(time.Second)) / (20 * clients) // a second and a half a second
	for range 20 {
		b.say(t)
		b.Run(time.Second)
	}
	if len(b.steps) < 2 || b.steps[0] != 0 || b.steps[1] != 1 {
		t.Errorf("steps %v", b.steps)
	}
	late := b.Join()
	b.Run(time.Second)
	if err := late.Err(); !errors.Is(err, netsys.ErrRefused) || !errors.Is(err, netsys.ErrBusy) {
		t.Errorf("a newcomer: %v", err)
	}
	st := b.Server.Stats()
	ticks := float64(st.Ticks-before.Ticks) / (21 * 60)
	inputs := float64(st.Inputs.Consumed-before.Inputs.Consumed) / (21 * 60 * clients)
	t.Logf("steps %v, %.0f %% of ticks, %.0f %% of inputs", b.steps, 100*ticks, 100*inputs)
	if ticks < 0.9 || inputs < 0.9 {
		t.Errorf("%.0f %% of ticks, %.0f %% of inputs consumed", 100*ticks, 100*inputs)
	}
	b.snapshot = 0
	b.Run(2 * time.Second)
	if o := b.Server.Stats().Overload; o.Step != 0 || o.Refused == 0 {
		t.Errorf("two seconds later: %+v", o)
	}
	back := b.Join()
	b.Run(2 * time.Second)
	if !back.Connected() {
		t.Errorf("a newcomer when there is time again: %v", back.Err())
	}
	if b.heard != b.asked || b.answered != b.asked {
		t.Errorf("%d messages each way: %d came up, %d down", b.asked, b.heard, b.answered)
	}
	for i, k := range b.Clients[:clients] {
		if !k.Connected() {
			t.Errorf("client %d: %v", i, k.Err())
		}
	}
}
