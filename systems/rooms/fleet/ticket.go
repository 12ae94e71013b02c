package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// queueKeys returns the keys of a shared queue's records. Its value is the fleet's fingerprint after a dot, so that
// processes with another key have another queue.
type queueKeys string

func (k queueKeys) matcher() string { return "matcher" + string(k) } // claim of the matching process
func (k queueKeys) tickets() string { return "queue" + string(k) + "." }
func (k queueKeys) results() string { return "matched" + string(k) + "." }

// ticket returns the key of a waiting player's ticket.
func (k queueKeys) ticket(player uint64) string { return k.tickets() + rooms.ID(player).String() }

// result returns the key of the n-th result of a process.
func (k queueKeys) result(holder string, n uint64) string {
	return k.results() + holder + "-" + strconv.FormatUint(n, 36)
}

const (
	// ticketLease is the lease of a ticket: how long a player of a dead process stays in the queue. ticketRenewal is the
	// interval of its renewal.
	ticketLease, ticketRenewal = 12 * time.Second, 4 * time.Second
	// resultLease is how long processes have to fetch the seats of their matched players. It is longer than ticketLease, so
	// that no member of a matched party is matched again.
	resultLease = 30 * time.Second
	// resultTimeout is how long the matching process tries to write a result.
	resultTimeout = 5 * time.Second
	// maxInResult is the largest number of players in a result, so that the record fits into the directory.
	maxInResult = 512
)

// errTicket is wrapped by errors about invalid records of the queue.
var errTicket = errors.New("fleet: not a record of the queue")

// ticket is the record of a waiting player. A player's ticket is the same while Since is the same. The ticket moves to the
// process that the player asked last.
type ticket struct {
	// Holder is the name of the [SharedQueue] at which the player waits.
	Holder string    `json:"holder"`
	Since  time.Time `json:"since"`
	// Paused means that the player must ask again and has not done so yet.
	Paused     bool          `json:"paused,omitempty"`
	Kind       string        `json:"kind"`
	Schema     string        `json:"schema,omitempty"`
	Size       int           `json:"size"`
	Options    rooms.Options `json:"options,omitempty"`
	Properties rooms.Options `json:"properties,omitempty"`
	Player     uint64        `json:"player,string"`
	Party      uint64        `json:"party,omitempty,string"`
	Data       []byte        `json:"data,omitempty"`

	revision uint64
}

// wish returns the player's wish. Carried data stays at the player's process.
func (t *ticket) wish() match.Wish {
	return match.Wish{
		Kind: t.Kind, Schema: t.Schema, Size: t.Size, Options: t.Options, Properties: t.Properties,
		Player: rooms.Player{ID: t.Player, Party: t.Party, Data: t.Data},
	}
}

// parseTicket parses a ticket. match.Queue.Enter checks the wish.
func (k queueKeys) parseTicket(r Record) (t ticket, err error) {
	if err := json.Unmarshal(r.Value, &t); err != nil {
		return t, fmt.Errorf("%w: %w", errTicket, err)
	}
	if t.Player == 0 || k.ticket(t.Player) != r.Key {
		return t, fmt.Errorf("%w: player %d under %.40q", errTicket, t.Player, r.Key)
	}
	t.revision = r.Revision
	return t, nil
}

// result is the record of matched players, who have seats in one room or are refused.
type result struct {
	Room    rooms.ID  `json:"room,omitempty"`
	Refused string    `json:"refused,omitempty"`
	Players []matched `json:"players"`
}

// matched identifies a ticket.
type matched struct {
	Player uint64    `json:"player,string"`
	Since  time.Time `json:"since"`
}

// parseResult parses a result.
func (k queueKeys) parseResult(r Record) (x result, err error) {
	if err := json.Unmarshal(r.Value, &x); err != nil {
		return x, fmt.Errorf("%w: %w", errTicket, err)
	}
	if !strings.HasPrefix(r.Key, k.results()) || (x.Room == 0) == (x.Refused == "") || len(x.Players) > maxInResult {
		return x, fmt.Errorf("%w: %.40q for %d players", errTicket, r.Key, len(x.Players))
	}
	return x, nil
}

// queueRefusals are the errors that end a player's wait, by name. Other errors are named unavailable.
var queueRefusals = []struct {
	name string
	err  error
}{
	{"most", match.ErrFull}, {"party", match.ErrParty}, {"full", rooms.ErrFull}, {"options", rooms.ErrOptions}, {"player", rooms.ErrPlayer},
	{"kind", rooms.ErrKind}, {"schema", rooms.ErrSchema}, {"draining", rooms.ErrDraining}, {"seated", rooms.ErrSeated},
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
