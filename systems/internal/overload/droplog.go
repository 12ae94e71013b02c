package overload

import (
	"time"

	"github.com/tactusgo/tactus/internal/logging"
)

// dropLogInterval is the minimum time between two log lines about dropped ticks.
const dropLogInterval = 10 * time.Second

// DropLog logs dropped ticks.
type DropLog struct {
	logged uint64
	at     time.Time
}

// Log logs the number of dropped ticks since its last line. dropped is their total number; who and n are a key and
// a value for the log line.
func (o *DropLog) Log(logger logging.Logger, now time.Time, dropped uint64, who string, n int) {
	if dropped == o.logged || !o.at.IsZero() && now.Sub(o.at) < dropLogInterval {
		return
	}
	logger.Warn("ticks dropped: they were due and the machine was too slow", "ticks", dropped-o.logged, who, n)
	o.logged, o.at = dropped, now
}
