package realtime

import (
	"context"
	"time"
)

// Stepper is a peer with fixed steps.
type Stepper interface {
	// Next is when its next step is due.
	Next() time.Time
	// Advance runs the steps that are due.
	Advance(now time.Time) int
	// Err is why it has ended, nil while it runs.
	Err() error
}

// Run advances a peer in real time until ctx or the peer ends, then closes it.
func Run(ctx context.Context, s Stepper, closing func() error) error {
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
