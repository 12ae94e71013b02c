package snapshot

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// street returns a world of 20 cells in a row, of 60 entities each, and clients that
// stand at its end.
func street(c Config, clients int, seen interest.Interest) *plaza {
	g := newPlaza(0, c, seen)
	for cell := range 20 {
		for n := range 60 {
			e := g.w.Spawn(place{X: float32(50*cell-500) + 20, Y: 20}, tint{Color: uint8(n)})
			g.all = append(g.all, e)
		}
	}
	for n := range clients {
		g.join(uint32(4 + n%3))
		g.w.Spawn(components.Owner{Client: g.came}, place{X: -499})
	}
	return g
}

// stir moves everything within its cell.
func (g *plaza) stir(r *rand.Rand) {
	for n, e := range g.all {
		*ecs.Get[place](g.w, e) = place{X: float32(50*(n/60)-500) + 10 + 30*r.Float32(), Y: 10 + 30*r.Float32()}
	}
}

// tellings counts, for each client, how often it receives an entity in each cell.
func (g *plaza) tellings(r *rand.Rand, sends int) map[*peer]*[20]int {
	told := map[*peer]*[20]int{}
	for _, p := range g.peers {
		told[p] = new([20]int)
	}
	for range 3 * sends {
		g.stir(r)
		g.run(1, func(p *peer, packets []Packet) {
			g.told(p, func(group, slot int) {
				if e := g.s.Newest().Entity(group, slot); ecs.Has[tint](g.w, e) {
					told[p][int(ecs.Get[place](g.w, e).X+500)/50]++
				}
			})
		})
	}
	return told
}

// If not everything fits, entities at twice the distance are sent half as often, whatever else clients see.
func TestPriorityByDistance(t *testing.T) {
	for name, seen := range map[string]interest.Interest{"all": nil, "grid": &interest.Grid[place]{Cell: 50, Radius: 2000}} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 3))
			g := street(Config{Budget: 500, Priority: interest.ByDistance[place](100)}, 12, seen)
			g.run(300, nil)
			before := g.s.Stats()
			const sends = 300
			all := g.tellings(r, sends)
			after := g.s.Stats()
			for _, p := range g.peers {
				told := all[p]
				for _, cell := range []int{2, 4, 8} {
					if ratio := float64(told[cell]) / float64(told[2*cell]); ratio < 1.4 || ratio > 2.8 {
						t.Errorf("client %d is sent those in cell %d %.1f times as often as those at twice the distance: %v", p.c.id, cell, ratio, *told)
					}
				}
			}
			over := after.OverBudget - before.OverBudget
			t.Logf("%v", *all[g.peers[0]])
			if over < 12*sends*9/10 {
				t.Errorf("%d of %d snapshots do not hold all: nothing is proven", over, 12*sends)
			}
		})
	}
}

// Entities whose components change more often than they can be sent have their turn too.
func TestEntitiesThatChangeHaveTheirTurn(t *testing.T) {
	for _, clients := range []int{1, 3} {
		g := newPlaza(200, Config{Budget: 200}, nil)
		for range clients {
			g.join(3)
		}
		told := map[ecs.Entity]bool{}
		for n := range 400 {
			for i, e := range g.all {
				if (n+i)%6 == 0 && ecs.Has[tint](g.w, e) {
					ecs.Remove[tint](g.w, e)
				} else if (n+i)%6 == 0 {
					ecs.Add(g.w, e, tint{Color: uint8(n % 200)})
				}
			}
			g.run(1, func(p *peer, _ []Packet) {
				if p == g.peers[0] && n >= 200 {
					g.told(p, func(group, slot int) { told[g.s.Newest().Entity(group, slot)] = true })
				}
			})
		}
		if s := g.s.Stats(); s.OverBudget < s.Updates*9/10 {
			t.Fatalf("%d of %d snapshots do not hold all: nothing is proven", s.OverBudget, s.Updates)
		}
		if len(told) < len(g.all) {
			t.Errorf("%d clients: %d of %d entities were sent in 200 sends", clients, len(told), len(g.all))
		}
	}
}

// An entity whose state was lost goes before those whose state arrived.
func TestLostEntitiesGoFirst(t *testing.T) {
	g := newPlaza(400, Config{Budget: 300}, nil)
	p := g.join(6)
	r := rand.New(rand.NewPCG(1, 8))
	sent, lose := map[ecs.Entity]uint32{}, false
	lost, again, others := map[ecs.Entity]uint32{}, 0, 0
	p.lost = func() bool { return lose }
	for n := range uint32(900) {
		for _, e := range g.all {
			*ecs.Get[place](g.w, e) = place{X: r.Float32()*1000 - 500, Y: r.Float32()*1000 - 500}
		}
		lose = n%90 == 32
		g.run(1, func(*peer, []Packet) {
			g.told(p, func(group, slot int) {
				e := g.s.Newest().Entity(group, slot)
				if at, was := lost[e]; was {
					again += int(n - at)
					delete(lost, e)
				}
				if lose {
					lost[e] = n
					others += int(n - sent[e])
				}
				sent[e] = n
			})
		})
	}
	if others < 100 || again*3 > others*2 {
		t.Errorf("ticks from one state to the next: %d if the first was lost, %d before", again, others)
	}
}

// The game is asked for the priority of an entity once in four snapshots, and at once when the entity comes into sight.
func TestPriorityIsAskedInTurn(t *testing.T) {
	for _, divide := range []uint32{1, 3} {
		asked := map[ecs.Entity]int{}
		g := newPlaza(400, Config{Budget: 300, Priority: func(_ *ecs.World, e ecs.Entity, _ uint32) float32 {
			asked[e]++
			return 1
		}}, nil)
		g.join(4)
		g.s.SetEvery(divide)
		send := func() {
			for i := range g.all {
				g.move(i)
			}
			g.run(int(3*divide), nil)
		}
		for range 100 {
			send()
		}
		for n := range 50 {
			clear(asked)
			for range askEvery {
				e := g.w.Spawn(place{X: float32(n)}, tint{})
				if send(); asked[e] != 1 {
					t.Fatalf("1 in %d: asked %d times about a new entity", divide, asked[e])
				}
			}
			for _, e := range g.all {
				if asked[e] != 1 {
					t.Fatalf("1 in %d: asked %d times about an entity in %d snapshots", divide, asked[e], askEvery)
				}
			}
		}
		if s := g.s.Stats(); s.OverBudget < 200 {
			t.Errorf("%d snapshots do not hold all: nothing is proven", s.OverBudget)
		}
	}
}

// The time that a member waits begins at the newest send that the client holds, or at one that may still arrive.
func TestWaited(t *testing.T) {
	const wait = 3
	for _, x := range []struct {
		at, from, send, waited uint32
		why                    string
	}{
		{0, 10, 20, 10, "never sent"},
		{18, 10, 20, 2, "on its way"},
		{17, 10, 20, 3, "on its way for as long as a round trip takes"},
		{16, 10, 20, 10, "lost"},
		{18, 18, 20, 2, "received"},
		{0, 0, 2, 2, "the first sends"},
	} {
		if n := (&partial{at: x.at, from: x.from}).waited(x.send, wait); n != x.waited {
			t.Errorf("%s: waited %d sends, want %d", x.why, n, x.waited)
		}
	}
}

// A member with half the priority is as urgent as another one after twice the time. No wait makes one as urgent as a new entity.
func TestBuckets(t *testing.T) {
	for waited := uint32(1); waited < 1000; waited++ {
		for p := float32(leastPriority); p <= 64; p *= 2 {
			if a, b := bucketOf(waited, levelOf(2*p)), bucketOf(2*waited, levelOf(p)); a != b {
				t.Fatalf("priority %v after %d sends: bucket %d, half of it after twice as many: %d", 2*p, waited, a, b)
			}
		}
		if a, b := bucketOf(waited, evenLevel), bucketOf(waited+waited/4+1, evenLevel); a >= b {
			t.Fatalf("bucket %d after %d sends, %d after a quarter more", a, waited, b)
		}
	}
	for _, p := range []float32{leastPriority, 1, 1e9, float32(math.Inf(1))} {
		for _, waited := range []uint32{1, 1 << 20, 1 << 31} {
			if b := bucketOf(waited, levelOf(p)); b <= noBucket || b >= news {
				t.Errorf("priority %v after %d sends: bucket %d", p, waited, b)
			}
		}
	}
}

// BenchmarkPriority measures the cost of priorities if not everything fits: ns/client, and the number of encodings.
func BenchmarkPriority(b *testing.B) {
	for _, by := range []struct {
		name string
		of   interest.Priority
	}{
		{"turns", nil}, {"component", interest.ByComponent[tint](0.5)}, {"distance", interest.ByDistance[place](100)},
		{"entity", func(w *ecs.World, e ecs.Entity, client uint32) float32 {
			return 1 + ecs.Get[place](w, e).X*float32(client%5)/1000
		}},
	} {
		b.Run(by.name, func(b *testing.B) {
			l := workload{jump: true}
			g := newPlaza(500, Config{Budget: 1200, Priority: by.of}, nil)
			for n := range 100 {
				g.join(uint32(2 + n%8))
				g.w.Spawn(components.Owner{Client: g.came}, place{X: float32(10*n - 500)})
			}
			for range 60 {
				g.run(3, nil)
				l.act(g)
			}
			before := g.s.Stats()
			for b.Loop() {
				b.StopTimer()
				g.run(2, nil)
				l.act(g)
				b.StartTimer()
				g.run(1, nil)
			}
			after := g.s.Stats()
			sends := float64(after.Sends - before.Sends)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/sends/100, "ns/client")
			b.ReportMetric(float64(after.Encodes.Entities-before.Encodes.Entities)/sends/100, "entities/client")
			b.ReportMetric(float64(after.OverBudget-before.OverBudget)/float64(after.Updates-before.Updates), "over")
		})
	}
}
