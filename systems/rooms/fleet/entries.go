package fleet

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Prefixes of the keys of a directory.
const (
	ProcessPrefix = "process."
	RoomPrefix    = "room."
)

// ProcessKey returns the key of a [ProcessEntry].
func ProcessKey(process string) string { return ProcessPrefix + process }

// RoomKey returns the key of a rooms.RoomEntry.
func RoomKey(id rooms.ID) string { return RoomPrefix + id.String() }

const (
	// ProcessLease is the lease of a [ProcessEntry]: how long a silent process counts as alive.
	ProcessLease = 10 * time.Second
	// StayTime is how long the records of a dead process stay in the directory after its lease, so that players find their
	// room and another process can claim it.
	StayTime = time.Minute
)

// ProcessEntry is the record of a process, renewed every second with a lease of [ProcessLease]. The process's records of
// rooms are valid while the entry exists.
type ProcessEntry struct {
	Process string `json:"process"`
	// Epoch numbers the claims to the name; each claim has a higher epoch than all earlier ones. Records with another epoch
	// belong to a dead process.
	Epoch     uint64           `json:"epoch"`
	Addresses []netip.AddrPort `json:"addresses"`
	Endpoints rooms.Endpoints  `json:"endpoints"`
	// Fingerprint is the [Fingerprint] of the key and the protocol id. Tokens of a process with another fingerprint are
	// invalid here.
	Fingerprint string `json:"fingerprint"`
	// Kinds are the kinds of rooms that the process creates, by name.
	Kinds    []rooms.KindEntry `json:"kinds"`
	Rooms    int               `json:"rooms"`
	MaxRooms int               `json:"max_rooms"`
	Players  int               `json:"players"` // seats that are not free
	Draining bool              `json:"draining"`
	Started  time.Time         `json:"started"`
}

// Fingerprint returns a short text that is equal for processes with the same key and protocol id (0:
// netsys.DefaultProtocolID), whose tokens are valid at each other. It is a MAC under the key and does not reveal the key.
func Fingerprint(key netcode.Key, protocolID uint64) string {
	mac := hmac.New(sha256.New, key[:])
	_, _ = fmt.Fprintf(mac, "tactus: fingerprint of a fleet's key, for protocol %016x", cmp.Or(protocolID, netcode.DefaultProtocolID))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
