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

// Until advances a peer that has steps until a condition holds, and returns why the peer or ctx has ended before.
func Until(ctx context.Context, s Stepper, holds func() bool) error {
	const poll = 5 * time.Millisecond
	t := time.NewTicker(poll)
	defer t.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		s.Advance(time.Now())
		if err := s.Err(); err != nil {
			return err
		}
	}
	return nil
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
