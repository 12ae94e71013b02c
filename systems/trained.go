package systems

import (
	"log/slog"

	"github.com/tactusgo/tactus/codec/delta"
)

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
