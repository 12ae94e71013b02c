package systems

import (
	"context"
	"time"
)

// stepper is a peer with fixed steps.
type stepper interface {
	// Next returns when its next step is due.
	Next() time.Time
	// Advance runs the steps that are due at now, and returns their number.
	Advance(now time.Time) int
	// Err returns why the peer has ended, nil while it runs.
	Err() error
}

// advanceUntil advances a peer in real time until holds returns true. It returns an error if the peer or ctx ends
// earlier.
func advanceUntil(ctx context.Context, s stepper, holds func() bool) error {
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

// runRealTime advances a peer in real time until ctx or the peer ends. Then it returns the result of closing.
func runRealTime(ctx context.Context, s stepper, closing func() error) error {
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
