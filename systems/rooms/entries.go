package rooms

import (
	"slices"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// KindEntry is what a process publishes about a kind of rooms.
type KindEntry struct {
	Kind string `json:"kind"`
	// Schema is the [SchemaOf] of its protocol. Clients with another schema cannot play in its rooms.
	Schema   string `json:"schema"`
	Capacity int    `json:"capacity"`
}

// SchemaOf returns a short text that is equal for protocols that understand each other.
func SchemaOf(p *ecs.Protocol) string { return strconv.FormatUint(p.Hash(), 16) }

// RoomEntry is what a process publishes about a room.
type RoomEntry struct {
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Schema  string `json:"schema"` // of the kind
	Code    string `json:"code"`
	Private bool   `json:"private"`
	// Process is the name of the process that owns the room. ProcessEpoch is the epoch of its claim to that name, 0 outside of
	// a fleet.
	Process      string `json:"process"`
	ProcessEpoch uint64 `json:"process_epoch"`
	// Epoch is 1 for the first room with this id. A process that claims the room of a dead process raises it.
	Epoch    uint64    `json:"epoch"`
	Created  time.Time `json:"created"`
	Capacity int       `json:"capacity"`
	// MaxSpectators is the maximum number of spectators. If it is 0, the room cannot be watched.
	MaxSpectators int `json:"max_spectators,omitempty"`
	RoomState
}

// RoomState is the part of a RoomEntry that changes.
type RoomState struct {
	State   State   `json:"state"`
	Free    int     `json:"free"`
	Options Options `json:"options"`
	Stuck   bool    `json:"stuck"`
	// Spectators is the number of spectators who are connected or have an unused token.
	Spectators int `json:"spectators,omitempty"`
	// Banned holds the newest [MaxBanned] banned players. They stay banned when another process creates the room again.
	Banned []uint64 `json:"banned,omitempty"`
}

// MaxBanned is the largest number of bans in a [RoomEntry].
const MaxBanned = 256

// Takes reports whether any player may get a free seat in the room: it is open or running, not private, and not stuck.
func (e *RoomEntry) Takes() bool {
	return !e.Private && !e.Stuck && (e.State == Open || e.State == Running)
}

// Entry returns the entry of the room, with ProcessEpoch 0.
func (r *Room) Entry() RoomEntry {
	i := r.Info()
	r.mu.Lock()
	banned := slices.Clone(r.held.book.newestBans(MaxBanned))
	r.mu.Unlock()
	return RoomEntry{
		ID: i.ID, Kind: i.Kind, Schema: r.kind.schema, Code: i.Code, Private: i.Private, Process: i.Process,
		Epoch: i.Epoch, Created: i.Created.UTC(), Capacity: i.Capacity, MaxSpectators: i.MaxSpectators,
		RoomState: RoomState{i.State, i.Free(), i.Options, i.Stuck != 0, i.Spectators, banned},
	}
}

// entry returns the entry of the kind.
func (k *Kind) entry() KindEntry { return KindEntry{k.Name, k.schema, k.Capacity} }
