package systems

import (
	"context"
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
