package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// workload is a world of entities and clients, which lose 5 % of the packets.
type workload struct {
	entities, clients, budget int
	replaced                  int  // entities that are despawned and spawned again each tick
	jump                      bool // all entities jump each tick, otherwise they walk
}

// spot returns a random place.
func spot(r *rand.Rand) place {
	return place{X: r.Float32()*2000 - 1000, Y: r.Float32()*2000 - 1000}
}

// loses makes a client lose a share of its packets.
func (p *peer) loses(share float64) {
	x := rand.New(rand.NewPCG(uint64(p.c.id-1), 7))
	p.lost = func() bool { return x.Float64() < share }
}

func (l workload) plaza(of interest.Interest) *plaza {
	r := rand.New(rand.NewPCG(1, 2))
	g := newPlaza(0, Config{Budget: l.budget}, of)
	for n := range l.entities {
		g.all = append(g.all, g.w.Spawn(spot(r), tint{Color: uint8(n % 200)}))
	}
	return g
}

// act changes the world for a tick.
func (l workload) act(g *plaza) {
	if l.jump {
		r := rand.New(rand.NewPCG(uint64(g.tick), 3))
		for _, e := range g.all {
			*ecs.Get[place](g.w, e) = spot(r)
		}
		return
	}
	for n, e := range g.all {
		at := ecs.Get[place](g.w, e)
		at.X = min(max(at.X+float32((n+int(g.tick)/60)%3-1)/8, -1000), 1000)
		at.Y = min(max(at.Y+float32((n+int(g.tick)/90)%3-1)/8, -1000), 1000)
	}
	for k := range l.replaced {
		n := (int(g.tick)*l.replaced + k) % len(g.all)
		g.w.Despawn(g.all[n])
		g.all[n] = g.w.Spawn(place{X: float32(n)}, tint{Color: uint8(n % 200)})
	}
}

// BenchmarkLoad measures a send to many clients with 5 % loss: bytes and time of a snapshot.
func BenchmarkLoad(b *testing.B) {
	for _, l := range []workload{
		{entities: 300, clients: 100, budget: 1 << 16},
		{entities: 1200, clients: 1000, budget: 1 << 16},
		{entities: 1200, clients: 1000, budget: 1 << 16, replaced: 2},
		{entities: 5000, clients: 200, budget: 1 << 16},
		{entities: 500, clients: 100, budget: 1200, jump: true},
		{entities: 2000, clients: 100, budget: 2400, jump: true},
	} {
		b.Run(fmt.Sprintf("entities=%d/clients=%d/budget=%d/replaced=%d/jump=%v", l.entities, l.clients, l.budget, l.replaced, l.jump), func(b *testing.B) {
			g := l.plaza(nil)
			r := rand.New(rand.NewPCG(2, 2))
			for range l.clients {
				g.w.Spawn(components.Owner{Client: g.came + 1}, spot(r))
				p := g.join(4 + g.came%5)
				p.loses(0.05)
			}
			var took time.Duration
			var bytes, snapshots int
			send := func() {
				for range 3 {
					l.act(g)
					begin := time.Now()
					g.run(1, func(_ *peer, all []Packet) {
						snapshots++
						for _, p := range all {
							bytes += len(p.Bytes)
						}
					})
					took += time.Since(begin)
				}
			}
			for range 100 {
				send()
			}
			took, bytes, snapshots = 0, 0, 0
			before := g.s.Stats()
			for b.Loop() {
				send()
			}
			after := g.s.Stats()
			n := float64(snapshots)
			b.ReportMetric(float64(bytes)/n, "bytes/update")
			b.ReportMetric(float64(took.Nanoseconds())/1000/n, "µs/update")
			b.ReportMetric(float64(after.Encodes.Blocks-before.Encodes.Blocks)/float64(after.Sends-before.Sends), "blocks/send")
			b.ReportMetric(float64(after.OverBudget-before.OverBudget)/n, "over")
		})
	}
}
