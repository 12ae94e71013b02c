package timeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// crowded returns a world of soldiers. Each player owns an eighth of them.
func crowded(entities int) *ecs.World {
	w := testgame.Barracks()
	for i := range entities {
		testgame.Enlist(w, uint32(i%8+1))
	}
	return w
}

// BenchmarkStep measures a Step with different numbers of re-simulated ticks, and the ratio of the time of each tick to a
// plain Simulate of the same world.
func BenchmarkStep(b *testing.B) {
	for _, entities := range []int{100, 1000} {
		plain := crowded(entities)
		for range 100 {
			plain.Netcode().SimulateStage().Run(plain)
		}
		for _, late := range []uint32{0, 1, 10} {
			b.Run(fmt.Sprintf("entities=%d/late=%d", entities, late), func(b *testing.B) {
				l := timeline.New(crowded(entities), timeline.Config{Refill: 60, Hashes: -1})
				for p := range uint32(8) {
					testgame.Must(b, l.Join(p+1, 0, 0, ""))
				}
				inputs := [][]int32{testgame.Words(steer{DX: 1}), testgame.Words(steer{DX: -1})}
				tick := func() {
					for p := range uint32(8) {
						if now := l.Next(); now >= late {
							l.Put(p+1, now-late, inputs[now%2])
						}
					}
					l.Step()
				}
				for range 100 {
					tick()
				}
				before := l.Stats()
				b.ReportAllocs()
				start := time.Now()
				for b.Loop() {
					tick()
				}
				ours := time.Since(start)
				after := l.Stats()
				ticks := after.Ticks - before.Ticks + after.Resimulated - before.Resimulated
				start = time.Now()
				for range ticks {
					plain.Netcode().SimulateStage().Run(plain)
				}
				b.ReportMetric(float64(ours)/float64(time.Since(start)), "plain-steps/tick")
				b.ReportMetric(float64(ticks)/float64(b.N), "ticks/op")
			})
		}
	}
}
