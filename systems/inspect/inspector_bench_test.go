package inspect

import (
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// stopwatch is a probe that times wake-ups, those of the probe within included.
type stopwatch struct {
	within systems.Probe // nil: none
	began  time.Time
	sum    time.Duration
}

func (s *stopwatch) Begin() {
	s.began = time.Now()
	if s.within != nil {
		s.within.Begin()
	}
}

func (s *stopwatch) End() {
	if s.within != nil {
		s.within.End()
	}
	s.sum += time.Since(s.began)
}

// BenchmarkInspector is the wake-ups of a server of 8 clients and 50 entities that wander,
// in seconds with an inspector at whose page somebody looks, and in seconds without, turn
// by turn. "%-more" is the median of the ratios between neighbours. "%-again" is that of
// seconds without and without, which says how far to trust it.
func BenchmarkInspector(b *testing.B) {
	c := yardConfig(1, 8)
	c.Protocol = func() *ecs.Protocol {
		p := yard()
		p.Simulate("wander", func(w *ecs.World) {
			for e, r := range ecs.Each[struct {
				Pos *components.Position
				L   *label
			}](w) {
				draw := w.Rand(e)
				r.Pos.X += float32(draw.Float64()) - 0.5
				r.Pos.Y += float32(draw.Float64()) - 0.5
			}
		})
		return p
	}
	c.Populate = func(w *ecs.World) {
		for n := range 50 {
			w.Spawn(components.Position{X: float32(n)}, label{uint8(n)})
		}
	}
	m := &match{Crowd: systemstest.New(b, c), t: b}
	x, err := New(m.Server, Config{Wait: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	m.Connect()
	m.Run(5 * time.Second)
	paths := []string{"/api/clients", "/api/entities?limit=25", "/api/knows?client=1&entity=1", "/api/traffic", "/metrics"}
	looks := 0
	second := func(on bool) float64 {
		watch := &stopwatch{}
		if x.on = on; on {
			watch.within = (*probe)(x)
		}
		m.Server.SetProbe(watch)
		ticks := 0
		tick := func() { m.RunTicks(1); ticks++ }
		for i := range 2 {
			if !on {
				time.Sleep(2 * lookEvery) // as when somebody looks
				tick()
				continue
			}
			path := "/api/status"
			if i > 0 {
				looks++
				path = paths[looks%len(paths)]
			}
			done := make(chan struct{})
			go func() {
				x.ServeHTTP(httptest.NewRecorder(), request(path, nil))
				close(done)
			}()
			// What a request does by itself has the rest of a real second for it.
			for answered := false; !answered; {
				select {
				case <-done:
					answered = true
				case <-time.After(lookEvery):
					if len(x.wanted) > 0 {
						tick()
					}
				}
			}
		}
		m.RunTicks(60 - ticks)
		return watch.sum.Seconds()
	}
	var more, again, times []float64
	for n := 0; b.Loop(); n++ {
		off := second(false)
		times = append(times, 1e6*off/60)
		if n%2 == 0 {
			more = append(more, second(true)/off)
		} else {
			again = append(again, second(false)/off)
		}
	}
	if len(again) == 0 {
		return
	}
	b.ReportMetric(middle(times), "µs/wake-up")
	b.ReportMetric(100*(middle(more)-1), "%-more")
	b.ReportMetric(100*(middle(again)-1), "%-again")
}

func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
