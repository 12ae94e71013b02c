package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// ErrStageOrder is wrapped by the error that refuses a schedule whose systems
// stand in an order in which they cannot work.
var ErrStageOrder = errors.New("systems: wrong stage order")

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

// thinOut are the systems that a thin client does without.
var thinOut = [...]string{"Predict", "Reconcile", "Interpolate"}

// Thin is a ClientConfig.Schedule for who plays without looking closely, such as a bot or
// a load test: a session, inputs and snapshots like everybody's, but nothing is predicted,
// reconciled or drawn. It leaves out Predict, Reconcile and Interpolate:
//
//	config := systems.ClientConfig{Schedule: systems.Thin, Gather: systems.Gather(think)}
//
// The server cannot tell it from any other client: the same inputs, acknowledgements and
// bytes. [Client.World], which is [Client.View] too, has everything as last confirmed, own
// entities with it: they answer after a round trip and the input buffer. [Client.Own] finds
// them there; ecs.Each, which walks what a client simulates, walks nothing. [Client.Claim]
// names the newest snapshot, which is what such a client sees.
//
// Where every client simulates everything, under policy.Rollback and policy.Lockstep,
// there is no thin client: the session ends at once with an error that wraps [ErrConfig].
func Thin(s *ecs.Schedule) error {
	for _, name := range thinOut {
		if err := s.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
