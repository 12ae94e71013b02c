package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// ErrStageOrder is wrapped by the error about a schedule whose systems are in the wrong order.
var ErrStageOrder = errors.New("systems: wrong stage order")

// stageOrder says that one system must run before another, with the reason.
type stageOrder struct{ first, second, because string }

// serverStageOrder and clientStageOrder list the required orders of a server's and a client's systems.
var (
	serverStageOrder = []stageOrder{
		{"Receive", "ServerApply", "inputs are applied in the tick in which they arrive"},
		{"ServerApply", "Simulate", "Simulate consumes the inputs that ServerApply writes"},
		{"Simulate", "Authority", "server-only systems see the tick's result"},
		{"Simulate", "Snapshot", "a snapshot is the state after the tick"},
		{"Snapshot", "Send", "Send hands over what Snapshot made"},
	}
	clientStageOrder = []stageOrder{
		{"Receive", "Reconcile", "Reconcile compares what Receive took in"},
		{"Reconcile", "InputGather", "inputs are gathered on the corrected state"},
		{"InputGather", "Predict", "Predict applies the input just gathered"},
		{"InputGather", "Send", "Send sends the input just gathered"},
	}
)

// finalizeSchedule lets the game change a schedule. It returns an error that wraps [ErrStageOrder] if systems that depend on
// each other are in the wrong order. The game may remove systems, but see requireServerSystems and requireClientSystems.
func finalizeSchedule(s *ecs.Schedule, change func(*ecs.Schedule) error, order []stageOrder) error {
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
