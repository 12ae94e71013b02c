package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// keys are the keys of the directory by which the processes of one fleet share who waits. They have the fingerprint of the fleet
// in them, with a dot before it, so that processes with another key have a queue of their own. "" is without a fingerprint.
type keys string

func (k keys) matcher() string { return "matcher" + string(k) } // the lease of the process that matches
func (k keys) tickets() string { return "queue" + string(k) + "." }
func (k keys) results() string { return "matched" + string(k) + "." }

// ticket returns the key of a player who waits.
func (k keys) ticket(player uint64) string { return k.tickets() + rooms.ID(player).String() }

// result returns a key that no other result has.
func (k keys) result(holder string, n uint64) string {
	return k.results() + holder + "-" + strconv.FormatUint(n, 36)
}

const (
	// ticketLease is how long a player stays in the queue whose process is gone. ticketRenewal is how often a process renews
	// the records of its players.
	ticketLease, ticketRenewal = 12 * time.Second, 4 * time.Second
	// resultLease is how long the processes of matched players have to fetch their seats. It is longer than tickets stay that
	// nobody renews, so that none of a party that was matched is matched again.
	resultLease = 30 * time.Second
	// unsaidTime is how long a result is written again that could not be written.
	unsaidTime = 5 * time.Second
	// mostInResult is how many players one record of a result has at most, so that it fits into the directory.
	mostInResult = 512
)

// errRecord is wrapped by what is wrong with a record of the queue.
var errRecord = errors.New("match: no record of the queue")

// sharedTicket is the record of one player who waits. A ticket of a player is the same one while Since is: it moves to
// whichever process was asked last.
type sharedTicket struct {
	// Holder is the name of the [Shared] where the player waits.
	Holder string    `json:"holder"`
	Since  time.Time `json:"since"`
	// Paused says that the player was told to ask again, and has not done so yet.
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

// wish returns what the player of a ticket waits for. What the player carries stays with its process.
func (t *sharedTicket) wish() Wish {
	return Wish{
		Kind: t.Kind, Schema: t.Schema, Size: t.Size, Options: t.Options, Properties: t.Properties,
		Player: rooms.Player{ID: t.Player, Party: t.Party, Data: t.Data},
	}
}

// parseTicket reads a ticket. [Queue.Enter] checks what the player wishes.
func (k keys) parseTicket(r rooms.Record) (t sharedTicket, err error) {
	if err := json.Unmarshal(r.Value, &t); err != nil {
		return t, fmt.Errorf("%w: %w", errRecord, err)
	}
	if t.Player == 0 || k.ticket(t.Player) != r.Key {
		return t, fmt.Errorf("%w: player %d under %.40q", errRecord, t.Player, r.Key)
	}
	t.revision = r.Revision
	return t, nil
}

// result is the record of players who were matched: they have seats in one room, or are refused.
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
func (k keys) parseResult(r rooms.Record) (x result, err error) {
	if err := json.Unmarshal(r.Value, &x); err != nil {
		return x, fmt.Errorf("%w: %w", errRecord, err)
	}
	if !strings.HasPrefix(r.Key, k.results()) || (x.Room == 0) == (x.Refused == "") || len(x.Players) > mostInResult {
		return x, fmt.Errorf("%w: %.40q for %d players", errRecord, r.Key, len(x.Players))
	}
	return x, nil
}

// refusals are the errors that end the wait of a player, by name. Any other error is unavailable.
var refusals = []struct {
	name string
	err  error
}{
	{"most", ErrFull}, {"party", ErrParty}, {"full", rooms.ErrFull}, {"options", rooms.ErrOptions}, {"player", rooms.ErrPlayer},
	{"kind", rooms.ErrKind}, {"schema", rooms.ErrSchema}, {"draining", rooms.ErrDraining}, {"seated", rooms.ErrSeated},
}

func refusalName(err error) string {
	for _, x := range refusals {
		if errors.Is(err, x.err) {
			return x.name
		}
	}
	return "unavailable"
}

func refusal(name string) error {
	for _, x := range refusals {
		if x.name == name {
			return fmt.Errorf("%w, says the process that matches", x.err)
		}
	}
	return &rooms.Unavailable{Again: time.Second, Err: errors.New("match: the process that matches could give no seat")}
}
