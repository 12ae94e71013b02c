package inspect

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The world of these tests: walkers go where their owner says, posts stand and change their color.

type mood struct{ Good float64 } // local

func yard() *ecs.Protocol {
	return testgame.Plaza(func(p *ecs.Protocol) {
		ecs.Local[mood](p, 0)
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
			w.Spawn(components.Owner{Client: client}, testgame.Place{}, testgame.Push{}, mood{})
		})
		p.Authority("count", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ T *testgame.Tint }](w) {
				r.T.Color = (r.T.Color + 1) % 200
			}
		})
	})
}

// posts is the number of entities without an owner.
const posts = 70

func yardConfig(seed uint64, clients int) systemstest.Config {
	return systemstest.Config{
		Protocol: yard,
		Populate: func(w *ecs.World) {
			for n := range posts {
				w.Spawn(testgame.Place{X: float32(n)}, testgame.Tint{Color: uint8(n)})
			}
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *testgame.Push) {
			*in = testgame.Push{DX: int8(c.Rand().IntN(3) - 1), DY: int8(c.Rand().IntN(3) - 1)}
		}),
		Clients: clients,
		Link:    systemstest.RoundTrip(80*time.Millisecond, 10*time.Millisecond, 0.02),
		Seed:    seed,
	}
}

// match is a crowd with an inspector on its server.
type match struct {
	*systemstest.Crowd
	t testing.TB
	x *Inspector
}

func newMatch(t testing.TB, c systemstest.Config, config Config) *match {
	t.Helper()
	m := &match{Crowd: systemstest.New(t, c), t: t}
	x, err := New(m.Server, config)
	if err != nil {
		t.Fatal(err)
	}
	m.x = x
	m.Connect()
	m.Run(2 * time.Second)
	return m
}

// request returns a request of this machine, changed by change.
func request(path string, change func(r *http.Request)) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7780"+path, nil)
	r.RemoteAddr = "127.0.0.1:5555"
	if change != nil {
		change(r)
	}
	return r
}

// do lets the match go on until a request is answered.
func (m *match) do(r *http.Request) *httptest.ResponseRecorder {
	m.t.Helper()
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.x.ServeHTTP(w, r)
	}()
	m.tickUntil(done)
	return w
}

func (m *match) tickUntil(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			m.RunTicks(1)
			runtime.Gosched()
		}
	}
}

// get asks for a path and reads its JSON into v, which may be nil.
func (m *match) get(path string, v any) {
	m.t.Helper()
	w := m.do(request(path, nil))
	if w.Code != http.StatusOK {
		m.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if v != nil {
		if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
			m.t.Fatalf("%s: %v in %s", path, err, w.Body)
		}
	}
}
