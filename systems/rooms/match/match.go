package match

import (
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Func decides which players get into which room. It is called once a second for each kind and schema with waiting players, by one
// goroutine at a time. It must not change its input, and must return the same groups for the same input.
type Func func(in Input) []Group

// Input has the waiting players and the open rooms of a kind.
type Input struct {
	// Kind is the name of the kind.
	Kind string
	// Schema is the schema of the players' clients, "" for clients that did not state one.
	Schema string
	// Capacity is the number of seats in a room of the kind.
	Capacity int
	// Tickets are the waiting parties, oldest first.
	Tickets []Ticket
	// Rooms are the open rooms of the kind that are not private, in the order of their creation.
	Rooms []Place
}

// Ticket is a complete party, or one player.
type Ticket struct {
	// ID identifies the ticket in groups. Later tickets have larger ids.
	ID uint64
	// Players are the members of the party, in the order in which they came.
	Players []rooms.Player
	// Properties are the properties of each player, such as a skill.
	Properties []rooms.Options
	// Options must be published by the room with equal values.
	Options rooms.Options
	// Age is how long the first member has waited.
	Age time.Duration
	// Refused are rooms that refuse a member, who is banned or already seated there.
	Refused []rooms.ID
}

// Mean returns the mean of a numeric property of the players who have it. ok is false if no player has it.
func (t *Ticket) Mean(property string) (mean float64, ok bool) {
	n := 0
	for _, p := range t.Properties {
		if x, is := p[property].(float64); is {
			mean += x
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return mean / float64(n), true
}

// Place is an open room.
type Place struct {
	Room    rooms.ID
	Free    int // seats
	Options rooms.Options
}

// Group is a set of tickets that get seats in one room, all or none.
type Group struct {
	// Tickets are the ids of the tickets.
	Tickets []uint64
	// Room is an open room, 0 for a new room.
	Room rooms.ID
	// Options are published by a new room. nil: those of the first ticket.
	Options rooms.Options
}
