package rooms

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// host is a room to its own goroutine.
type host Room

// ErrPanic is wrapped by why a room has ended whose game panicked.
var ErrPanic = errors.New("rooms: the game panicked")

// guard runs what is the game's, or calls it. A panic there, on the room's goroutine or its workers, is the end of this
// room alone: here, at the top of the goroutine, is the only place that recovers.
func (r *host) guard(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, v)
			r.tell(Notice{Event: RoomFailed, System: r.watch.system(), Err: err, Stack: string(debug.Stack())})
		}
	}()
	f()
	return nil
}

// run is the room's goroutine, in real time.
func (r *host) run(ctx context.Context) {
	r.watch.goroutine.Store(goroutine())
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			(*Room)(r).finish(ErrClosed, netsys.ReasonServerClosing)
		case <-t.C:
		case <-r.wake:
		}
		if !r.turn(r.server.config.Now()) {
			return
		}
		t.Reset(r.next().Sub(r.server.config.Now()))
	}
}

// next is when the room's next turn is due. With the floor, or on the room's goroutine.
func (r *host) next() time.Time {
	at := r.game.Next()
	if rest := r.watch.rest; rest.After(at) {
		return rest
	}
	return at
}

// turn does what is due, and reports whether there is more to come.
func (r *host) turn(now time.Time) (goes bool) {
	r.floor <- struct{}{}
	defer func() { <-r.floor }()
	if (*Room)(r).over() {
		return false
	}
	r.watch.begin(now)
	err := r.guard(func() { r.step(now) })
	r.watch.end(r, now, r.server.config.Now())
	if err != nil {
		(*Room)(r).finish(err, ReasonFailed)
	}
	r.mu.Lock()
	why, reason := r.held.life.over(now, r.kind), r.held.life.reason
	if why != nil {
		r.held.life.ended, r.held.life.tasks = true, nil // nobody gets a seat from here on
	}
	r.mu.Unlock()
	if why != nil {
		r.end(now, why, reason)
		return false
	}
	return true
}

// step does what was told, runs the ticks that are due, and looks after the seats.
func (r *host) step(now time.Time) {
	r.mu.Lock()
	tasks := r.held.life.tasks
	r.held.life.tasks = nil
	r.mu.Unlock()
	for _, f := range tasks {
		f(r.game)
	}
	if now.Before(r.next()) {
		(*door)(r).settle(now)
		return
	}
	r.watch.due(now.Sub(r.game.Next()))
	before := r.game.Tick()
	r.game.Advance(now)
	(*Room)(r).counter().Ticks(r.game.Tick() - before)
	r.watch.tick.Store(r.game.Tick())
	(*door)(r).settle(now)
	if err := r.game.Err(); err != nil {
		(*Room)(r).finish(err, ReasonEnded)
	}
}

// end tells the clients, closes the room's server and is the last of it.
func (r *host) end(now time.Time, why error, reason ending) {
	if reason == 0 {
		reason = ReasonEnded
	}
	told := r.guard(func() {
		for _, c := range r.clients.here {
			if c.session != nil {
				c.session.Close(now, reason)
			}
		}
	})
	closed := r.guard(func() { _ = r.game.Close(now) }) // of a port, whose wires stay open
	if told != nil || closed != nil {
		_ = r.port.Close()
	}
	close(r.gone)
	_ = r.guard((*door)(r).clear)
	r.tell(Notice{Event: RoomEnded, Err: why})
	(*inside)(r.server).forget((*Room)(r))
	if r.kind.Ended != nil {
		_ = r.guard(func() { r.kind.Ended((*Room)(r), why) })
	}
}

// due reports whether the room has something to do.
func (r *host) due(now time.Time) bool {
	select {
	case <-r.wake:
		return true
	default:
		return !now.Before(r.next())
	}
}

// tell logs a notice and tells it.
func (r *host) tell(n Notice) {
	n.At, n.Room, n.Kind, n.Tick = r.server.config.Now(), r.about.id, r.kind.Name, r.watch.tick.Load()
	level := slog.LevelInfo
	if n.Event.loud() {
		level = slog.LevelWarn
	}
	args := []any{"kind", n.Kind, "room", n.Room, "tick", n.Tick}
	if n.System != "" {
		args = append(args, "system", n.System)
	}
	if n.Took != 0 {
		args = append(args, "took", n.Took)
	}
	if n.Player != 0 {
		args = append(args, "player", n.Player)
	}
	if n.Err != nil {
		args = append(args, "reason", n.Err)
	}
	if n.Stack != "" {
		args = append(args, "stack", n.Stack)
	}
	(*Room)(r).counter().Event(string(n.Event))
	r.server.config.Logger.Log(context.Background(), level, "room "+string(n.Event), args...)
	r.server.config.Told(n)
}
