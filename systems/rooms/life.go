package rooms

import (
	"time"

	"github.com/tactusgo/tactus/systems"
)

// State is the state of a room.
type State uint8

// The states, in their order. Locked and Running may be left again: see [Room.Lock] and [Room.Begin].
const (
	// Created: the room is being created, and gives no seats.
	Created State = iota
	// Open: players can get seats.
	Open
	// Running: the game has begun; players can still get seats.
	Running
	// Locked: new players get no seats.
	Locked
	// Draining: new players get no seats, and the room ends when the last player has left.
	Draining
	// Ended: the room has ended.
	Ended
)

var stateNames = [...]string{"created", "open", "running", "locked", "draining", "ended"}

// String returns the name of the state.
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

// life has the state of a room. The room's lock protects it.
type life struct {
	made     bool
	begun    bool
	locked   bool
	draining bool
	ended    bool
	ending   error // not nil: the room ends with its next turn
	reason   ending
	empty    time.Time // when the room became empty; zero: it is not
	options  Options
	tasks    []task
}

// state returns the state of the room.
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

// admits returns an error if new players get no seats.
func (l *life) admits() error {
	switch l.state() {
	case Ended, Created:
		return ErrEnded
	case Draining:
		return ErrDraining
	case Locked:
		return ErrLocked
	}
	return nil
}

// drain drains the room r of this life, and calls Hooks.Draining once.
func (l *life) drain(r *Room) {
	if told := r.kind.Draining; told != nil && !l.draining && !l.ended {
		l.tasks = append(l.tasks, func(*systems.Server) { told(r) })
	}
	l.draining = true
}

// over returns the reason why the room ends now, nil if it continues.
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
