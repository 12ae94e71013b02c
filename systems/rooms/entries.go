package rooms

import (
	"net/netip"
	"time"
)

// Keys of the directory begin with what they are of.
const (
	ProcessPrefix = "process."
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
	ProcessLease = 10 * time.Second
	// renewTime is between the times at which it says so.
	renewTime = time.Second
)

// ProcessEntry is what a process says of itself, under a lease of [ProcessLease], every second. What rooms and players
// say of a process counts as long as there is one.
type ProcessEntry struct {
	Process string `json:"process"`
	// Epoch says which claim of the name this is: each has another one, and a later one a higher. What is said of a process
	// of another epoch is of one that is gone.
	Epoch     uint64           `json:"epoch"`
	Addresses []netip.AddrPort `json:"addresses"`
	// Kinds are the kinds of rooms that it makes, with a hash of the schema of each.
	Kinds    map[string]string `json:"kinds"`
	Rooms    int               `json:"rooms"`
	MaxRooms int               `json:"max_rooms"`
	Players  int               `json:"players"` // seats that are not free
	Draining bool              `json:"draining"`
	Started  time.Time         `json:"started"`
}

// RoomEntry is what the process of a room says of it, when that changes.
type RoomEntry struct {
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Code    string `json:"code"`
	Private bool   `json:"private"`
	// Process and ProcessEpoch are whose room it is: while the entry of that process has that epoch.
	Process      string `json:"process"`
	ProcessEpoch uint64 `json:"process_epoch"`
	// Epoch is which room of this id it is, 1 of the first: who claims the room of a process that is gone raises it.
	Epoch    uint64  `json:"epoch"`
	State    State   `json:"state"`
	Capacity int     `json:"capacity"`
	Free     int     `json:"free"`
	Options  Options `json:"options"`
	Stuck    bool    `json:"stuck"`
}

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
