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
	// overMost is how many turns over its budget, more than those within, make a room slow.
	overMost = 5
	// smooth is the weight of a turn in what turns take.
	smooth = 8
)

// watch is what is seen of a room's turns from outside.
type watch struct {
	goroutine atomic.Uint64
	began     atomic.Int64 // of the turn at hand, in nanoseconds since 1970; 0: none
	running   atomic.Pointer[string]
	tick      atomic.Uint32
	took      atomic.Int64
	late      atomic.Int64
	slow      atomic.Bool
	stuck     atomic.Int64 // for how long; 0: it is not

	// of the room's goroutine
	ticks bool // the turn at hand has some
	over  int
	rest  time.Time
}

// follow makes a schedule say which system runs.
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

// system is which system runs, "" for none.
func (w *watch) system() string {
	if name := w.running.Load(); name != nil {
		return *name
	}
	return ""
}

// pace is what is published of it.
func (w *watch) pace(budget time.Duration) Pace {
	return Pace{w.tick.Load(), time.Duration(w.took.Load()), budget, time.Duration(w.late.Load()), w.slow.Load(), time.Duration(w.stuck.Load())}
}

// begin begins a turn.
func (w *watch) begin(now time.Time) {
	w.running.Store(nil)
	w.ticks = false
	w.began.Store(now.UnixNano())
}

// due says that the turn has ticks, and by how much it is late.
func (w *watch) due(late time.Duration) {
	w.ticks = true
	w.late.Store(int64(max(late, 0)))
}

// end ends a turn: a room whose turns take longer than their budget, again and again, rests after each as long as it has
// taken, so that it has half a processor at most.
func (w *watch) end(r *Room, began, now time.Time) {
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
	w.rest = time.Time{}
	if w.slow.Load() {
		w.rest = now.Add(took)
	}
}

// budget is how long a turn may take.
func (r *Room) budget() time.Duration {
	if r.kind.Budget > 0 {
		return r.kind.Budget
	}
	return r.tickInterval()
}

// between is the time between two turns with ticks.
func (r *Room) tickInterval() time.Duration {
	c := r.game.Config()
	return time.Second * time.Duration(c.WakeEvery) / time.Duration(c.TickRate)
}

// look looks at a room from outside: one that does not come to the end of its turn is told of, once, with its stack.
func (w *watch) look(r *Room, now time.Time) {
	began := w.began.Load()
	if began == 0 {
		return
	}
	took := now.Sub(time.Unix(0, began))
	if took < r.server.config.Stuck || !w.stuck.CompareAndSwap(0, int64(took)) {
		if w.stuck.Load() != 0 {
			w.stuck.Store(int64(took))
		}
		return
	}
	if w.began.Load() != began {
		w.stuck.Store(0) // it has just ended
		return
	}
	r.notify(Notice{Event: RoomStuck, System: w.system(), Took: took, Stack: stack(w.goroutine.Load())})
}

// goroutine is the number of the calling goroutine, as stacks name it.
func goroutine() uint64 {
	var b [64]byte
	n, _, _ := bytes.Cut(bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine ")), []byte(" "))
	id, _ := strconv.ParseUint(string(n), 10, 64)
	return id
}

// stack is that of a goroutine, "" where it is not found. It stops the world for a moment, so it is for rare occasions.
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
