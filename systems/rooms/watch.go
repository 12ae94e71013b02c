package rooms

import (
	"bytes"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

const (
	// overMost is how many more turns over the budget than within make a room slow.
	overMost = 5
	// smooth is the reciprocal of the weight of a turn in the average turn time.
	smooth = 8
)

// watch observes the turns of a room for other goroutines.
type watch struct {
	goroutine atomic.Uint64
	base      time.Time    // of began
	began     atomic.Int64 // start of the current turn, in nanoseconds since base plus one; 0: none
	running   atomic.Pointer[string]
	tick      atomic.Uint32
	took      atomic.Int64
	late      atomic.Int64
	slow      atomic.Bool
	stuck     atomic.Int64 // how long the turn has been stuck; 0: it is not

	// used by the room's goroutine only
	ticks bool // the current turn has ticks
	over  int

	restFrom time.Time
	rest     time.Duration // how long from restFrom on the room has no turn
}

// follow records which system of a schedule runs.
func (w *watch) follow(s *ecs.Schedule) {
	s.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		name := path[len(path)-1]
		return func(world *ecs.World) {
			outer := w.running.Swap(&name)
			run(world)
			w.running.Store(outer)
		}
	})
}

// system returns the system that runs, "" for none.
func (w *watch) system() string {
	if name := w.running.Load(); name != nil {
		return *name
	}
	return ""
}

// pace returns the published figures.
func (w *watch) pace(budget time.Duration) Pace {
	return Pace{w.tick.Load(), time.Duration(w.took.Load()), budget, time.Duration(w.late.Load()), w.slow.Load(), time.Duration(w.stuck.Load())}
}

// beginTurn notes the start of a turn.
func (w *watch) beginTurn(now time.Time) {
	w.running.Store(nil)
	w.ticks = false
	w.began.Store(int64(now.Sub(w.base)) + 1)
}

// noteTicks notes that the turn has ticks, and how late it is.
func (w *watch) noteTicks(late time.Duration) {
	w.ticks = true
	w.late.Store(int64(max(late, 0)))
}

// endTurn notes the end of a turn. A room whose turns repeatedly exceed their budget rests after each turn as long as the turn took, so
// that it uses at most half a processor.
func (w *watch) endTurn(r *Room, began, now time.Time) {
	w.began.Store(0)
	if w.stuck.Swap(0) != 0 {
		r.notify(Notice{Event: RoomUnstuck, Took: now.Sub(began)})
	}
	if !w.ticks {
		return
	}
	took := now.Sub(began)
	r.counter().addTurn(took, time.Duration(w.late.Load()) > r.tickInterval())
	w.took.Store(w.took.Load() + (int64(took)-w.took.Load())/smooth)
	if took > r.budget() {
		w.over = min(w.over+1, 2*overMost)
	} else {
		w.over = max(w.over-1, 0)
	}
	switch slow := w.slow.Load(); {
	case !slow && w.over >= overMost:
		w.slow.Store(true)
		r.notify(Notice{Event: RoomSlow, Took: took})
	case slow && w.over == 0:
		w.slow.Store(false)
		r.notify(Notice{Event: RoomFast, Took: took})
	}
	w.restFrom, w.rest = now, 0
	if w.slow.Load() {
		w.rest = took
	}
}

// budget returns how long a turn may take.
func (r *Room) budget() time.Duration {
	if r.kind.Budget > 0 {
		return r.kind.Budget
	}
	return r.tickInterval()
}

// tickInterval returns the time between two turns with ticks.
func (r *Room) tickInterval() time.Duration {
	c := r.game.Config()
	return time.Second * time.Duration(c.WakeEvery) / time.Duration(c.TickRate)
}

// checkStuck reports a room whose turn does not end, once, with its stack. Another goroutine than the room's calls it.
func (w *watch) checkStuck(r *Room, now time.Time) {
	began := w.began.Load()
	if began == 0 {
		return
	}
	took := now.Sub(w.base) - time.Duration(began-1)
	if took < r.server.config.Stuck || !w.stuck.CompareAndSwap(0, int64(took)) {
		if w.stuck.Load() != 0 {
			w.stuck.Store(int64(took))
		}
		return
	}
	if w.began.Load() != began {
		w.stuck.Store(0) // the turn has just ended
		return
	}
	r.notify(Notice{Event: RoomStuck, System: w.system(), Took: took, Stack: stack(w.goroutine.Load())})
}

// goroutine returns the number of the calling goroutine, as stacks name it.
func goroutine() uint64 {
	var b [64]byte
	n, _, _ := bytes.Cut(bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine ")), []byte(" "))
	id, _ := strconv.ParseUint(string(n), 10, 64)
	return id
}

// stack returns the stack of a goroutine, "" if it is not found. It stops the world for a moment, so call it rarely.
func stack(of uint64) string {
	b := make([]byte, 64<<10)
	n := runtime.Stack(b, true)
	for n == len(b) && n < 16<<20 {
		b = make([]byte, 2*n)
		n = runtime.Stack(b, true)
	}
	head := []byte("goroutine " + strconv.FormatUint(of, 10) + " ")
	for one := range bytes.SplitSeq(b[:n], []byte("\n\n")) {
		if bytes.HasPrefix(one, head) {
			return string(one)
		}
	}
	return ""
}
