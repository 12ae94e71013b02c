package asks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Lease is for how long a record of asks is in the directory at most.
const Lease = 15 * time.Second

const (
	// MostAsks is how many asks a record has at most: an answer has room for them.
	MostAsks = 64
	// MostPlayers is how many players they have together, at most.
	MostPlayers = 512
	// mostBytes is how long a batch may be: a record has 64 KiB.
	mostBytes = 60 << 10
	// mostText bounds names, mostWhy reasons in words.
	mostText, mostWhy = 64, 80
	// mostServers is how many addresses a token has.
	mostServers = 32
)

// What may be asked for.
const (
	Join      = "join"      // seats in an open room of a kind, or in a new one
	Create    = "create"    // a room, and seats in it
	Reserve   = "reserve"   // seats in a room
	Reconnect = "reconnect" // another way to a seat
)

// OldEpoch is why an ask is refused that was for the process before it lost its name, and claimed it again.
const OldEpoch = "epoch"

// Ask is what is wanted of a process.
type Ask struct {
	Op      string         `json:"op"`
	Kind    string         `json:"kind,omitempty"`
	Options map[string]any `json:"options,omitempty"`
	Private bool           `json:"private,omitempty"`
	Schema  string         `json:"schema,omitempty"`
	Room    uint64         `json:"room,omitempty,string"`
	// Claim says that the room's own process is gone: whoever is asked makes it anew.
	Claim   bool     `json:"claim,omitempty"`
	Players []Player `json:"players"`
}

// Player is who wants a seat.
type Player struct {
	ID      uint64 `json:"id,string"`
	Party   uint64 `json:"party,omitempty,string"`
	Data    []byte `json:"data,omitempty"`
	Carried []byte `json:"carried,omitempty"`
}

// Batch is what one process asks of another one at a time.
type Batch struct {
	// Epoch is that of the process that it is for; another one refuses.
	Epoch uint64 `json:"epoch"`
	Asks  []Ask  `json:"asks"`

	players, bytes int
}

// Answer is what came of an ask.
type Answer struct {
	// Refused is the name of why there is no seat, "" where there are some; Why says it in words.
	Refused string `json:"refused,omitempty"`
	Why     string `json:"why,omitempty"`
	Room    uint64 `json:"room,omitempty,string"`
	Kind    string `json:"kind,omitempty"`
	Schema  string `json:"schema,omitempty"`
	Code    string `json:"code,omitempty"`
	Seats   []Seat `json:"seats,omitempty"` // in the order of the players
	// Issued and Expires are of the tokens, in seconds since 1970 by the clock of who gives the seats.
	Issued  int64 `json:"issued,omitempty"`
	Expires int64 `json:"expires,omitempty"`
}

// Seat is one that was given.
type Seat struct {
	Number uint16 `json:"n"`
	Epoch  uint32 `json:"e"`
	Party  uint64 `json:"p,omitempty,string"`
}

// Answers are what came of a batch, in its order.
type Answers struct {
	Answers   []Answer         `json:"answers"`
	Addresses []netip.AddrPort `json:"addresses"`
	Endpoints json.RawMessage  `json:"endpoints,omitempty"`
}

// errRecord is wrapped by what is wrong with a record.
var errRecord = errors.New("rooms: no record of asks")

// Key is the key of a record for a process.
func Key(process, id string) string { return Prefix + process + "." + id }

// Prefix is what keys of asks begin with.
const Prefix = "ask."

// Add puts an ask into the batch, and reports whether there is room for it: one that has none in an empty batch has none
// at all.
func (b *Batch) Add(a Ask) bool {
	x, err := json.Marshal(a)
	if err != nil || len(b.Asks) == MostAsks || b.players+len(a.Players) > MostPlayers || b.bytes+len(x) > mostBytes {
		return false
	}
	b.Asks = append(b.Asks, a)
	b.players, b.bytes = b.players+len(a.Players), b.bytes+len(x)+1
	return true
}

// Bytes are the batch as a record.
func (b *Batch) Bytes() ([]byte, error) { return json.Marshal(b) }

// ParseBatch reads what [Batch.Bytes] wrote. Asked is false where the record is an answer. Kinds, options and players of
// an ask are as they were written: who uses them checks them.
func ParseBatch(value []byte) (b Batch, asked bool, err error) {
	var x struct {
		Batch
		Answers json.RawMessage `json:"answers"`
	}
	if err := json.Unmarshal(value, &x); err != nil {
		return Batch{}, false, fmt.Errorf("%w: %w", errRecord, err)
	}
	if x.Answers != nil {
		return Batch{}, false, nil
	}
	players := 0
	for i := range x.Asks {
		players += len(x.Asks[i].Players)
	}
	if len(x.Asks) < 1 || len(x.Asks) > MostAsks || players > MostPlayers {
		return Batch{}, false, fmt.Errorf("%w: %d asks for %d players", errRecord, len(x.Asks), players)
	}
	return x.Batch, true, nil
}

// Bytes are the answers as a record.
func (a *Answers) Bytes() ([]byte, error) {
	for i := range a.Answers {
		a.Answers[i].Why = a.Answers[i].Why[:min(len(a.Answers[i].Why), mostWhy)]
	}
	return json.Marshal(a)
}

// ParseAnswers reads what [Answers.Bytes] wrote for so many asks. Answered is false where the record is still asked.
func ParseAnswers(value []byte, asked []Ask) (a Answers, answered bool, err error) {
	if err := json.Unmarshal(value, &a); err != nil {
		return Answers{}, false, fmt.Errorf("%w: %w", errRecord, err)
	}
	if a.Answers == nil {
		return Answers{}, false, nil
	}
	if len(a.Answers) != len(asked) || len(a.Addresses) > mostServers {
		return Answers{}, true, fmt.Errorf("%w: %d answers to %d asks, %d addresses", errRecord, len(a.Answers), len(asked), len(a.Addresses))
	}
	for i := range a.Answers {
		if err := a.Answers[i].check(&asked[i]); err != nil {
			return Answers{}, true, err
		}
	}
	return a, true, nil
}

// check returns an error where an answer is none to an ask.
func (a *Answer) check(asked *Ask) error {
	switch {
	case len(a.Refused) > mostText || len(a.Why) > 3*mostWhy || len(a.Kind) > mostText || len(a.Schema) > mostText || len(a.Code) > mostText:
		return fmt.Errorf("%w: long texts", errRecord)
	case a.Refused != "":
		return nil
	case len(a.Seats) != len(asked.Players):
		return fmt.Errorf("%w: %d seats for %d players", errRecord, len(a.Seats), len(asked.Players))
	case a.Room == 0 || asked.Room != 0 && a.Room != asked.Room:
		return fmt.Errorf("%w: room %d, asked for %d", errRecord, a.Room, asked.Room)
	case a.Expires <= a.Issued || a.Expires-a.Issued > 3600:
		return fmt.Errorf("%w: tokens from %d to %d", errRecord, a.Issued, a.Expires)
	}
	return nil
}
