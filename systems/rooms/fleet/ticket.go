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

// queueKeys has the keys of the records by which the processes of a fleet share a queue. Its value is the fingerprint of the fleet,
// with a dot before it, so that processes with another key have another queue.
type queueKeys string

func (k queueKeys) matcher() string { return "matcher" + string(k) } // the claim of the process that matches
func (k queueKeys) tickets() string { return "queue" + string(k) + "." }
func (k queueKeys) results() string { return "matched" + string(k) + "." }

// ticket returns the key of a player who waits.
func (k queueKeys) ticket(player uint64) string { return k.tickets() + rooms.ID(player).String() }

// result returns the key of the n-th result of a process.
func (k queueKeys) result(holder string, n uint64) string {
	return k.results() + holder + "-" + strconv.FormatUint(n, 36)
}

const (
	// ticketLease is the lease of a ticket: how long a player whose process is gone stays in the queue. ticketRenewal is how
	// often a process renews the tickets of its players.
	ticketLease, ticketRenewal = 12 * time.Second, 4 * time.Second
	// resultLease is how long the processes of matched players have to fetch their seats. It is longer than ticketLease, so
	// that no member of a matched party is matched again.
	resultLease = 30 * time.Second
	// resultTimeout is how long the process that matches tries to write a result.
	resultTimeout = 5 * time.Second
	// maxInResult is the largest number of players in the record of a result, so that it fits into the directory.
	maxInResult = 512
)

// errTicket is wrapped by the errors of records of the queue that cannot be read.
var errTicket = errors.New("fleet: not a record of the queue")

// ticket is the record of one player who waits. A player has the same ticket as long as Since is the same. The ticket moves to the
// process that the player asked last.
type ticket struct {
	// Holder is the name of the [SharedQueue] where the player waits.
	Holder string    `json:"holder"`
	Since  time.Time `json:"since"`
	// Paused reports that the player was told to ask again and has not done so yet.
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

// wish returns what the player waits for. What the player carries stays with its process.
func (t *ticket) wish() match.Wish {
	return match.Wish{
		Kind: t.Kind, Schema: t.Schema, Size: t.Size, Options: t.Options, Properties: t.Properties,
		Player: rooms.Player{ID: t.Player, Party: t.Party, Data: t.Data},
	}
}

// parseTicket reads a ticket. match.Queue.Enter checks the wish.
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

// result is the record of matched players: they have seats in one room, or are refused.
type result struct {
	Room    rooms.ID  `json:"room,omitempty"`
	Refused string    `json:"refused,omitempty"`
	Players []matched `json:"players"`
}

// matched names a ticket.
type matched struct {
	Player uint64    `json:"player,string"`
	Since  time.Time `json:"since"`
}

// parseResult reads a result.
func (k queueKeys) parseResult(r Record) (x result, err error) {
	if err := json.Unmarshal(r.Value, &x); err != nil {
		return x, fmt.Errorf("%w: %w", errTicket, err)
	}
	if !strings.HasPrefix(r.Key, k.results()) || (x.Room == 0) == (x.Refused == "") || len(x.Players) > maxInResult {
		return x, fmt.Errorf("%w: %.40q for %d players", errTicket, r.Key, len(x.Players))
	}
	return x, nil
}

// queueRefusals are the errors that end the wait of a player, by name. Any other error is unavailable.
var queueRefusals = []struct {
	name string
	err  error
}{
	{"most", match.ErrFull}, {"party", match.ErrParty}, {"full", rooms.ErrFull}, {"options", rooms.ErrOptions}, {"player", rooms.ErrPlayer},
	{"kind", rooms.ErrKind}, {"schema", rooms.ErrSchema}, {"draining", rooms.ErrDraining}, {"seated", rooms.ErrSeated},
}

// queueRefusal names an error.
func queueRefusal(err error) string {
	for _, x := range queueRefusals {
		if errors.Is(err, x.err) {
			return x.name
		}
	}
	return "unavailable"
}

// queueError returns the error that a refusal names.
func queueError(name string) error {
	for _, x := range queueRefusals {
		if x.name == name {
			return fmt.Errorf("%w, the process that matches answered", x.err)
		}
	}
	return &rooms.Unavailable{Again: time.Second, Err: errors.New("fleet: the process that matches could not get a seat")}
}
