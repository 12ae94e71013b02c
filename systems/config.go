package systems

import (
	"errors"
	"log/slog"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

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

// messageLines are the lines of a registry, which may be nil.
func messageLines(r *channel.Registry) []string {
	if r == nil {
		return nil
	}
	return r.Lines()
}

// LoadTrained reads what codec/train wrote, for [ServerConfig] and [ClientConfig].
// Where b is damaged or of another version it logs that, to a logger that may be
// nil, and returns nil, which is what is built in.
func LoadTrained(b []byte, log *slog.Logger) *delta.Trained {
	t, err := delta.ParseTrained(b)
	if err != nil {
		if log != nil {
			log.Warn("trained file left out: snapshots go on with what is built in", "error", err)
		}
		return nil
	}
	return t
}

// ErrConfig is wrapped by every error about a configuration.
var ErrConfig = errors.New("systems: configuration")
