package needs

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// ErrOrder is wrapped by the error that refuses a schedule whose systems stand in an order in which they cannot work.
var ErrOrder = errors.New("systems: wrong stage order")

// Before says that one system must run before another, and why.
type Before struct{ first, second, because string }

// OfServer is the order in which the systems of a server stand, and OfClient that of a client.
var (
	OfServer = []Before{
		{"Receive", "ServerApply", "inputs are applied in the tick in which they arrive"},
		{"ServerApply", "Simulate", "Simulate consumes the inputs that ServerApply writes"},
		{"Simulate", "Authority", "server-only systems see the tick's result"},
		{"Simulate", "Snapshot", "a snapshot is the state after the tick"},
		{"Snapshot", "Send", "Send hands over what Snapshot made"},
	}
	OfClient = []Before{
		{"Receive", "Reconcile", "Reconcile compares what Receive took in"},
		{"Reconcile", "InputGather", "inputs are gathered on the corrected state"},
		{"InputGather", "Predict", "Predict applies the input just gathered"},
		{"InputGather", "Send", "Send sends the input just gathered"},
	}
)

// Settle lets the game change a schedule, then refuses it when systems that need each other stand in the wrong order.
// Leaving one out is allowed, but see [Server] and [Client].
func Settle(s *ecs.Schedule, change func(*ecs.Schedule) error, order []Before) error {
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
			return fmt.Errorf("%w: %s runs before %s, but must run after it: %s", ErrOrder, o.second, o.first, o.because)
		}
	}
	return nil
}
