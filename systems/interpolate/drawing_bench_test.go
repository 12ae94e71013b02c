package interpolate_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// BenchmarkDrawing measures a frame of a client that sees a hundred moving entities, and an iteration over them as a renderer
// does. All but the last variant draw snapshots. In the last one every peer simulates everything, and each entity has a visual
// error.
func BenchmarkDrawing(b *testing.B) {
	damped := policy.Buffered{}
	for _, x := range []struct {
		name     string
		policies policy.Model
		draw     fieldtest.Part
		smooth   interpolate.Smoothing
	}{
		{"lines", policy.LocalSync{}, lines, interpolate.Smoothing{}},
		{"lines, smoothing off", policy.LocalSync{}, lines, interpolate.Smoothing{Off: true}},
		{"curves", policy.LocalSync{}, curves, interpolate.Smoothing{}},
		{"damped", damped, lines, interpolate.Smoothing{}},
		{"rollback", policy.Rollback{}, lines, interpolate.Smoothing{Rate: 1e-3}},
		{"rollback, smoothing off", policy.Rollback{}, lines, interpolate.Smoothing{Off: true}},
	} {
		b.Run(x.name, func(b *testing.B) {
			config := onCarousel(1, horses(false), x.draw, fieldtest.Authority(spurs))
			config.Clients, config.Populate = 2, mounted(100)
			config.Server.Model = x.policies
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Prediction: systems.Prediction{Smoothing: x.smooth}}
			}
			config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { in.N = uint16(k.Input()) })
			c := fieldtest.Start(b, config, 12*time.Second)
			k, sum, errors := c.Clients[0], float32(0), 0
			for e := range ecs.All[struct{ At Horse }](k.View()) {
				if d, _ := k.Drawing(e); d.Error > 0 {
					errors++
				}
			}
			if want := x.name == "rollback"; errors > 0 != want {
				b.Fatalf("%d entities with an error", errors)
			}
			b.ReportAllocs()
			for b.Loop() {
				k.Frame(c.Now())
				for _, h := range ecs.All[struct{ At Horse }](k.View()) {
					sum += h.At.X
				}
			}
			if sum == 0 {
				b.Error("nothing is drawn")
			}
		})
	}
}

// spurs makes the speed of all horses follow from the inputs.
func spurs(w *ecs.World) {
	sum := uint16(0)
	for _, x := range ecs.Each[struct{ In *fieldtest.Walk }](w) {
		sum += x.In.N
	}
	for _, h := range ecs.Each[horse](w) {
		h.At.X += float32(sum % 8)
	}
}
