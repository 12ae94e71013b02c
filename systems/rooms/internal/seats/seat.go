package seats

import "time"

// State is what is known of a seat.
type State uint8

// The states of a seat.
const (
	Free     State = iota
	Promised       // a player is on the way
	Entering       // the handshake of its player was let in
	Taken          // its player is connected
	Waiting        // its player was connected, and is waited for
)

var names = [...]string{"free", "promised", "entering", "taken", "waiting"}

// String names the state.
func (s State) String() string { return names[s] }

// Seat is one of a room.
type Seat struct {
	// Player and Party are whose it is; 0 of a free one.
	Player, Party uint64
	// Epoch is of the newest promise of this seat, 0 before the first.
	Epoch uint32
	// Client is the number of its player's client: connected, or waited for.
	Client uint32
	// Since is since when it is that player's.
	Since time.Time

	promised time.Time // until when a promise is open; zero: none is
	entering time.Time // until when a handshake may end well; zero: there is none
	asked    bool      // somebody came with the open promise
	here     bool      // connected
	waits    bool      // was connected, and is waited for
	leaving  bool      // was sent away, and is still connected
}

// State is what is known of the seat.
func (s *Seat) State() State {
	switch {
	case s.here:
		return Taken
	case !s.entering.IsZero():
		return Entering
	case s.waits:
		return Waiting
	case !s.promised.IsZero():
		return Promised
	}
	return Free
}
