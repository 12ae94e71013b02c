package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// bands are priorities by distance in a street.
var bands = interest.ByDistance[place]{Full: 100, Half: 300, Quarter: 600, Cell: 50}

// street is a world of 20 cells in a row, of 60 entities each, and clients that
// stand at its end.
func street(c Config, clients int, seen interest.Interest, by ...interest.Priority) *plaza {
	g := newPlaza(0, c, seen, by...)
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
			g.told(p, packets, func(group, slot int) {
				if e := g.s.Newest().Entity(group, slot); ecs.Has[tint](g.w, e) {
					told[p][int(ecs.Get[place](g.w, e).X+500)/50]++
				}
			})
		})
	}
	return told
}

// If not everything fits, entities beyond a distance are sent half as often, and so on, whatever else clients see. Clients at
// the same place share encoded blocks.
func TestPriorityByDistance(t *testing.T) {
	for name, seen := range map[string]interest.Interest{"all": nil, "grid": &interest.Grid[place]{Cell: 50, Radius: 2000}} {
		t.Run(name, func(t *testing.T) {
			r, by := rand.New(rand.NewPCG(1, 3)), bands
			if seen != nil {
				by.Cell = 0
			}
			g := street(Config{Budget: 500}, 12, seen, by)
			g.run(300, nil)
			before := g.s.Stats()
			const sends = 300
			all := g.tellings(r, sends)
			after := g.s.Stats()
			for _, p := range g.peers {
				told, class := all[p], [4]float64{}
				for cell, n := range told {
					switch x := 50 * cell; {
					case x < 100:
						class[0] += float64(n) / 2
					case x < 300:
						class[1] += float64(n) / 4
					case x < 600:
						class[2] += float64(n) / 6
					default:
						class[3] += float64(n) / 8
					}
				}
				for i := range 3 {
					if ratio := class[i] / class[i+1]; ratio < 1.25 || ratio > 2.8 {
						t.Errorf("client %d is told of those in class %d %.1f times as often as in the next: %v", p.c.id, i, ratio, *told)
					}
				}
			}
			blocks, over := float64(after.Encodes.Blocks-before.Encodes.Blocks)/sends, after.OverBudget-before.OverBudget
			t.Logf("%v; %.1f blocks are encoded a send", *all[g.peers[0]], blocks)
			if over < 12*sends*9/10 {
				t.Errorf("%d of %d snapshots do not hold all: nothing is proven", over, 12*sends)
			}
		})
	}
}

// While the rate of far entities is divided, they are sent in one of several sends, and near entities in all. Each client
// receives everything, also while the rate of all is divided, and has the newest state soon after the world stands still.
func TestFarIsToldLess(t *testing.T) {
	for name, of := range map[string]func(Config) *plaza{
		"grid":     func(c Config) *plaza { return street(c, 3, &interest.Grid[place]{Cell: 50, Radius: 1000}) },
		"distance": func(c Config) *plaza { return street(c, 3, nil, interest.ByDistance[place]{Full: 500, Cell: 50}) },
		"nothing":  func(c Config) *plaza { return street(c, 3, nil) },
	} {
		for _, divide := range [][2]uint32{{1, 1}, {2, 1}, {4, 1}, {4, 2}, {4, 4}} {
			t.Run(fmt.Sprintf("%s %v", name, divide), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 4))
				g := of(Config{Budget: 1 << 16})
				for _, p := range g.peers {
					p.lost = func() bool { return r.IntN(10) == 0 }
				}
				g.run(300, nil)
				far, all := divide[0], divide[1]
				g.s.Divide(far, all)
				g.run(30, nil)
				sends := 16 * int(far*all)
				for p, told := range g.tellings(r, sends) {
					for cell, n := range told {
						want := sends / int(all)
						if cell >= 10 && name != "nothing" {
							want /= int(far)
						}
						if want *= 60; n != want {
							t.Fatalf("client %d is told of cell %d in %d of %d sends, want %d: %v", p.c.id, cell, n, sends, want, *told)
						}
					}
				}
				since := g.s.Newest().Send
				g.run(3*20*int(all), nil)
				for _, p := range g.peers {
					for i := range p.c.set.members {
						if m := &p.c.set.members[i]; p.c.set.newestHeld(m) < since {
							t.Errorf("client %d does not hold entity %d as it is", p.c.id, m.id)
						}
					}
					for i := range p.c.baselines.World.Len() {
						if first, n, h := p.c.baselines.World.Nth(i); !h.HeldSince(since) {
							t.Errorf("client %d does not hold %d groups from %d on as they are", p.c.id, n, first)
						}
					}
				}
			})
		}
	}
}

// BenchmarkPriority measures the cost of priorities if not everything fits: ns/client, and the number of encodings.
func BenchmarkPriority(b *testing.B) {
	for _, by := range []string{"turns", "component", "distance", "entity"} {
		b.Run(by, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			c := Config{Budget: 1200}
			if by == "entity" {
				c.Priority = func(w *ecs.World, e ecs.Entity, client uint32) float32 {
					return 1 + ecs.Get[place](w, e).X*float32(client%5)/1000
				}
			}
			ranks := map[string][]interest.Priority{
				"component": {interest.ByComponent[tint](0.5)},
				"distance":  {interest.ByDistance[place]{Full: 100, Half: 200, Quarter: 400, Cell: 250}},
			}
			g := newPlaza(500, c, nil, ranks[by]...)
			for n := range 100 {
				g.join(uint32(2 + n%8))
				g.w.Spawn(components.Owner{Client: g.came}, place{X: float32(10*n - 500)})
			}
			for range 60 {
				g.run(3, nil)
				g.shake(r, g.all)
			}
			before := g.s.Stats()
			for b.Loop() {
				b.StopTimer()
				g.run(2, nil)
				g.shake(r, g.all)
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
