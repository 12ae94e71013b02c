package runner

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// watch measures the server's side of a match.
type watch struct {
	o        *Options
	ticks    []float64 // duration of a tick in µs, for each wake-up
	overruns uint64

	// allocations during the match
	warmAt        time.Time // start of the allocation count
	before, after allocations
	woken         func() uint64 // number of datagrams that woke gnet's loop

	wakeUp stopwatch // in virtual time
	final  systems.ServerStats
	done   bool
	behind atomic.Int64 // ns by which the server's newest tick is late

	screens     systemstest.Screens
	trail       *trail           // nil if the current state shows the result of the last input
	divergences []ecs.Divergence // found by forced rollback
	crowd       *attendance      // nil if the bots are in this process
}

// stopwatch is a [systems.Probe] that measures wake-ups in real time.
type stopwatch struct {
	began time.Time
	took  time.Duration // of the last wake-up
}

// Begin implements [systems.Probe].
func (s *stopwatch) Begin() { s.began = time.Now() }

// End implements [systems.Probe].
func (s *stopwatch) End() { s.took = time.Since(s.began) }

// allocations is a reading of the allocation counter.
type allocations struct {
	mallocs uint64
	woken   uint64 // number of datagrams that woke gnet's loop
	ticks   uint64
}

func (w *watch) init(o *Options) {
	w.o, w.woken = o, func() uint64 { return 0 }
	w.ticks = make([]float64, 0, samples(o))
	if o.apart {
		w.crowd = newAttendance()
	}
}

// samples returns a capacity for one value per tick of the run.
func samples(o *Options) int {
	return int(min(o.Duration, time.Hour).Seconds()*float64(o.Tick)) + 1024
}

func (w *watch) readAllocations(m *match) allocations {
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	return allocations{ms.Mallocs, w.woken(), m.server.Stats().Ticks}
}

// serve runs the due ticks of the server and measures them.
func (w *watch) serve(m *match, now time.Time) {
	begin := time.Now()
	if m.server.Advance(now) == 0 {
		return
	}
	m.link.Flush(now)
	w.served(m, now, time.Since(begin))
	m.watchRecording(now)
}

// served takes measurements after a wake-up of the server.
func (w *watch) served(m *match, now time.Time, took time.Duration) {
	if w.done {
		return
	}
	if len(w.ticks) < cap(w.ticks) {
		w.ticks = append(w.ticks, float64(took.Nanoseconds())/1000/float64(m.o.ServerEvery))
	}
	if took > m.o.tickLength()*time.Duration(m.o.ServerEvery) {
		w.overruns++
	}
	w.behind.Store(int64(now.Sub(m.start) - time.Duration(m.server.Tick()-1-uint32(m.first))*m.o.tickLength()))
	if w.crowd != nil {
		w.crowd.sample(m, now)
	} else {
		w.inspect(m, now)
	}
	if w.warmAt.IsZero() && now.Sub(m.start) >= m.o.Warmup+min(m.o.RTT+time.Second, (m.o.Duration-m.o.Warmup)/4) {
		w.warmAt = now
		w.before = w.readAllocations(m)
	}
}

// inspect reads the results of every client's inputs from the server and compares them with the client's predictions.
func (w *watch) inspect(m *match, now time.Time) {
	for e, r := range ecs.All[ownerRow](m.server.World()) {
		if p := m.player(r.Owner.Client); p != nil && r.Owner.Client != 0 {
			p.watch.serverEntity = e
		}
	}
	for st := range m.server.Clients {
		p := m.player(st.ID)
		if p == nil {
			continue
		}
		pw := &p.watch
		pw.status = st
		if st.Inputs.Consumed > 0 && pw.first.IsZero() {
			pw.first = now
		}
		if !pw.warm.Load() && !pw.first.IsZero() && now.Sub(pw.first) >= m.o.Warmup {
			pw.warmStatus = st
			pw.warm.Store(true)
		}
		if !m.o.thin {
			w.screens.Used(st.ID, st.LastInput, m.server.World().Tick(), m.o.stamped())
		}
		if st.LastInput == pw.lastInput {
			continue
		}
		pw.lastInput = st.LastInput
		if x, y, ok := w.positionAfter(m, st.ID, st.LastInput, pw.serverEntity); ok {
			pw.comparePosition(st.LastInput, x, y, m.server.Tick())
		}
	}
}

// positionAfter returns the position of a player on the server after an input.
func (w *watch) positionAfter(m *match, client, input uint32, e ecs.Entity) (x, y float32, ok bool) {
	switch {
	case m.game.Place == nil:
		return 0, 0, false
	case w.trail == nil:
		return m.game.Place(m.server.World(), e)
	}
	return w.trail.positionAfter(client, input)
}

// finish stores the server's final figures, before the closing phase.
func (w *watch) finish(m *match) {
	w.after = w.readAllocations(m)
	w.final = m.server.Stats()
	w.done = true
}

// trail records the positions of players after each tick. Servers that rewind simulate a tick before its inputs have
// arrived, and correct the position later.
type trail struct {
	at      func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	most    uint32    // largest client number
	players [][]place // by client number; a ring by tick
}

// trailTicks is the number of ticks in a trail.
const trailTicks = 1 << 10

// record is an Authority system that records the positions of the current tick.
func (t *trail) record(w *ecs.World) {
	for e, r := range ecs.All[ownerRow](w) {
		x, y, ok := t.at(w, e)
		if !ok || r.Owner.Client > t.most {
			continue
		}
		for len(t.players) <= int(r.Owner.Client) {
			t.players = append(t.players, make([]place, trailTicks))
		}
		t.players[r.Owner.Client][w.Tick()%trailTicks] = place{w.Tick(), x, y}
	}
}

// positionAfter returns the position of a player on the server after an input.
func (t *trail) positionAfter(client, input uint32) (x, y float32, ok bool) {
	if int(client) >= len(t.players) {
		return 0, 0, false
	}
	p := t.players[client][input%trailTicks]
	return p.x, p.y, p.seq == input
}

// attendance counts the clients of a server whose bots are in another process.
type attendance struct {
	at      time.Time // time of the newest sample
	seconds float64   // sum of the clients' presence
	most    int       // maximum number of simultaneous clients
	clients map[uint32]*attendant
}

// attendant holds the figures of one client.
type attendant struct {
	first         time.Time // time of the first consumed input
	warm          bool
	before, after uint64 // missing inputs at the end of the warm-up and in the newest sample
}

// attendanceInterval is the sampling interval. Inputs that go missing in a client's last interval are not counted.
const attendanceInterval = 500 * time.Millisecond

func newAttendance() *attendance { return &attendance{clients: make(map[uint32]*attendant)} }

// sample takes a sample.
func (a *attendance) sample(m *match, now time.Time) {
	since := now.Sub(a.at)
	if since < attendanceInterval {
		return
	}
	if a.at.IsZero() {
		since = 0
	}
	a.at = now
	n := 0
	for st := range m.server.Clients {
		n++
		x := a.clients[st.ID]
		if x == nil {
			x = &attendant{}
			a.clients[st.ID] = x
		}
		if st.Inputs.Consumed > 0 && x.first.IsZero() {
			x.first = now
		}
		if !x.warm && !x.first.IsZero() && now.Sub(x.first) >= m.o.Warmup {
			x.warm, x.before = true, st.Inputs.Missing
		}
		x.after = st.Inputs.Missing
	}
	a.most = max(a.most, n)
	a.seconds += since.Seconds() * float64(n)
}

// missing returns the number of missing inputs of all clients after their warm-up.
func (a *attendance) missing() (n uint64) {
	for _, x := range a.clients {
		if x.warm {
			n += x.after - x.before
		}
	}
	return n
}
