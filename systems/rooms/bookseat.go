package rooms

import "time"

// seatState is the state of a seat in a [seatBook].
type seatState uint8

// The states of a seat.
const (
	seatFree     seatState = iota
	seatPromised           // a player is on the way
	seatEntering           // the handshake of its player was let in
	seatTaken              // its player is connected
	seatWaiting            // its player was connected, and is waited for
)

var seatStateNames = [...]string{"free", "promised", "entering", "taken", "waiting"}

// String names the state.
func (s seatState) String() string { return seatStateNames[s] }

// bookSeat is a seat in a [seatBook].
type bookSeat struct {
	// player and party are whose seat it is, 0 while it is free.
	player, party uint64
	// epoch is that of the newest promise of this seat. In the first room of an id it is 0 before the first promise.
	epoch uint32
	// client is the number of the player's client, connected or waited for. It is 0 before the client came.
	client uint32
	// since is when the player got the seat.
	since time.Time

	promised time.Time // until when a promise is open; zero: none is
	entering time.Time // until when a handshake may end well; zero: there is none
	asked    bool      // somebody came with the open promise
	here     bool      // connected
	waits    bool      // was connected, and is waited for
	leaving  bool      // was sent away, and is still connected
}

// state returns the state of the seat.
func (s *bookSeat) state() seatState {
	switch {
	case s.here:
		return seatTaken
	case !s.entering.IsZero():
		return seatEntering
	case s.waits:
		return seatWaiting
	case !s.promised.IsZero():
		return seatPromised
	}
	return seatFree
}
