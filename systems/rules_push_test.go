package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The push test: the server alone moves every player by 10 units every 2 s, so
// that predictions are wrong again and again, and the clients have to notice.

const (
	pushEvery    = 120 // ticks
	pushDistance = 10
)

// pushes is the field in which players are pushed in directions of chance, from a
// tick on.
func pushes(from uint32) func() *ecs.Protocol {
	return fieldWith(func(w *ecs.World) {
		if w.Tick() >= from && w.Tick()%pushEvery == 0 {
			push(w)
		}
	})
}

type pushable struct {
	Pos *components.Position
	Own *components.Owner
}

func push(w *ecs.World) {
	for e, p := range ecs.Each[pushable](w) {
		if p.Own.Client != 0 {
			r := w.Rand(e)
			s, c := math.Sincos(2 * math.Pi * r.Float64())
			p.Pos.X, p.Pos.Y = p.Pos.X+float32(pushDistance*c), p.Pos.Y+float32(pushDistance*s)
		}
	}
}

// sight is what one client of a push test predicted and was told.
type sight struct {
	predicted map[uint32]components.Position // as first predicted, by input
	arrived   map[uint32]time.Duration       // own states by tick
	replays   map[uint32]uint64              // ticks simulated again, by the own state's tick
}

// watchSight notes what each client predicts and is told from now on.
func watchSight(c *systemstest.Crowd) []sight {
	seen := make([]sight, len(c.Clients))
	last := make([]uint64, len(c.Clients))
	for n := range seen {
		seen[n] = sight{map[uint32]components.Position{}, map[uint32]time.Duration{}, map[uint32]uint64{}}
		last[n] = c.Clients[n].Stats().Resimulated
	}
	c.OnClientTick(func(k *systemstest.Client) {
		s := &seen[k.N]
		if e, ok := k.Own(k.World()); ok {
			s.predicted[k.Input()] = place(k.World(), e)
		}
		if _, known := s.arrived[k.ConfirmedTick()]; !known {
			s.arrived[k.ConfirmedTick()] = c.Elapsed()
		}
		if now := k.Stats().Resimulated; now != last[k.N] {
			s.replays[k.ConfirmedTick()], last[k.N] = now-last[k.N], now
		}
	})
	return seen
}

// After a push a client is right again as soon as the first state that shows it
// has come and the inputs gathered since have been consumed: a round trip, the
// buffer's depth and a send gap; one gap more for each snapshot that the link lost
// or delayed.
func TestNetcodePush_RightAgainAfterARoundTrip(t *testing.T) {
	const (
		from, rounds = 1200, 8
		gap          = 3
		warm         = 900
	)
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 4, bad())
		config.Protocol = pushes(from)
		c := systemstest.New(t, config)
		ts := watchTruth(c)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == warm })
		seen := watchSight(c)
		lead := make([]int, len(c.Clients)) // inputs gathered and not consumed, at most
		c.OnServerTick(func() {
			for _, k := range c.Clients {
				lead[k.N] = max(lead[k.N], int(k.Input()-k.Status().LastInput))
			}
		})
		c.Mark()
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from+rounds*pushEvery-1 })
		c.NothingMissing()
		oneWay := int(config.Link.Latency / ticks(1))
		for _, k := range c.Clients {
			s := seen[k.N]
			depth := lead[k.N] - oneWay
			for round := range rounds {
				push := uint32(from + round*pushEvery)
				skipped := overtaken(s, push, config.Link.Latency)
				bound := 2*oneWay + depth + gap + 1 + gap*skipped
				wrong, last := 0, uint32(0)
				for tick := push + 1; tick < push+pushEvery; tick++ {
					tr := ts.at[tick]
					first, ok := s.predicted[tr.inputs[k.N]]
					if !ok {
						t.Fatalf("%v: no prediction after input %d", k, tr.inputs[k.N])
					}
					if !near(first, tr.places[k.World().NetID(ownOf(k))]) {
						wrong++
						last = tick
					}
				}
				if wrong < 2*oneWay {
					t.Errorf("%v: wrong for %d ticks after the push in tick %d: it cannot know before a round trip", k, wrong, push)
				}
				if got := int(last - push); got > bound {
					t.Errorf("%v: wrong until %d ticks after the push in tick %d, want %d at most (depth %d, %d snapshots lost or late)",
						k, got, push, bound, depth, skipped)
				}
			}
			if f := k.Figures(); f.Corrections != rounds {
				t.Errorf("%v: %d corrections of %d pushes", k, f.Corrections, rounds)
			}
			for tick, n := range s.replays {
				// What this snapshot took beyond the mean is part of its round trip.
				down := s.arrived[tick] - ticks(int(tick-1))
				if most := int(math.Ceil(float64(down)/float64(ticks(1)))) + oneWay + depth + 1; int(n) > most {
					t.Errorf("%v: the state of tick %d came %v later and cost %d ticks, want %d at most", k, tick, down, n, most)
				}
			}
		}
	})
}

// overtaken is how many snapshots after a push came later than the mean, or never,
// before one that did not.
func overtaken(s sight, push uint32, mean time.Duration) int {
	n := 0
	for tick := (push/3 + 1) * 3; ; tick += 3 {
		// A client looks at what came once a tick.
		if at, ok := s.arrived[tick]; ok && at <= ticks(int(tick-1))+mean+ticks(1) || n > 20 {
			return n
		}
		n++
	}
}

// ownOf is a client's own entity in its world.
func ownOf(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.World())
	return e
}
