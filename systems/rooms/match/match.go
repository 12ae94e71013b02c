package match

import (
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Func says who gets into which room. It is called once a second for each kind, and schema, for which somebody waits, by one goroutine
// at a time, and must not change what it is given. The same input has to give the same groups.
type Func func(in Input) []Group

// Input is who waits for a kind, and which rooms are open.
type Input struct {
	// Kind is the name of the kind.
	Kind string
	// Schema is that of the players' clients, "" of those who have said none.
	Schema string
	// Capacity is how many seats a room of that kind has.
	Capacity int
	// Tickets are who waits, whoever came first before others.
	Tickets []Ticket
	// Rooms are the rooms of that kind that are open to anybody, in the order of their creation.
	Rooms []Place
}

// Ticket is a party that waits, all of it, or one player.
type Ticket struct {
	// ID names the ticket in groups; those that came later have larger ones.
	ID uint64
	// Players are the party, in the order in which they came.
	Players []rooms.Player
	// Properties are what each of the players is, such as a skill.
	Properties []rooms.Options
	// Options are what a room has to publish, equal.
	Options rooms.Options
	// Age is how long the first of them waits.
	Age time.Duration
	// Refused are rooms that do not take one of them: banned there, or seated there already.
	Refused []rooms.ID
}

// Mean is the mean of a number among the properties, of those players who have it; ok is false where nobody has.
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

// Group are tickets that get seats in one room, all or none.
type Group struct {
	// Tickets are the ids of the tickets.
	Tickets []uint64
	// Room is an open room, 0 for a new one.
	Room rooms.ID
	// Options are what a new room publishes. nil: those that the first ticket asks for.
	Options rooms.Options
}
