package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// ticket is a waiting player, as its process lists the player to the process that matches. A process changes Since for another
// ticket of the player.
type ticket struct {
	Since time.Time `json:"since"`
	// Asked is when the player last asked. The process that the player asked last has the ticket.
	Asked time.Time `json:"asked"`
	// Paused means that the player must ask again and has not done so yet.
	Paused bool `json:"paused,omitempty"`
	// Room is the room in which the player has a seat. Its process is fetching the token.
	Room       rooms.ID      `json:"room,omitempty"`
	Kind       string        `json:"kind"`
	Schema     string        `json:"schema,omitempty"`
	Size       int           `json:"size"`
	Options    rooms.Options `json:"options,omitempty"`
	Properties rooms.Options `json:"properties,omitempty"`
	Player     uint64        `json:"player,string"`
	Party      uint64        `json:"party,omitempty,string"`
	Data       []byte        `json:"data,omitempty"`
}

// wish returns the player's wish. Carried data stays at the player's process.
func (t *ticket) wish() match.Wish {
	return match.Wish{
		Kind: t.Kind, Schema: t.Schema, Size: t.Size, Options: t.Options, Properties: t.Properties,
		Player: rooms.Player{ID: t.Player, Party: t.Party, Data: t.Data},
	}
}

// listing is the request that a process sends to the process that matches: all its players. T is a ticket, or an encoded one.
type listing[T any] struct {
	Process string `json:"process"` // the name of its [SharedQueue]
	// Number rises with each list. A request that arrives after one of a later list is ignored.
	Number uint64 `json:"number"`
	// More means that another request continues the list.
	More    bool `json:"more,omitempty"`
	Tickets []T  `json:"tickets"`
}

// results is the answer to a listing. It repeats a result until a list shows that the process knows it.
type results struct {
	Waiting int      `json:"waiting"` // players in the fleet
	Players []result `json:"players,omitempty"`
}

// result is the result of a player: a room, or the name of an error.
type result struct {
	Player  uint64    `json:"player,string"`
	Asked   time.Time `json:"asked"`
	Room    rooms.ID  `json:"room,omitempty"`
	Refused string    `json:"refused,omitempty"`
}

// errListing is wrapped by errors about invalid listings.
var errListing = errors.New("fleet: not a list of waiting players")

// parseListing parses a listing. match.Queue.Enter checks the wishes.
func parseListing(b []byte) (l listing[ticket], err error) {
	if err := json.Unmarshal(b, &l); err != nil {
		return l, fmt.Errorf("%w: %w", errListing, err)
	}
	if l.Process == "" || len(l.Process) > maxName {
		return l, fmt.Errorf("%w: of process %.40q", errListing, l.Process)
	}
	for _, t := range l.Tickets {
		if t.Player == 0 {
			return l, fmt.Errorf("%w: a ticket without a player", errListing)
		}
	}
	return l, nil
}

// queueRefusals are the errors that end a player's wait, by name. Other errors are named unavailable.
var queueRefusals = []struct {
	name string
	err  error
}{
	{"most", match.ErrFull}, {"party", match.ErrParty}, {"full", rooms.ErrFull}, {"options", rooms.ErrOptions}, {"player", rooms.ErrPlayer},
	{"kind", rooms.ErrKind}, {"schema", rooms.ErrSchema}, {"draining", rooms.ErrDraining}, {"seated", rooms.ErrSeated},
	{"superseded", match.ErrSuperseded},
}

// queueRefusal returns the name of an error.
func queueRefusal(err error) string {
	for _, x := range queueRefusals {
		if errors.Is(err, x.err) {
			return x.name
		}
	}
	return "unavailable"
}

// queueError returns the error with a name.
func queueError(name string) error {
	for _, x := range queueRefusals {
		if x.name == name {
			return fmt.Errorf("%w, the process that matches answered", x.err)
		}
	}
	return &rooms.Unavailable{Again: time.Second, Err: errors.New("fleet: the process that matches could not get a seat")}
}
