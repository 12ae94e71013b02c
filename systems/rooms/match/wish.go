package match

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Why somebody does not wait, or no longer.
var (
	// ErrFull: as many wait as may.
	ErrFull = errors.New("match: too many players wait")
	// ErrParty: a party without a size, larger than a room, or whose members do not ask for the same.
	ErrParty = errors.New("match: the party does not fit together")
	// ErrSuperseded: the player has asked again, and the newer request gets the answer.
	ErrSuperseded = errors.New("match: the player has asked again")
	// ErrMatch is wrapped by the errors of [Queue.Run]: the game's Func returned groups that cannot be, or panicked.
	ErrMatch = errors.New("match: wrong groups")
)

// Wish is what one player waits for.
type Wish struct {
	// Kind is the kind of room. Members of a party ask for the same kind and options.
	Kind string
	// Schema is that of the client that the player plays with, as of rooms.SchemaOf; only those who have the same meet.
	// Default (""): any that rooms have.
	Schema string
	// Player is who it is; with a Party there are others to wait for.
	Player rooms.Player
	// Size is how many the party is, 1 to the capacity of the kind, the same for all its members. 0: 1, of who is in none.
	Size int
	// Options are what a room has to publish.
	Options rooms.Options
	// Properties are what the player is, for the Func.
	Properties rooms.Options
}

// clean is the wish with clean options and a size, or an error.
func (w Wish) clean(s Seater) (Wish, error) {
	capacity := s.Capacity(w.Kind, w.Schema)
	switch {
	case capacity > 0:
	case s.Capacity(w.Kind, "") > 0:
		return w, fmt.Errorf("%w: %s, %.40q", rooms.ErrSchema, w.Kind, w.Schema)
	default:
		return w, fmt.Errorf("%w: %.40q", rooms.ErrKind, w.Kind)
	}
	var err error
	if w.Options, err = w.Options.Clean(); err != nil {
		return w, err
	}
	if w.Properties, err = w.Properties.Clean(); err != nil {
		return w, err
	}
	if w.Size == 0 {
		w.Size = 1
	}
	switch {
	case w.Player.ID == 0 || len(w.Player.Data) > rooms.MaxData || len(w.Player.Carried) > rooms.MaxCarried:
		return w, fmt.Errorf("%w: id %d, data of %d bytes, %d carried", rooms.ErrPlayer, w.Player.ID, len(w.Player.Data), len(w.Player.Carried))
	case w.Size < 1 || w.Size > capacity:
		return w, fmt.Errorf("%w: a size of %d; a room of this kind has %d seats", ErrParty, w.Size, capacity)
	case w.Size > 1 && w.Player.Party == 0:
		return w, fmt.Errorf("%w: a size of %d, and no party", ErrParty, w.Size)
	}
	return w, nil
}

// Answer is what a player waited for.
type Answer struct {
	Admission rooms.Admission
	Err       error // of [Seater].Seat, or ErrSuperseded
}

// Wait is a request that waits. Its answer comes once, or never when it has left.
type Wait struct {
	answer chan Answer
	member *member
	player uint64 // in a Shared
}

// Answer is where the answer comes.
func (w *Wait) Answer() <-chan Answer { return w.answer }

// member is a player who waits.
type member struct {
	wish   Wish
	party  *party
	wait   *Wait     // the newest request
	since  time.Time // when it first asked
	paused time.Time // until when its place is kept for it, zero: it is here
}

// party is a ticket in the making.
type party struct {
	id      uint64
	key     partyKey
	size    int
	members []*member
	refused []rooms.ID
	claimed bool // it is being given seats
	over    bool
}

// partyKey is how the members of a party find each other.
type partyKey struct {
	pool
	party uint64
}

// pool are those who can play together.
type pool struct{ kind, schema string }

// whole reports whether everybody is here.
func (p *party) whole() bool {
	for _, m := range p.members {
		if !m.paused.IsZero() {
			return false
		}
	}
	return len(p.members) == p.size && !p.over && !p.claimed
}

// ticket is the party for a Func.
func (p *party) ticket(now time.Time) Ticket {
	t := Ticket{ID: p.id, Options: p.members[0].wish.Options, Refused: p.refused}
	for _, m := range p.members {
		t.Players = append(t.Players, m.wish.Player)
		t.Properties = append(t.Properties, m.wish.Properties)
		t.Age = max(t.Age, now.Sub(m.since))
	}
	return t
}
