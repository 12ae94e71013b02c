package rooms

import "time"

// seatState is the state of a seat in a [seatBook].
type seatState uint8

// The states of a seat.
const (
	seatFree     seatState = iota
	seatPromised           // the player has not arrived
	seatEntering           // the player's handshake was admitted
	seatTaken              // the player is connected
	seatWaiting            // the player's session timed out, and the room waits for it
)

var seatStateNames = [...]string{"free", "promised", "entering", "taken", "waiting"}

// String returns the name of the state.
func (s seatState) String() string { return seatStateNames[s] }

// bookSeat is a seat in a [seatBook].
type bookSeat struct {
	// player and party identify the holder of the seat; 0 while the seat is free.
	player, party uint64
	// epoch is the epoch of the newest promise. In the first room with an id it is 0 before the first promise.
	epoch uint32
	// client is the number of the player's client, or 0 before its first connection.
	client uint32
	// since is when the player got the seat.
	since time.Time

	promised time.Time // end of the open promise; zero: no promise
	entering time.Time // deadline of the handshake; zero: no handshake
	asked    bool      // a client presented the open promise
	here     bool      // connected
	waits    bool      // disconnected, and the room waits
	leaving  bool      // removed, but still connected
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
