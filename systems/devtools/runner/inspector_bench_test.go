package runner

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/inspect"
)

// observed is one of several matches that do the same, of which wake-ups are timed.
type observed struct {
	*match
	x    *inspect.Inspector // nil: none
	took time.Duration
}

// wake advances the match beyond the server's next wake-up.
func (m *observed) wake(b *testing.B) {
	m.virtual.Run(m.server.Next().Sub(m.virtual.Now()))
	if err := m.virtual.Err(); err != nil {
		b.Fatal(err)
	}
	began := threadTime()
	m.virtual.RunTicks(1)
	m.took += threadTime() - began
}

// BenchmarkInspector measures what an inspector costs the wake-ups of a server with 100 clients and 200 NPCs, in processor
// time of their thread. An operation is a second of the same match three times, tick by tick in turn, so that other load on
// the machine affects all of them alike: without an inspector, with one whose pages are opened one after another while
// Prometheus scrapes once a second, and with one that was closed. "%-open" and "%-closed" are the medians of the ratios to the
// first, per second.
func BenchmarkInspector(b *testing.B) {
	o := options(b, plaza(), "-virtual", "-headless", "-clients", "100", "-npcs", "200", "-duration", "10h", "-warmup", "9h")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all [3]*observed
	const none, open, closed = 0, 1, 2
	for i := range all {
		m, err := newVirtual(plaza(), o)
		if err != nil {
			b.Fatal(err)
		}
		all[i] = &observed{match: m}
		if i == none {
			continue
		}
		if all[i].x, err = inspect.New(m.server, inspect.Config{Wait: time.Minute}); err != nil {
			b.Fatal(err)
		}
	}
	all[closed].x.Close()
	// The page requests the status in tick 0 of each second, and Prometheus the metrics in tick 30.
	asks := map[int]string{0: "/api/status", 30: "/metrics"}
	pages := []string{"/api/traffic?archetypes=1", "/api/clients", "/api/entities?limit=25", "/api/knows?client=1&entity=9", "/api/entity?id=9"}
	looks := 0
	second := func() {
		var pending []chan struct{}
		for tick := range 60 {
			path := asks[tick]
			if tick == 15 {
				path = pages[looks%len(pages)]
				looks++
			}
			if path != "" {
				done := make(chan struct{})
				pending = append(pending, done)
				go func() {
					defer close(done)
					r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
					r.RemoteAddr = "127.0.0.1:5555"
					w := httptest.NewRecorder()
					if all[open].x.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Errorf("%s: %d %s", path, w.Code, w.Body)
					}
				}()
			}
			for i := range all {
				all[(i+tick)%len(all)].wake(b)
			}
			// Requests have the rest of a real second for what they do by themselves.
			for n := 0; n < 10 && len(pending) > 0; n++ {
				time.Sleep(time.Millisecond)
				pending = slices.DeleteFunc(pending, func(done chan struct{}) bool {
					select {
					case <-done:
						return true
					default:
						return false
					}
				})
			}
		}
		for _, done := range pending {
			<-done
		}
	}
	for range 8 { // everybody joins
		second()
	}
	var ratios [len(all)][]float64
	var times []float64
	for b.Loop() {
		for _, m := range all {
			m.took = 0
		}
		second()
		times = append(times, all[none].took.Seconds()*1e6/60)
		for i, m := range all {
			ratios[i] = append(ratios[i], 100*(m.took.Seconds()/all[none].took.Seconds()-1))
		}
	}
	if ha, hb := all[none].server.World().Hash(), all[open].server.World().Hash(); ha != hb {
		b.Errorf("looking changed the match: %x, %x", ha, hb)
	}
	b.ReportMetric(middle(times), "µs/wake-up")
	b.ReportMetric(middle(ratios[open]), "%-open")
	b.ReportMetric(middle(ratios[closed]), "%-closed")
}

func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
