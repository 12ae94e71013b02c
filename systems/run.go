package systems

import (
	"context"
	"log/slog"
	"time"
)

// stepper is a peer with fixed steps.
type stepper interface {
	Next() time.Time
	Advance(now time.Time) int
	Err() error
}

// run advances a peer in real time until ctx or the peer ends, then closes it.
func run(ctx context.Context, s stepper, closing func() error) error {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return closing()
		case <-t.C:
		}
		s.Advance(time.Now())
		if s.Err() != nil {
			return closing()
		}
		t.Reset(time.Until(s.Next()))
	}
}

// overloadEvery is how often at most it is logged that ticks were dropped.
const overloadEvery = 10 * time.Second

// overload is what was said of ticks that were dropped.
type overload struct {
	logged uint64
	at     time.Time
}

// tell logs that ticks were dropped, who dropped them and of how many.
func (o *overload) tell(log *slog.Logger, now time.Time, dropped uint64, who string, n any) {
	if dropped == o.logged || !o.at.IsZero() && now.Sub(o.at) < overloadEvery {
		return
	}
	log.Warn("ticks dropped: they were due and the machine was too slow", "ticks", dropped-o.logged, who, n)
	o.logged, o.at = dropped, now
}
