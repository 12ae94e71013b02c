package snapshot

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// What a priority by entity costs where not all fits: ns/client, and how much is encoded.
func BenchmarkPriority(b *testing.B) {
	for _, by := range []string{"turns", "entity"} {
		b.Run(by, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			c := Config{Budget: 1200}
			if by == "entity" {
				c.Priority = func(w *ecs.World, e ecs.Entity, client uint32) float32 {
					return 1 + ecs.Get[place](w, e).X*float32(client%5)/1000
				}
			}
			g := newPlaza(500, c, nil)
			for n := range 100 {
				g.join(uint32(2 + n%8))
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
