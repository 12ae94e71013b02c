package trial

import (
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// meter measures what the players of a match see.
type meter struct {
	script   *script
	gathered [][]time.Time // by player and scene: when its input was first gathered
	drawn    []sample      // other players as drawn, with the server's tick at that time
	own      []sample      // the viewer's own player as drawn, with the tick of the viewer's world
	foreseen [][foreseen]sample
	consumed []uint32            // by player: the newest input that the server has used
	wrong    []float64           // errors of own positions that were compared already
	seen     []int               // by player: the newest scene that its own screen has shown
	delay    mean                // to the own screen
	screens  systemstest.Screens // to the others'
}

// foreseen is the number of predicted positions that are kept until the server has used the input.
const foreseen = 256

// sample is a drawn position.
type sample struct {
	at     uint32 // a tick; in meter.foreseen the sequence of an input
	client uint32
	pos    components.Position
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) value() float64 { return round(m.sum / max(float64(m.n), 1)) }

func newMeter(s *script) *meter {
	w := &meter{
		script: s, gathered: make([][]time.Time, len(s.scenes)), foreseen: make([][foreseen]sample, len(s.scenes)),
		consumed: make([]uint32, len(s.scenes)), seen: make([]int, len(s.scenes)),
	}
	for n, scenes := range s.scenes {
		w.gathered[n] = make([]time.Time, len(scenes))
	}
	return w
}

// input returns the input of the script and records when a scene's input is first gathered.
func (w *meter) input(n int, now moment) world.Input {
	if i := w.script.scene(n, now.Time); i >= 0 && w.gathered[n][i].IsZero() {
		w.gathered[n][i] = now.Time
	}
	return w.script.input(n, now.Time)
}

func (w *meter) attach(m *match) {
	m.framed = func(p *systemstest.Client) { w.frame(m, p) }
	m.ticked = func() {
		for st := range m.Server.Clients {
			w.screens.Used(st.ID, st.LastInput, m.Server.World().Tick(), policy.TraitsOf(m.model).Stamped)
		}
		if bySequence(m.model) {
			w.compare(m)
		}
	}
}

func (w *meter) detach(m *match) { m.framed, m.ticked = nil, nil }

// bySequence reports whether the server consumes inputs in order, without ticks that the inputs name.
func bySequence(p policy.Model) bool { return !policy.TraitsOf(p).Stamped }

// frame records the players as p sees them.
func (w *meter) frame(m *match, p *systemstest.Client) {
	w.screens.Gathered(p.Client, m.Now())
	w.screens.Drew(p.Client, m.Now())
	for _, q := range m.Clients {
		drawn, ok := world.Find(p.View(), q.ID())
		if !ok {
			continue
		}
		if p == q {
			w.respond(m.Now(), p.N, drawn.Gun.Aim)
		}
		switch s := (sample{m.Server.World().Tick(), q.ID(), drawn.Pos}); {
		case p != q:
			w.drawn = append(w.drawn, s)
		case bySequence(m.model):
			s.at = p.Input()
			w.foreseen[p.N][s.at%foreseen] = s
		default:
			s.at = p.World().Tick()
			w.own = append(w.own, s)
		}
	}
}

// compare compares predicted positions with those of the server, after a tick of the server.
func (w *meter) compare(m *match) {
	for st := range m.Server.Clients {
		i := slices.IndexFunc(m.Clients, func(p *systemstest.Client) bool { return p.ID() == st.ID })
		if i < 0 || st.LastInput == w.consumed[i] {
			continue
		}
		w.consumed[i] = st.LastInput
		s := w.foreseen[i][st.LastInput%foreseen]
		if is, ok := world.Find(m.Server.World(), st.ID); ok && s.at == st.LastInput && s.client == st.ID {
			w.wrong = append(w.wrong, distance(s.pos, is.Pos))
		}
	}
}

// respond records the delay until player n aims on its own screen as in the newest scene.
func (w *meter) respond(now time.Time, n int, aim uint16) {
	for k := w.script.scene(n, now); k > w.seen[n]; k-- {
		if w.script.scenes[n][k].in.Aim == aim && !w.gathered[n][k].IsZero() {
			w.seen[n] = k
			w.delay.add(now.Sub(w.gathered[n][k]).Seconds() * 1000)
			return
		}
	}
}

// report writes the results to r. Call it when the journal is final.
func (w *meter) report(m *match, r *Preset) {
	errors := func(samples []sample, all []float64) []float64 {
		for _, s := range samples {
			if is, ok := m.journal.Place(s.at, s.client); ok {
				all = append(all, distance(s.pos, is))
			}
		}
		return all
	}
	own, others := errors(w.own, w.wrong), errors(w.drawn, nil)
	r.OwnError, r.OthersError = p99(own), p99(others)
	r.VisualError = p99(append(own, others...))
	r.InputDelay, r.SeenDelay = w.delay.value(), round(w.screens.Mean().Seconds()*1000)
}

func distance(a, b components.Position) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y))
}

// p99 sorts values and returns their 99th percentile, or 0 if there are none.
func p99(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return round(values[len(values)*99/100])
}
