package match

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Reasons why a player does not wait, or no longer.
var (
	// ErrFull: the queue is full.
	ErrFull = errors.New("match: too many players wait")
	// ErrParty: the party has no size, is larger than a room, or its members ask for different rooms.
	ErrParty = errors.New("match: the party does not fit together")
	// ErrSuperseded: the player has asked again, and the newer request gets the answer.
	ErrSuperseded = errors.New("match: the player has asked again")
	// ErrMatch is wrapped by the errors of [Queue.Run]: the game's Func returned invalid groups, or panicked.
	ErrMatch = errors.New("match: invalid groups")
)

// Wish is the request of one player.
type Wish struct {
	// Kind is the kind of room. Members of a party ask for the same kind and options.
	Kind string
	// Schema is the rooms.SchemaOf of the player's client. Only players with the same schema meet. Default (""): any.
	Schema string
	// Player is the player, with the Party of the others to wait for.
	Player rooms.Player
	// Size is the size of the party, 1 to the capacity of the kind, the same for all members. 0: 1, without a party.
	Size int
	// Options must be published by the room.
	Options rooms.Options
	// Properties are the properties of the player, for the Func.
	Properties rooms.Options
}

// Clean returns the wish with clean options and a size, or an error.
func (w Wish) Clean(s Seater) (Wish, error) {
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

// Answer is the answer to a request.
type Answer struct {
	Admission rooms.Admission
	Err       error // of [Seater].Seat, or ErrSuperseded
}

// Wait is a request that waits. It is answered once, or never if its player has left.
type Wait struct {
	answer chan Answer
	member *member // in a Queue
	player uint64
}

// NewWait returns a request of a player without an answer.
func NewWait(player uint64) *Wait { return &Wait{answer: make(chan Answer, 1), player: player} }

// Player returns the id of the player who waits.
func (w *Wait) Player() uint64 { return w.player }

// Answer returns the channel that receives the answer.
func (w *Wait) Answer() <-chan Answer { return w.answer }

// Reply answers the request. Call it once.
func (w *Wait) Reply(a Answer) { w.answer <- a }

// member is a waiting player.
type member struct {
	wish   Wish
	party  *party
	wait   *Wait     // the newest request
	since  time.Time // when it first asked
	paused time.Time // its place is kept until then; zero: it was not told to ask again
}

// party is a ticket that may be incomplete.
type party struct {
	id      uint64
	key     partyKey
	size    int
	members []*member
	refused []rooms.ID
	claimed bool // it is being given seats
	over    bool
}

// partyKey identifies a party.
type partyKey struct {
	pool
	party uint64
}

// pool identifies the players who can play together.
type pool struct{ kind, schema string }

// whole reports whether all members wait.
func (p *party) whole() bool {
	for _, m := range p.members {
		if !m.paused.IsZero() {
			return false
		}
	}
	return len(p.members) == p.size && !p.over && !p.claimed
}

// ticket returns the party for a Func.
func (p *party) ticket(now time.Time) Ticket {
	t := Ticket{ID: p.id, Options: p.members[0].wish.Options, Refused: p.refused}
	for _, m := range p.members {
		t.Players = append(t.Players, m.wish.Player)
		t.Properties = append(t.Properties, m.wish.Properties)
		t.Age = max(t.Age, now.Sub(m.since))
	}
	return t
}
