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

// ErrPanic is wrapped by the error with which a room ends after its game panicked.
var ErrPanic = errors.New("rooms: the game panicked")

// runGuarded calls f, which runs code of the game. A panic in f, on the room's goroutine or its workers, ends this room
// alone: runGuarded notifies the operator and returns an error that wraps ErrPanic. Nothing else recovers.
func (r *Room) runGuarded(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, v)
			r.notify(Notice{Event: RoomFailed, System: r.watch.system(), Err: err, Stack: string(debug.Stack())})
		}
	}()
	f()
	return nil
}

// run runs the room's turns in real time until the room has ended. It is the room's goroutine.
func (r *Room) run(ctx context.Context) {
	r.watch.goroutine.Store(goroutine())
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			r.finish(ErrClosed, netsys.ReasonServerClosing)
		case <-t.C:
		case <-r.wake:
		}
		if !r.runTurn(r.server.config.Now()) {
			return
		}
		now := r.server.config.Now()
		t.Reset(r.nextTurn(now).Sub(now))
	}
}

// nextTurn returns when the room's next turn is due. A clock that was set back is no reason to wait: the turn is due at now, and the
// room goes on from there. The caller holds the floor or is the room's goroutine.
func (r *Room) nextTurn(now time.Time) time.Time {
	at := r.game.Next()
	if at.Sub(now) > 2*r.tickInterval() {
		return now
	}
	if w := &r.watch; w.rest > 0 && !now.Before(w.restFrom) {
		if rest := w.restFrom.Add(w.rest); rest.After(at) {
			return rest
		}
	}
	return at
}

// runTurn does what is due at now, and reports whether the room continues.
func (r *Room) runTurn(now time.Time) (goes bool) {
	r.floor <- struct{}{}
	defer func() { <-r.floor }()
	if r.over() {
		return false
	}
	r.watch.beginTurn(now)
	err := r.runGuarded(func() {
		r.runDue(now)
		r.saveIfDue(now)
	})
	r.watch.endTurn(r, now, r.server.config.Now())
	if err != nil {
		r.finish(err, ReasonFailed)
	}
	r.mu.Lock()
	why, reason := r.held.life.over(now, r.kind), r.held.life.reason
	if why != nil {
		r.held.life.ended, r.held.life.tasks = true, nil // nobody gets a seat from here on
	}
	r.mu.Unlock()
	if why != nil {
		r.close(now, why, reason)
		return false
	}
	return true
}

// runDue runs the tasks of [Room.Tell] and the ticks that are due, and brings the seats up to date.
func (r *Room) runDue(now time.Time) {
	r.mu.Lock()
	tasks := r.held.life.tasks
	r.held.life.tasks = nil
	r.mu.Unlock()
	for _, f := range tasks {
		f(r.game)
	}
	defer r.endIfMoved(now)
	if now.Before(r.nextTurn(now)) {
		r.reconcileSeats(now)
		return
	}
	r.watch.noteTicks(now.Sub(r.game.Next()))
	before := r.game.Tick()
	r.game.Advance(now)
	r.counter().addTicks(r.game.Tick() - before)
	r.watch.tick.Store(r.game.Tick())
	r.reconcileSeats(now)
	if err := r.game.Err(); err != nil {
		r.finish(err, ReasonEnded)
	}
}

// close ends the clients' sessions, closes the room's server, frees all seats and takes the room off the server's list.
func (r *Room) close(now time.Time, why error, reason ending) {
	if reason == 0 {
		reason = ReasonEnded
	}
	_ = r.runGuarded(func() { r.lastSave(why, reason) })
	told := r.runGuarded(func() {
		for _, c := range r.clients.here {
			if c.session != nil {
				c.session.Close(now, reason)
			}
		}
	})
	closed := r.runGuarded(func() { _ = r.game.Close(now) }) // of a port, whose wires stay open
	if told != nil || closed != nil {
		_ = r.port.Close()
	}
	close(r.gone)
	_ = r.runGuarded(r.freeAllSeats)
	r.notify(Notice{Event: RoomEnded, Err: why})
	r.server.removeRoom(r)
	if r.kind.Ended != nil {
		_ = r.runGuarded(func() { r.kind.Ended(r, why) })
	}
}

// isDue reports whether the room has something to do at now.
func (r *Room) isDue(now time.Time) bool {
	select {
	case <-r.wake:
		return true
	default:
		return !now.Before(r.nextTurn(now))
	}
}

// notify logs a notice, counts it and passes it to Config.Told.
func (r *Room) notify(n Notice) {
	n.At, n.Room, n.Kind, n.Tick = r.server.config.Now(), r.about.id, r.kind.Name, r.watch.tick.Load()
	level := slog.LevelInfo
	if n.loud() {
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
	r.counter().addEvent(string(n.Event))
	r.server.config.Logger.Log(context.Background(), level, "room "+string(n.Event), args...)
	r.server.config.Told(n)
}
