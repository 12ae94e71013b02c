package inspect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A wake-up answers one request, however many wait. Abandoned requests are skipped.
func TestOneRequestAWakeup(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	var reads atomic.Int32
	jobs := make([]*job, mostWaiting)
	for i := range jobs {
		jobs[i] = &job{read: func(*systems.Server) { reads.Add(1) }}
		m.x.wanted <- jobs[i]
	}
	if err := m.x.runInWakeup(t.Context(), func(*systems.Server) {}); !errors.Is(err, errBusy) {
		t.Errorf("one too many: %v", err)
	}
	jobs[3].state.Store(jobGivenUp)
	for n := range mostWaiting {
		m.RunTicks(1)
		if want := int32(n + 1); n < 3 && reads.Load() != want {
			t.Fatalf("%d answered after %d wake-ups", reads.Load(), n+1)
		}
	}
	if n := reads.Load(); n != mostWaiting-1 {
		t.Errorf("%d of %d answered, one was given up", n, mostWaiting)
	}
}

// If the server does not tick, requests fail after a timeout and are not executed later.
func TestServerStandsStill(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{Wait: 5 * time.Millisecond})
	read := false
	if err := m.x.runInWakeup(t.Context(), func(*systems.Server) { read = true }); !errors.Is(err, errBusy) {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.x.config.Wait = time.Minute
	if err := m.x.runInWakeup(ended, func(*systems.Server) { read = true }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m.RunTicks(5)
	if read {
		t.Error("the server was read for nobody")
	}
	m.x.config.Wait = time.Millisecond
	w := httptest.NewRecorder()
	m.x.ServeHTTP(w, request("/api/status", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// An inspected match is the same to the last bit.
func TestLookingChangesNothing(t *testing.T) {
	play := func(look bool) uint64 {
		c := yardConfig(3, 3)
		c.Server.Snapshots.Budget = 200
		m := &match{Crowd: systemstest.New(t, c), t: t}
		if look {
			x, err := New(m.Server, Config{})
			if err != nil {
				t.Fatal(err)
			}
			m.x = x
			m.OnServerTick(func() {
				for client := range uint32(4) {
					m.Server.Knowledge(client, 1)
				}
				for range m.Server.Clients {
				}
				m.x.lease.renew(m.Server, m.x.timings.clock())
				if m.Server.Tick() > 300 && len(m.Server.TrafficByArchetype()) == 0 {
					t.Error("nothing is measured")
				}
			})
		}
		m.Connect()
		m.RunTicks(400)
		return m.Hash()
	}
	if a, b := play(false), play(true); a != b {
		t.Errorf("%x without, %x with an inspector", a, b)
	}
}

// Close leaves a server that neither times nor answers.
func TestClose(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{Wait: time.Millisecond})
	m.x.Close()
	wakeups, runs := m.x.timings.wakeups.count, m.x.timings.systems[0].runs
	m.RunTicks(10)
	if m.x.timings.wakeups.count != wakeups || m.x.timings.systems[0].runs != runs {
		t.Error("it goes on timing")
	}
	if err := m.x.runInWakeup(t.Context(), func(*systems.Server) {}); !errors.Is(err, errBusy) {
		t.Errorf("it answers: %v", err)
	}
	if w := m.do(request("/metrics", nil)); w.Code == http.StatusOK {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}

// Off costs nothing: a server without an inspector, or whose inspector was closed, runs its
// systems themselves, reads no clock for it and allocates nothing.
func TestOffCostsNothing(t *testing.T) {
	for _, preset := range policy.Presets() {
		c := yardConfig(1, 0)
		c.Server.Model = preset
		m := &match{Crowd: systemstest.New(t, c), t: t}
		s := m.Server.Schedule()
		codes := func() (all []uintptr) {
			s.WrapAll(func(_ []string, run func(*ecs.World)) func(*ecs.World) {
				all = append(all, codeOf(run))
				return nil
			})
			return all
		}
		before := codes()
		for range 3 {
			reads := 0
			x, err := New(m.Server, Config{})
			if err != nil {
				t.Fatal(err)
			}
			clock := x.timings.clock
			x.timings.clock = func() time.Duration { reads++; return clock() }
			for i, code := range codes() {
				if code == before[i] {
					t.Fatalf("%v: system %d is not timed", preset, i)
				}
			}
			m.RunTicks(10)
			if reads < 10*len(before)/2 {
				t.Fatalf("%v: %d clock reads in 10 ticks of %d systems", preset, reads, len(before))
			}
			x.Close()
			reads = 0
			if after := codes(); !slices.Equal(after, before) {
				t.Fatalf("%v: systems are %x, were %x", preset, after, before)
			}
			m.RunTicks(10)
			if reads != 0 {
				t.Fatalf("%v: %d clock reads by an inspector that is closed", preset, reads)
			}
		}
		if !race.Enabled {
			m.RunTicks(600) // rings fill
			if n := testing.AllocsPerRun(100, func() { m.Server.Advance(m.Server.Next()) }); n != 0 {
				t.Errorf("%v: %v allocations a wake-up", preset, n)
			}
		}
	}
}

// Close removes the inspector's wrappers only. Later wrappers of others stay.
func TestCloseLeavesOthersAlone(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	around := 0
	if err := m.Server.Schedule().Wrap("Send", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) { around++; run(w) }
	}); err != nil {
		t.Fatal(err)
	}
	m.x.Close()
	tick := m.Server.Tick()
	m.RunTicks(10)
	if around != 10 || m.Server.Tick() != tick+10 {
		t.Errorf("it ran %d times in %d ticks", around, m.Server.Tick()-tick)
	}
}

// The inspector's part of a wake-up allocates nothing.
func TestTimingAllocatesNothing(t *testing.T) {
	w := ecs.NewWorld(testgame.Stage(), ecs.Config{})
	stage := ecs.NewStage("Stage", ecs.System{Name: "a", Run: func(*ecs.World) {}}, ecs.System{Name: "b", Run: func(*ecs.World) {}})
	on := true
	x := &Inspector{wanted: make(chan *job, 1)}
	now := time.Duration(0)
	x.timings.clock = func() time.Duration { now += time.Microsecond; return now }
	x.timings.attach(ecs.NewSchedule(stage), &on)
	n := testing.AllocsPerRun(1000, func() {
		(*probe)(x).Begin()
		stage.Run(w)
		(*probe)(x).End()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if s := x.timings.systems; len(s) != 2 || s[0].runs != 1001 || s[0].sum != 1001*time.Microsecond {
		t.Errorf("%+v", s)
	}
}

func TestHistogram(t *testing.T) {
	var tm timings
	now, step := time.Duration(0), time.Duration(0)
	tm.clock = func() time.Duration { now += step; return now }
	for n := range recentWakeups + 50 {
		step = 10 * time.Microsecond
		if n == 3 || n >= recentWakeups {
			step = time.Second
		}
		tm.startWakeup()
		tm.endWakeup()
	}
	var r reading
	tm.read(&r)
	if h := r.wakeups; h.counts[0] != recentWakeups-1 || h.counts[len(bounds)] != 51 || h.count != recentWakeups+50 || h.most != time.Second {
		t.Errorf("%+v", h)
	}
	if len(r.recent) != recentWakeups || r.recent[0] != 10*time.Microsecond || r.recent[recentWakeups-1] != time.Second {
		t.Errorf("recent: %d, first %v, last %v", len(r.recent), r.recent[0], r.recent[len(r.recent)-1])
	}
	if q, p := r.quantile(0.5), r.quantile(0.99); q != 10*time.Microsecond || p != time.Second {
		t.Errorf("median %v, p99 %v", q, p)
	}
	if q := (&reading{}).quantile(0.5); q != 0 {
		t.Errorf("of nothing: %v", q)
	}
}

// Concurrent requests of all kinds succeed while the match continues.
func TestConcurrentRequests(t *testing.T) {
	m := newMatch(t, yardConfig(2, 3), Config{Wait: 20 * time.Second})
	paths := []string{"/", "/app.js", "/api/status", "/api/clients", "/api/traffic?archetypes=1", "/api/entities?limit=60",
		"/api/entity?id=1", "/api/knows?client=1&entity=1", "/api/blame", "/metrics", "/debug/pprof/", "/debug/pprof/goroutine?debug=1"}
	var wg sync.WaitGroup
	bad := make(chan string, 100)
	for n := range 8 {
		wg.Go(func() {
			for i := range paths {
				path := paths[(i+n)%len(paths)]
				w := httptest.NewRecorder()
				m.x.Report(uint32(n), reconcile.Causes{Corrections: 1})
				if m.x.ServeHTTP(w, request(path, nil)); w.Code != http.StatusOK {
					bad <- fmt.Sprintf("%s: %d %s", path, w.Code, w.Body)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	m.tickUntil(done)
	close(bad)
	for text := range bad {
		t.Error(text)
	}
}

// The page is served over a real connection until the context ends.
func TestServe(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.x.Serve(ctx, l) }()
	answer, err := http.Get("http://" + l.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The page loads nothing from other sites, and contains nothing that its content policy forbids.
func TestPageIsSelfContained(t *testing.T) {
	all, err := web.ReadDir("web")
	if err != nil || len(all) < 4 {
		t.Fatal(all, err)
	}
	for _, entry := range all {
		name := entry.Name()
		b, err := web.ReadFile("web/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", "") // a name, not an address
		for _, no := range []string{"http:", "https:", "//www", "url(", "@import", "innerHTML", "eval(", "style=", " onclick", "localStorage"} {
			if strings.Contains(text, no) {
				t.Errorf("%s has %s", name, no)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		w := m.do(request("/api/status", func(r *http.Request) { r.Method = method }))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	if w := m.do(request("/api/nothing", nil)); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
	for range mostRequests {
		m.x.gate.room <- struct{}{}
	}
	if w := m.do(request("/", nil)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("with all places taken: %d", w.Code)
	}
}
