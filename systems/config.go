package systems

import "github.com/tactusgo/tactus/systems/internal/wire"

// ErrMessage is wrapped by errors about a message that a peer should not have
// sent.
var ErrMessage = wire.ErrMessage

// MaxReason is how many bytes of a reason a client is told.
const MaxReason = wire.MaxReason

// LeavePolicy says what becomes of the entities of a client that left.
type LeavePolicy uint8

const (
	// DespawnOwned removes them.
	DespawnOwned LeavePolicy = iota
	// KeepOwned leaves them in the world with a neutral input, still owned by
	// the client number that is gone.
	KeepOwned
)
