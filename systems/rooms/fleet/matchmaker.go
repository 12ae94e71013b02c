package fleet

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

const (
	// ticketTTL is how long the players of a silent process stay in the queue.
	ticketTTL = 12 * time.Second
	// resultTTL is how long a player's process may fetch the token of a matched player. A result for a silent process stays as
	// long, so that no member of a matched party is matched again.
	resultTTL = 30 * time.Second
)

// matchmaker is the queue of the process that matches: the players whom all processes have listed. One goroutine at a time may
// call its methods.
type matchmaker struct {
	queue   *match.Queue
	players map[uint64]*waiting
	numbers map[string]uint64 // of the newest lists, by process
}

// waiting is a listed player.
type waiting struct {
	ticket
	process string
	number  uint64 // of the newest list with the player
	listed  time.Time
	age     time.Time   // since when the player waits, at any process
	wait    *match.Wait // in the queue; nil: not there
	pauses  bool        // in the queue
	room    rooms.ID    // the result; 0: none
	refused string      // the result; "": none
}

func newMatchmaker(c match.Config, s match.Seater) *matchmaker {
	return &matchmaker{match.New(c, s), make(map[uint64]*waiting), make(map[string]uint64)}
}

// done reports whether a player was seated or refused.
func (w *waiting) done() bool { return w.room != 0 || w.refused != "" }

// accept applies a listing and returns the results of its players. ok is false for a listing that arrives after a later one.
func (m *matchmaker) accept(now time.Time, l *listing[ticket]) (r results, ok bool) {
	if l.Number < m.numbers[l.Process] {
		return r, false
	}
	m.numbers[l.Process] = l.Number
	for _, t := range l.Tickets {
		w := m.enter(l.Process, t)
		if w == nil {
			r.Players = append(r.Players, result{Player: t.Player, Asked: t.Asked, Refused: queueRefusal(match.ErrSuperseded)})
			continue
		}
		w.listed, w.number = now, l.Number
		if w.done() && t.Room == 0 {
			r.Players = append(r.Players, result{t.Player, t.Asked, w.room, w.refused})
		}
	}
	for _, w := range m.players {
		if w.process == l.Process && w.number != l.Number && !l.More {
			m.remove(w)
		} else if !w.done() {
			r.Waiting++
		}
	}
	return r, true
}

// enter adds a ticket, or replaces the earlier one of the player. A player who asks another process for the same keeps its place
// and result. It returns nil if the player has asked another process since.
func (m *matchmaker) enter(process string, t ticket) *waiting {
	w := &waiting{ticket: t, process: process, age: t.Since, room: t.Room}
	if old := m.players[t.Player]; old != nil {
		moves := old.process != process
		switch {
		case moves && cmp.Or(t.Asked.Compare(old.Asked), cmp.Compare(process, old.process)) < 0:
			return nil
		case old.wish().Same(t.wish()) && (moves || old.Since.Equal(t.Since)):
			w.age, w.wait, w.pauses, w.room, w.refused = old.age, old.wait, old.pauses, cmp.Or(t.Room, old.room), old.refused
		default:
			m.remove(old)
		}
	}
	m.players[t.Player] = w
	return w
}

// remove removes a player.
func (m *matchmaker) remove(w *waiting) {
	delete(m.players, w.Player)
	if w.wait != nil {
		m.queue.Leave(w.wait)
	}
}

// expire removes the players of silent processes.
func (m *matchmaker) expire(now time.Time) {
	for _, w := range m.players {
		if silent := now.Sub(w.listed); silent > resultTTL || silent > ticketTTL && !w.done() {
			m.remove(w)
		}
	}
}

// prepare brings the queue up to date before it runs.
func (m *matchmaker) prepare(now time.Time) {
	for _, id := range slices.Sorted(maps.Keys(m.players)) {
		w := m.players[id]
		if w.done() {
			continue
		}
		if w.wait == nil || w.pauses && !w.Paused {
			wait, err := m.queue.Enter(w.age, w.wish())
			switch {
			case err == nil:
				w.wait = wait
			case errors.Is(err, rooms.ErrKind) || errors.Is(err, rooms.ErrSchema):
				continue // the player's process has checked it
			default:
				w.wait, w.refused = nil, queueRefusal(err)
				continue
			}
		}
		if w.pauses = w.Paused; w.pauses {
			m.queue.Pause(now, w.wait)
		}
	}
}

// collect notes the results of the queue.
func (m *matchmaker) collect() {
	for _, w := range m.players {
		if w.wait == nil {
			continue
		}
		select {
		case a := <-w.wait.Answer():
			w.wait = nil
			if a.Err != nil {
				w.refused = queueRefusal(a.Err)
			} else {
				w.room = a.Admission.Seat.Room
			}
		default:
		}
	}
}
