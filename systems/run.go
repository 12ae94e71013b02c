package systems

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
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

// before says that one system must run before another, and why.
type before struct{ first, second, because string }

var serverOrder = []before{
	{"Receive", "ServerApply", "inputs are applied in the tick in which they arrive"},
	{"ServerApply", "Simulate", "Simulate consumes the inputs that ServerApply writes"},
	{"Simulate", "Authority", "server-only systems see the tick's result"},
	{"Simulate", "Snapshot", "a snapshot is the state after the tick"},
	{"Snapshot", "Send", "Send hands over what Snapshot made"},
}

var clientOrder = []before{
	{"Receive", "Reconcile", "Reconcile compares what Receive took in"},
	{"Reconcile", "InputGather", "inputs are gathered on the corrected state"},
	{"InputGather", "Predict", "Predict applies the input just gathered"},
	{"InputGather", "Send", "Send sends the input just gathered"},
}

// settle lets the game change a schedule, then refuses it when systems that
// need each other stand in the wrong order. Leaving one out is allowed, but see lacks.
func settle(s *ecs.Schedule, change func(*ecs.Schedule) error, order []before) error {
	if change != nil {
		if err := change(s); err != nil {
			return err
		}
	}
	at := make(map[string]int)
	for i, name := range s.Names() {
		if _, twice := at[name]; !twice {
			at[name] = i
		}
	}
	for _, o := range order {
		i, hasFirst := at[o.first]
		k, hasSecond := at[o.second]
		if hasFirst && hasSecond && i > k {
			return fmt.Errorf("%w: %s runs before %s, but must run after it: %s", ErrStageOrder, o.second, o.first, o.because)
		}
	}
	return nil
}
