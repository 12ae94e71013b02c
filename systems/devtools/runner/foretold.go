package runner

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// predictions is the number of stored predictions of positions.
const predictions = 1 << 13

// playerWatch measures one client. Fields used by both the server's and the client's goroutine are atomic or guarded
// by mu.
type playerWatch struct {
	warm atomic.Bool

	// predictions of the client, compared with the server's states
	mu        sync.Mutex
	pushed    bool    // pushed, and the client has not received the result
	pushes    uint64  // pushes that the client could detect
	predicted []place // predicted positions by sequence; nil if they are not compared
	errors    []float64
	newest    float64 // error of the latest comparison
	wrong     wrongTicks

	// the server's side: results of the client's inputs
	serverEntity ecs.Entity
	first        time.Time
	lastInput    uint32
	status       systems.ClientStatus
	warmStatus   systems.ClientStatus

	// client's side
	started      bool
	base, final  systems.ClientStats
	causes       reconcile.Causes
	done         bool
	ageSum, aged float64
	delays       delaySum

	// delay until inputs have a visible effect
	wanted    int
	pending   []want
	responses []int
	frames    int

	// figures about a server in another process
	joined         time.Time
	clock          float64 // minimum delay of states after their tick, in seconds since the start of the match
	depths, looked float64 // sum of waiting inputs on the server, and number of samples
}

// wrongTicks stores the ticks at which a pushed player was not where its client had predicted. A snapshot of such a
// tick lets the client detect the push.
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

// want is the expected effect on the own entity since a frame.
type want struct{ value, frame int }

func (w *playerWatch) init(o *Options) {
	w.errors = make([]float64, 0, samples(o))
	w.responses = make([]int, 0, samples(o))
	w.pending = make([]want, 0, 64)
	w.clock = math.Inf(1)
	if !o.apart && !o.thin {
		w.predicted = make([]place, predictions)
	}
}

// comparePosition compares the server's position after an input with the predicted one.
func (w *playerWatch) comparePosition(seq uint32, x, y float32, tick uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.predicted == nil || w.predicted[seq%predictions].seq != seq {
		return
	}
	p := w.predicted[seq%predictions]
	w.newest = math.Hypot(float64(x-p.x), float64(y-p.y))
	const noticeable = 0.18 // more than a step of 1/8 on some axis
	if w.pushed && w.newest > noticeable {
		w.wrong.add(tick)
	}
	if w.warm.Load() && len(w.errors) < cap(w.errors) {
		w.errors = append(w.errors, w.newest)
	}
}

// frame takes measurements after a client's step and frame.
func (w *playerWatch) frame(m *match, p *player, now time.Time) {
	if w.done {
		return
	}
	c := p.client
	w.frames++
	if m.o.apart {
		w.detectWarmup(m, c, now)
	}
	if p.game.Place != nil && w.predicted != nil && p.find(c.World(), &p.own) {
		if x, y, ok := p.game.Place(c.World(), p.own); ok {
			seq := c.Input()
			w.mu.Lock()
			w.predicted[seq%predictions] = place{seq, x, y}
			w.mu.Unlock()
		}
	}
	w.measureResponse(p)
	if c.ID() != 0 && !m.o.apart {
		m.watch.screens.Gathered(c, now)
		if w.warm.Load() {
			m.watch.screens.Drew(c, now)
		}
	}
	if !w.warm.Load() {
		return
	}
	if !w.started {
		w.started = true
		w.base = c.Stats()
	}
	w.countPush(c.ConfirmedTick())
	step := m.o.tickLength().Seconds()
	age := now.Sub(m.start).Seconds() - (c.DrawnTick()-1-m.first)*step
	if m.o.simulatesEverywhere() { // a server that waits for inputs is behind the clock
		age -= time.Duration(m.watch.behind.Load()).Seconds()
	}
	w.ageSum += age
	w.aged++
	w.delays.add(c.Stats().Delay)
}

// detectWarmup detects the end of the warm-up from the client's data, and measures the delay of states.
func (w *playerWatch) detectWarmup(m *match, c *systems.Client, now time.Time) {
	if w.joined.IsZero() && c.Connected() {
		w.joined = now
	}
	if !w.joined.IsZero() && now.Sub(w.joined) >= m.o.Warmup {
		w.warm.Store(true)
	}
	if tick := c.ServerTick(); tick > 0 {
		w.clock = min(w.clock, now.Sub(m.start).Seconds()-float64(tick-1)*m.o.tickLength().Seconds())
	}
}

// recordWaitingInputs records how many inputs wait on a remote server.
func (w *playerWatch) recordWaitingInputs(inputs int) {
	if w.warm.Load() {
		w.depths += float64(inputs)
		w.looked++
	}
}

// meanAge returns the mean age of others as drawn by the client, in seconds. For a server with another clock, the fastest
// states are assumed to take half of the round trip.
func (w *playerWatch) meanAge() float64 {
	switch {
	case w.aged == 0:
		return 0
	case w.joined.IsZero():
		return w.ageSum / w.aged
	case math.IsInf(w.clock, 1):
		return 0
	}
	return w.ageSum/w.aged - w.clock + w.final.Session.RTT.Seconds()/2
}

// push records that the server alone has moved the player.
func (w *playerWatch) push() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pushed = true
	w.wrong.clear()
}

// countPush counts a push when the client has received a state that shows it.
func (w *playerWatch) countPush(tick uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pushed && w.wrong.has(tick) {
		w.pushed = false
		w.wrong.clear()
		w.pushes++
	}
}

// measureResponse counts the frames from a change of the keys to its effect.
func (w *playerWatch) measureResponse(p *player) {
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

// end stores a client's final figures, before the closing phase.
func (p *player) end() {
	p.watch.final, p.watch.causes = p.client.Stats(), p.client.Causes()
	p.watch.done = true
}
