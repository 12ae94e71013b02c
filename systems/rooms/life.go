package rooms

import (
	"time"

	"github.com/tactusgo/tactus/systems"
)

// State is where a room is in its life.
type State uint8

// The states, in their order. Locked and Running may be left again: see [Room.Lock] and [Room.Begin].
const (
	// Created: it is being made, and nobody can have a seat.
	Created State = iota
	// Open: players can get seats.
	Open
	// Running: the game says that it has begun; players can get seats all the same.
	Running
	// Locked: nobody new gets a seat.
	Locked
	// Draining: nobody new gets a seat, ever, and the room ends when the last has left.
	Draining
	// Ended: it is no more.
	Ended
)

var stateNames = [...]string{"created", "open", "running", "locked", "draining", "ended"}

// String names the state.
func (s State) String() string { return stateNames[s] }

// MarshalText implements [encoding.TextMarshaler] by String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *State) UnmarshalText(b []byte) error {
	for i, name := range stateNames {
		if name == string(b) {
			*s = State(i)
			return nil
		}
	}
	return errState
}

// life is what is to become of a room. It is under the room's lock.
type life struct {
	made     bool
	begun    bool
	locked   bool
	draining bool
	ended    bool
	ending   error // not nil: it ends with its next turn
	reason   ending
	empty    time.Time // since when nobody has a seat; zero: somebody has
	options  Options
	tasks    []task
	own      *owned // once for all
}

// state is the state of a room.
func (l *life) state() State {
	switch {
	case l.ended || l.ending != nil:
		return Ended
	case !l.made:
		return Created
	case l.draining:
		return Draining
	case l.locked:
		return Locked
	case l.begun:
		return Running
	}
	return Open
}

// admits is why nobody new gets a seat, nil where they do.
func (l *life) admits() error {
	switch l.state() {
	case Ended, Created:
		return ErrEnded
	case Draining:
		return ErrDraining
	case Locked:
		return ErrLocked
	}
	if l.own.orphaned() {
		return ErrOrphaned
	}
	return nil
}

// drain drains r, whose life it is, and makes its game hear of it, once.
func (l *life) drain(r *Room) {
	if told := r.kind.Draining; told != nil && !l.draining && !l.ended {
		l.tasks = append(l.tasks, func(*systems.Server) { told(r) })
	}
	l.draining = true
}

// over is why a room ends by itself, nil where it goes on.
func (l *life) over(now time.Time, k *Kind) error {
	switch {
	case l.ending != nil:
		return l.ending
	case l.empty.IsZero():
		return nil
	case l.draining:
		return ErrDrained
	case k.Linger >= 0 && now.Sub(l.empty) >= k.Linger:
		return ErrEmpty
	}
	return nil
}
