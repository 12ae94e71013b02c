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

// BenchmarkJoins measures a storm of joining clients: the time until all have joined, and that of the slowest tick.
func BenchmarkJoins(b *testing.B) {
	const clients, within = 1000, 60
	for _, x := range []struct {
		name     string
		entities int
		of       interest.Interest
	}{
		{"all", 1200, nil},
		{"has", 1200, interest.Has[place]()},
		{"grid", 1200, &interest.Grid[place]{Cell: 100, Radius: 410, Leave: 440}},
	} {
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				l := workload{entities: x.entities, budget: 2400}
				g := l.plaza(x.of)
				r := rand.New(rand.NewPCG(2, 2))
				for id := range uint32(clients) {
					g.w.Spawn(components.Owner{Client: 1 + id}, spot(r))
				}
				var total, worst time.Duration
				last, bytes, waiting := 0, 0, clients
				for tick := 0; tick < 480 && waiting > 0; tick++ {
					for len(g.peers) < min(clients, (tick+1)*clients/within) {
						p := g.join(4 + g.came%5)
						p.loses(0.05)
					}
					for n, e := range g.all {
						if n%7 == 0 {
							at := ecs.Get[place](g.w, e)
							at.X = min(max(at.X+float32((n+int(g.tick)/60)%3-1)/8, -1000), 1000)
						}
					}
					begin := time.Now()
					g.run(1, func(_ *peer, all []Packet) {
						for _, p := range all {
							bytes += len(p.Bytes)
						}
					})
					took := time.Since(begin)
					waiting = clients - len(g.peers)
					for _, p := range g.peers {
						if p.c.Joining() {
							waiting++
						}
					}
					last, total, worst = tick+1, total+took, max(worst, took)
				}
				b.ReportMetric(float64(last), "ticks")
				b.ReportMetric(float64(waiting), "waiting")
				b.ReportMetric(total.Seconds()*1000, "ms-all")
				b.ReportMetric(worst.Seconds()*1000, "ms-worst")
				b.ReportMetric(float64(bytes)/clients/1000, "kB/client")
			}
		})
	}
}

// BenchmarkInterest compares snapshots of 2,000 walking entities to 200 clients with a Grid, which shows each client about 30
// of them, and without. Both run in turn. With few clients the capture of the world, which happens once, would hide the cost
// per client.
func BenchmarkInterest(b *testing.B) {
	l := workload{entities: 2000, clients: 200, budget: 1 << 16}
	var plazas [2]*plaza
	for i, of := range []interest.Interest{nil, &interest.Grid[place]{Cell: 100, Radius: 150, Leave: 180}} {
		g, r := l.plaza(of), rand.New(rand.NewPCG(2, 2))
		for id := range uint32(l.clients) {
			g.w.Spawn(components.Owner{Client: 1 + id}, spot(r))
			g.join(4 + id%5)
		}
		plazas[i] = g
	}
	var took [2]time.Duration
	var bytes, packets [2]int
	walk := func() {
		for i, g := range plazas {
			l.act(g)
			begin := time.Now()
			g.run(1, func(_ *peer, all []Packet) {
				packets[i]++
				for _, p := range all {
					bytes[i] += len(p.Bytes)
				}
			})
			took[i] += time.Since(begin)
		}
	}
	for range 180 {
		walk()
	}
	took, bytes, packets = [2]time.Duration{}, [2]int{}, [2]int{}
	for b.Loop() {
		walk()
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "of-none")
	for i, name := range []string{"none", "grid"} {
		if n := float64(packets[i]); n > 0 {
			b.ReportMetric(float64(bytes[i])/n, name+"-bytes")
			b.ReportMetric(float64(took[i].Microseconds())/n, name+"-µs/update")
		}
	}
	b.ReportMetric(float64(plazas[1].s.clients[0].view.seen), "in-sight")
}
