package overload

import (
	"time"

	"github.com/tactusgo/tactus/internal/logging"
)

// behindEvery is how often at most it is logged that ticks were dropped.
const behindEvery = 10 * time.Second

// Behind is what was said of ticks that were dropped.
type Behind struct {
	logged uint64
	at     time.Time
}

// Tell logs that ticks were dropped, how many up to now, who dropped them and of how many.
func (o *Behind) Tell(log logging.Logger, now time.Time, dropped uint64, who string, n int) {
	if dropped == o.logged || !o.at.IsZero() && now.Sub(o.at) < behindEvery {
		return
	}
	log.Warn("ticks dropped: they were due and the machine was too slow", "ticks", dropped-o.logged, who, n)
	o.logged, o.at = dropped, now
}
