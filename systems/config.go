package systems

import (
	"fmt"
)

// Preset is a netcode model: a choice of policies that go together.
type Preset uint8

// LocalSync is server-authoritative with local synchronization: a client
// predicts its own entities and reconciles them with the server, others are
// shown as the server confirms them, and nobody re-simulates anybody else.
const LocalSync Preset = 0

// String is the preset's name as flags spell it.
func (p Preset) String() string {
	if p == LocalSync {
		return "LocalSync"
	}
	return fmt.Sprintf("Preset(%d)", uint8(p))
}

// Timing says when the server consumes the inputs of a client.
type Timing uint8

const (
	// Buffered holds inputs in a short queue, as deep as the link's jitter and
	// loss ask for, and consumes one a tick. It costs that depth in delay for
	// others; the client's own entity answers at once all the same.
	Buffered Timing = iota
	// Arrival consumes inputs in the tick in which they arrive, and repeats
	// what is held when none did. It is the quickest for others and mispredicts
	// whenever the link jitters.
	Arrival
)

// String is the timing's name as flags spell it.
func (t Timing) String() string {
	switch t {
	case Buffered:
		return "buffered"
	case Arrival:
		return "arrival"
	}
	return fmt.Sprintf("Timing(%d)", uint8(t))
}

// LeavePolicy says what becomes of the entities of a client that left.
type LeavePolicy uint8

const (
	// DespawnOwned removes them.
	DespawnOwned LeavePolicy = iota
	// KeepOwned leaves them in the world with a neutral input, still owned by
	// the client number that is gone.
	KeepOwned
)
