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

// growthEvery is how often at most it is logged that a count has grown.
const growthEvery = 10 * time.Second

// growth is what was said of a count that grows while something is wrong with the server.
type growth struct {
	logged uint64
	at     time.Time
}

// news is by how much the count has grown since that was logged last, 0 while there is nothing
// to log.
func (o *growth) news(count uint64, now time.Time) (n uint64) {
	if count == o.logged || !o.at.IsZero() && now.Sub(o.at) < growthEvery {
		return 0
	}
	n = count - o.logged
	o.logged, o.at = count, now
	return n
}

// tellDropped logs that ticks were dropped, who dropped them and of how many.
func (o *growth) tellDropped(log *slog.Logger, now time.Time, dropped uint64, who string, n any) {
	if ticks := o.news(dropped, now); ticks > 0 {
		log.Warn("ticks dropped: they were due and the machine was too slow", "ticks", ticks, who, n)
	}
}
