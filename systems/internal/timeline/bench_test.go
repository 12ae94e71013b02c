package timeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// crowded is a world of walkers, an eighth of them each player's.
func crowded(entities int) *ecs.World {
	p := ecs.NewProtocol("walkers/1")
	ecs.Replicate[place](p, 0)
	ecs.Replicate[speed](p, 0)
	ecs.Replicate[health](p, 0)
	ecs.Input[steer](p)
	p.Simulate("walk", func(w *ecs.World) {
		type row struct {
			Place *place
			Speed *speed
			Steer *steer
		}
		for _, r := range ecs.Each[row](w) {
			r.Speed.X += int32(r.Steer.DX)
			r.Speed.Y += int32(r.Steer.DY)
			r.Place.X += r.Speed.X
			r.Place.Y += r.Speed.Y
			if r.Place.X > 1000 || r.Place.X < -1000 {
				r.Speed.X = -r.Speed.X
			}
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range entities {
		ecs.Spawn(w, struct {
			Owner  components.Owner
			Place  place
			Speed  speed
			Health health
			Steer  steer
		}{Owner: components.Owner{Client: uint32(i%8 + 1)}, Place: place{int32(i), int32(-i)}})
	}
	return w
}

// BenchmarkStep measures a Step with so many ticks simulated again, and the ratio
// of what each of its ticks takes to a plain step of the same world: Simulate, and
// nothing kept.
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
					must(b, l.Join(p+1, 0, 0))
				}
				inputs := [][]int32{words(steer{DX: 1}), words(steer{DX: -1})}
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
