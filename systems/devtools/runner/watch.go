package runner

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// watch measures the server's side of a match.
type watch struct {
	o        *Options
	ticks    []float64 // µs a tick, of every wake-up
	overruns uint64

	// allocations during the match
	warmAt        time.Time // when allocations start to count
	before, after allocations
	woken         func() uint64 // datagrams that woke gnet's loop up

	final  systems.ServerStats
	done   bool
	behind atomic.Int64 // ns by which the server's newest tick is later than due

	trail       *trail           // nil: the present says where players are after their last input
	divergences []ecs.Divergence // found by forced rollback
	crowd       *attendance      // nil: the bots are here
}

// allocations is a reading of the allocation counter.
type allocations struct {
	mallocs uint64
	woken   uint64 // datagrams that woke gnet's loop up
	ticks   uint64
}

func (w *watch) init(o *Options) {
	w.o, w.woken = o, func() uint64 { return 0 }
	w.ticks = make([]float64, 0, samples(o))
	if o.apart {
		w.crowd = newAttendance()
	}
}

// samples is room for one value a tick of the run.
func samples(o *Options) int {
	return int(min(o.Duration, time.Hour).Seconds()*float64(o.Tick)) + 1024
}

func (w *watch) readAllocations(m *match) allocations {
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	return allocations{ms.Mallocs, w.woken(), m.server.Stats().Ticks}
}

// serve runs what is due on the server and watches.
func (w *watch) serve(m *match, now time.Time) {
	begin := time.Now()
	if m.server.Advance(now) == 0 {
		return
	}
	m.link.Flush(now)
	took := time.Since(begin)
	if w.done {
		return
	}
	if len(w.ticks) < cap(w.ticks) {
		w.ticks = append(w.ticks, float64(took.Nanoseconds())/1000/float64(m.o.ServerEvery))
	}
	if took > m.o.tickLength()*time.Duration(m.o.ServerEvery) {
		w.overruns++
	}
	w.behind.Store(int64(now.Sub(m.start) - time.Duration(m.server.Tick()-1)*m.o.tickLength()))
	if w.crowd != nil {
		w.crowd.look(m, now)
	} else {
		w.inspect(m, now)
	}
	if w.warmAt.IsZero() && now.Sub(m.start) >= m.o.Warmup+min(m.o.RTT+time.Second, (m.o.Duration-m.o.Warmup)/4) {
		w.warmAt = now
		w.before = w.readAllocations(m)
	}
}

// inspect looks at what the server has made of every client's inputs, and
// compares with what the client had predicted.
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
		if st.LastInput == pw.lastInput {
			continue
		}
		pw.lastInput = st.LastInput
		if x, y, ok := w.stood(m, st.ID, st.LastInput, pw.serverEntity); ok {
			pw.truth(st.LastInput, x, y, m.server.Tick())
		}
	}
}

// stood is where a player stood on the server after an input.
func (w *watch) stood(m *match, client, input uint32, e ecs.Entity) (x, y float32, ok bool) {
	switch {
	case m.world.Place == nil:
		return 0, 0, false
	case w.trail == nil:
		return m.world.Place(m.server.World(), e)
	}
	return w.trail.stood(client, input)
}

// finish takes the server's final figures, before the closing phase.
func (w *watch) finish(m *match) {
	w.after = w.readAllocations(m)
	w.final = m.server.Stats()
	w.done = true
}

// trail is where players stood after each tick, as far as that is known: where servers go back
// a tick is simulated before the inputs for it have come, and again then.
type trail struct {
	at      func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	most    uint32    // clients
	players [][]place // by client number, a ring by tick
}

// trailTicks is how many ticks a trail remembers.
const trailTicks = 1 << 10

// follow is an Authority system.
func (t *trail) follow(w *ecs.World) {
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

// stood is where a player stood on the server after an input.
func (t *trail) stood(client, input uint32) (x, y float32, ok bool) {
	if int(client) >= len(t.players) {
		return 0, 0, false
	}
	p := t.players[client][input%trailTicks]
	return p.x, p.y, p.seq == input
}

// attendance is who plays on a server whose bots are in another process.
type attendance struct {
	at      time.Time // when it was looked at last
	seconds float64   // sum over clients of the time that they were here
	most    int       // at once
	clients map[uint32]*attendant
}

// attendant is a client.
type attendant struct {
	first         time.Time // when an input of its was consumed
	warm          bool
	before, after uint64 // inputs that were missing, when it was warm and at last
}

// lookEvery is how often somebody looks: what a client was short of in its last moments does not count.
const lookEvery = 500 * time.Millisecond

func newAttendance() *attendance { return &attendance{clients: make(map[uint32]*attendant)} }

// look looks who is here.
func (a *attendance) look(m *match, now time.Time) {
	since := now.Sub(a.at)
	if since < lookEvery {
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

// missing is how many inputs were missing of clients that were warm.
func (a *attendance) missing() (n uint64) {
	for _, x := range a.clients {
		if x.warm {
			n += x.after - x.before
		}
	}
	return n
}
