package rooms

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// Keys of the directory begin with what they are of.
const (
	ProcessPrefix = ledger.Prefix
	RoomPrefix    = "room."
	PlayerPrefix  = "player."
)

// ProcessKey, RoomKey and PlayerKey are the keys of entries.
func ProcessKey(process string) string { return ProcessPrefix + process }

// RoomKey is the key of a [RoomEntry].
func RoomKey(id ID) string { return RoomPrefix + id.String() }

// PlayerKey is the key of a [PlayerEntry].
func PlayerKey(player uint64) string { return PlayerPrefix + ID(player).String() }

const (
	// ProcessLease is how long a process that is not heard from is believed to be there.
	ProcessLease = ledger.Lease
	// StayTime is how long the rooms and players of a process that has died stay in the directory after its lease has run
	// out, so that players find their room, and another process can claim it.
	StayTime = time.Minute
)

// ProcessEntry is what a process says of itself, under a lease of [ProcessLease], every second. What rooms and players
// say of a process counts as long as there is one.
type ProcessEntry struct {
	Process string `json:"process"`
	// Epoch says which claim of the name this is: each has another one, and a later one a higher. What is said of a process
	// of another epoch is of one that is gone.
	Epoch     uint64           `json:"epoch"`
	Addresses []netip.AddrPort `json:"addresses"`
	Endpoints Endpoints        `json:"endpoints"`
	// Fingerprint is [Fingerprint] of its key and protocol id: tokens of a process with another one open no seat there.
	Fingerprint string `json:"fingerprint"`
	// Kinds are the kinds of rooms that it makes, by name.
	Kinds    []KindEntry `json:"kinds"`
	Rooms    int         `json:"rooms"`
	MaxRooms int         `json:"max_rooms"`
	Players  int         `json:"players"` // seats that are not free
	Draining bool        `json:"draining"`
	Started  time.Time   `json:"started"`
}

// KindEntry is a kind of rooms, as somebody makes them.
type KindEntry struct {
	Kind string `json:"kind"`
	// Schema is [SchemaOf] its protocol: clients that have another one cannot play there.
	Schema   string `json:"schema"`
	Capacity int    `json:"capacity"`
}

// Fingerprint returns a short text that two processes have in common if they have the same key and the same protocol id (0:
// netsys.DefaultProtocolID), so that tokens issued by one open seats in the other. It is a MAC under the key, which it does
// not reveal.
func Fingerprint(key netcode.Key, protocolID uint64) string {
	mac := hmac.New(sha256.New, key[:])
	_, _ = fmt.Fprintf(mac, "tactus: fingerprint of a fleet's key, for protocol %016x", cmp.Or(protocolID, netcode.DefaultProtocolID))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// SchemaOf is a short text that two protocols have in common if one understands the other.
func SchemaOf(p *ecs.Protocol) string { return strconv.FormatUint(p.Hash(), 16) }

// RoomEntry is what the process of a room says of it, when that changes.
type RoomEntry struct {
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Schema  string `json:"schema"` // of the kind
	Code    string `json:"code"`
	Private bool   `json:"private"`
	// Process and ProcessEpoch are whose room it is: while the entry of that process has that epoch.
	Process      string `json:"process"`
	ProcessEpoch uint64 `json:"process_epoch"`
	// Epoch is which room of this id it is, 1 of the first: who claims the room of a process that is gone raises it.
	Epoch    uint64    `json:"epoch"`
	Created  time.Time `json:"created"`
	Capacity int       `json:"capacity"`
	RoomState
}

// RoomState is what changes of a room.
type RoomState struct {
	State   State   `json:"state"`
	Free    int     `json:"free"`
	Options Options `json:"options"`
	Stuck   bool    `json:"stuck"`
	// Banned are the players who are banned from the room, the newest [MaxBanned] of them: they stay banned when another
	// process makes the room anew.
	Banned []uint64 `json:"banned,omitempty"`
}

// MaxBanned is how many bans of a room the directory keeps.
const MaxBanned = 256

// Takes reports whether anybody may get a seat there that is free: the room is open or running, not private, and not
// stuck.
func (e *RoomEntry) Takes() bool {
	return !e.Private && !e.Stuck && (e.State == Open || e.State == Running)
}

// entry returns the record of the room in the directory.
func (r *Room) entry() RoomEntry {
	i := r.Info()
	r.mu.Lock()
	banned := slices.Clone(r.held.book.newestBans(MaxBanned))
	r.mu.Unlock()
	return RoomEntry{
		ID: i.ID, Kind: i.Kind, Schema: r.kind.schema, Code: i.Code, Private: i.Private, Process: i.Process,
		ProcessEpoch: r.held.life.own.under.Load(), Epoch: i.Epoch,
		Created: i.Created.UTC(), Capacity: i.Capacity, RoomState: RoomState{i.State, i.Free(), i.Options, i.Stuck != 0, banned},
	}
}

// entry is what the directory says of a kind.
func (k *Kind) entry() KindEntry { return KindEntry{k.Name, k.schema, k.Capacity} }

// PlayerEntry is where a player has the seat that it got last.
type PlayerEntry struct {
	Player uint64 `json:"player,string"`
	Room   ID     `json:"room"`
	Kind   string `json:"kind"`
	// Process and ProcessEpoch are as those of [RoomEntry].
	Process      string `json:"process"`
	ProcessEpoch uint64 `json:"process_epoch"`
	Number       uint16 `json:"number"`
	Party        uint64 `json:"party,string"`
	// Since is when it got the seat, by the clock of that process.
	Since time.Time `json:"since"`
}
