package snapshot

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// BenchmarkInterest compares snapshots of 2,000 walking entities to 200 clients with a Grid, which shows each client about 30
// of them, and without. Both run in turn. With few clients the capture of the world, which happens once, would hide the cost
// per client.
func BenchmarkInterest(b *testing.B) {
	const clients = 200
	var plazas [2]*plaza
	for i, of := range []interest.Interest{nil, &interest.Grid[place]{Cell: 100, Radius: 150, Leave: 180}} {
		r := rand.New(rand.NewPCG(1, 2))
		g := newPlaza(0, Config{Budget: 1 << 16}, of)
		spot := func() place { return place{X: r.Float32()*2000 - 1000, Y: r.Float32()*2000 - 1000} }
		for n := range 2000 {
			g.all = append(g.all, g.w.Spawn(spot(), tint{Color: uint8(n % 200)}))
		}
		for id := range uint32(clients) {
			g.w.Spawn(components.Owner{Client: 1 + id}, spot())
			g.join(4 + id%5)
		}
		plazas[i] = g
	}
	var took [2]time.Duration
	var bytes, packets [2]int
	walk := func(i int) {
		g := plazas[i]
		for n, e := range g.all {
			at := ecs.Get[place](g.w, e)
			at.X = min(max(at.X+float32((n+int(g.tick)/60)%3-1)/8, -1000), 1000)
			at.Y = min(max(at.Y+float32((n+int(g.tick)/90)%3-1)/8, -1000), 1000)
		}
		begin := time.Now()
		g.run(1, func(_ *peer, all []Packet) {
			packets[i]++
			for _, p := range all {
				bytes[i] += len(p.Bytes)
			}
		})
		took[i] += time.Since(begin)
	}
	for range 180 {
		walk(0)
		walk(1)
	}
	took, bytes, packets = [2]time.Duration{}, [2]int{}, [2]int{}
	for b.Loop() {
		walk(0)
		walk(1)
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
