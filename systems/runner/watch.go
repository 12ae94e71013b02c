package runner

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// watch measures the server's side of a match.
type watch struct {
	o        *Options
	ticks    []float64 // µs a tick, of every wake-up
	overruns uint64
	warmAt   time.Time // when allocations start to count
	before   allocations
	after    allocations
	final    systems.ServerStats
	done     bool
	behind   atomic.Int64 // ns by which the server's newest tick is later than due

	woken       func() uint64    // datagrams that woke gnet's loop up
	trail       *trail           // nil: the present says where players are after their last input
	divergences []ecs.Divergence // found by forced rollback
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
	w.inspect(m, now)
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

// predictions is how many predicted places are kept for comparison.
const predictions = 1 << 13

// playerWatch measures one client's side. What both the server's and the
// client's goroutine touch is atomic or behind mu.
type playerWatch struct {
	warm atomic.Bool
	foretold
	consumed // the server's side

	// client's side
	started      bool
	base, final  systems.ClientStats
	causes       reconcile.Causes
	done         bool
	ageSum, aged float64
	response
}

// foretold is what a client predicted, compared with what came.
type foretold struct {
	mu        sync.Mutex
	pushed    bool   // and the client has not been told yet
	pushes    uint64 // that the client could notice
	predicted [predictions]place
	errors    []float64
	newest    float64 // error compared last
	wrong     wrongTicks
}

// consumed is what the server has made of a client's inputs.
type consumed struct {
	serverEntity ecs.Entity
	first        time.Time
	lastInput    uint32
	status       systems.ClientStatus
	warmStatus   systems.ClientStatus
}

// response is how soon inputs show.
type response struct {
	wanted    int
	pending   []want
	responses []int
	frames    int
}

// wrongTicks remembers at which ticks a pushed player stood elsewhere than its
// client had predicted. A snapshot of such a tick lets the client notice.
type wrongTicks struct {
	ticks [32]uint32
	n     int
}

func (w *wrongTicks) add(tick uint32) {
	w.ticks[w.n%len(w.ticks)] = tick
	w.n++
}

func (w *wrongTicks) has(tick uint32) bool { return slices.Contains(w.ticks[:], tick) }

func (w *wrongTicks) clear() { *w = wrongTicks{} }

type place struct {
	seq  uint32
	x, y float32
}

// want is what the own entity should show since some frame.
type want struct{ value, frame int }

func (w *playerWatch) init(o *Options) {
	w.errors = make([]float64, 0, samples(o))
	w.responses = make([]int, 0, samples(o))
	w.pending = make([]want, 0, 64)
}

// truth compares the server's place after an input with the predicted one.
func (w *playerWatch) truth(seq uint32, x, y float32, tick uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.predicted[seq%predictions]
	if p.seq != seq {
		return
	}
	w.newest = math.Hypot(float64(x-p.x), float64(y-p.y))
	const noticeable = 0.18 // beyond a step of 1/8 on some axis
	if w.pushed && w.newest > noticeable {
		w.wrong.add(tick)
	}
	if w.warm.Load() && len(w.errors) < cap(w.errors) {
		w.errors = append(w.errors, w.newest)
	}
}

// frame measures after a client's step and frame.
func (w *playerWatch) frame(m *match, p *player, now time.Time) {
	if w.done {
		return
	}
	c := p.client
	w.frames++
	if p.world.Place != nil && p.find(c.World(), &p.own) {
		if x, y, ok := p.world.Place(c.World(), p.own); ok {
			seq := c.Input()
			w.mu.Lock()
			w.predicted[seq%predictions] = place{seq, x, y}
			w.mu.Unlock()
		}
	}
	w.respond(p)
	if !w.warm.Load() {
		return
	}
	if !w.started {
		w.started = true
		w.base = c.Stats()
	}
	w.notice(c.ConfirmedTick())
	step := m.o.tickLength().Seconds()
	age := now.Sub(m.start).Seconds() - (c.DrawnTick()-1)*step
	if m.o.everywhere() { // a server that waits for inputs is not where the clock is
		age -= time.Duration(m.watch.behind.Load()).Seconds()
	}
	w.ageSum += age
	w.aged++
}

// push notes that the server alone has moved the player.
func (w *playerWatch) push() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pushed = true
	w.wrong.clear()
}

// notice counts a push once the client has been told of a state that shows it.
func (w *playerWatch) notice(tick uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pushed && w.wrong.has(tick) {
		w.pushed = false
		w.wrong.clear()
		w.pushes++
	}
}

// respond counts the frames from a change of the keys to its effect.
func (w *playerWatch) respond(p *player) {
	c := p.client
	bot, ok := p.bot.(Shower)
	if !ok {
		return
	}
	if !p.find(c.View(), &p.drawn) {
		w.wanted = bot.Wants()
		return
	}
	if now := bot.Wants(); now != w.wanted {
		w.wanted = now
		if len(w.pending) == cap(w.pending) {
			w.pending = w.pending[:0]
		}
		w.pending = append(w.pending, want{now, w.frames})
	}
	if len(w.pending) > 0 && bot.Shows(c.View(), p.drawn) == w.pending[0].value {
		if len(w.responses) < cap(w.responses) {
			w.responses = append(w.responses, w.frames-w.pending[0].frame)
		}
		w.pending = append(w.pending[:0], w.pending[1:]...)
	}
}

// end takes a client's final figures, before the closing phase.
func (p *player) end() {
	p.watch.final, p.watch.causes = p.client.Stats(), p.client.Causes()
	p.watch.done = true
}

// report sums up both sides.
func (w *watch) report(m *match) Report {
	o, f := w.o, &w.final
	r := Report{MatchReport: MatchReport{
		Preset: o.Preset, Timing: o.policies().Timing.String(), Clients: o.Clients, NPCs: o.NPCs,
		Ticks:        f.Ticks,
		TickOverruns: w.overruns + f.TicksDropped,
		TickP50us:    percentile(w.ticks, 0.50),
		TickP99us:    percentile(w.ticks, 0.99),
	}}
	if ticks := w.after.ticks - w.before.ticks; ticks > 0 && !w.warmAt.IsZero() {
		n := float64(w.after.mallocs - w.before.mallocs)
		n -= gnetAllocations * float64(w.after.woken-w.before.woken)
		if r.AllocsPerTick = round(n/float64(ticks), 2); r.AllocsPerTick < 0.5 {
			r.AllocsPerTick = 0
		}
	}
	seconds := float64(f.Ticks) / float64(o.Tick)
	clientSeconds := seconds * float64(o.bots())
	s := &r.Server
	s.InputsConsumed, s.InputsLate, s.InputsRejected = f.Inputs.Consumed, f.Inputs.Late, f.Inputs.Rejected
	s.Holds = f.Inputs.Holds
	s.ResimulatedTicks = f.ResimulatedTicks
	s.BytesDownPerClientS = round(float64(f.BytesOut)/clientSeconds, 1)
	s.BytesUpPerClientS = round(float64(f.BytesIn)/clientSeconds, 1)
	s.BytesPerUpdate = round(float64(f.BytesOut)/max(float64(f.Updates), 1), 1)
	s.UpdatesPerClientS = round(float64(f.Updates)/clientSeconds, 3)

	c := &r.Client
	var errors []float64
	var sent, ticks uint64
	for _, p := range m.players {
		pw := &p.watch
		errors = append(errors, pw.errors...)
		r.causes = r.causes.Add(pw.causes)
		c.OwnResponseTicks = max(c.OwnResponseTicks, median(pw.responses))
		sent, ticks = sent+pw.final.Session.DatagramsOut, ticks+pw.final.Ticks
		c.LongestReplay = max(c.LongestReplay, pw.final.LongestReplay)
		c.Pushes += pw.pushes
		if !pw.warm.Load() {
			continue
		}
		s.InputsMissing += pw.status.Inputs.Missing - pw.warmStatus.Inputs.Missing
		c.Corrections += pw.final.Corrections - pw.base.Corrections
		c.ResimulatedTicks += pw.final.Resimulated - pw.base.Resimulated
		c.InterpolationStalls += pw.final.Stalls - pw.base.Stalls
		if pw.aged > 0 {
			c.InterpolationDelayMS += pw.ageSum / pw.aged * 1000 / float64(o.bots())
		}
		if t := pw.status.Inputs.Ticks - pw.warmStatus.Inputs.Ticks; t > 0 {
			depth := float64(pw.status.Inputs.Depth-pw.warmStatus.Inputs.Depth) / float64(t)
			c.InputBufferTicks = max(c.InputBufferTicks, round(depth, 2))
		}
	}
	r.Causes = r.causes.Rows
	c.DatagramsPerTick = round(float64(sent)/max(float64(ticks), 1), 3)
	c.InterpolationDelayMS = round(c.InterpolationDelayMS, 1)
	c.P99Error, c.MaxError = round(percentile(errors, 0.99), 4), round(percentile(errors, 1), 4)
	return r
}

// percentile sorts values and returns the one at a share of them; 0 of none.
func percentile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(int(share*float64(len(values))), len(values)-1)]
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
