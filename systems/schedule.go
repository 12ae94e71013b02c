package systems

import (
	"iter"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

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
// entities with it: they answer after a round trip and the input buffer. Its tick is that of
// the newest snapshot. [Client.Own] finds them there; ecs.Each, which walks what a client
// simulates, walks nothing. [Client.Claim] names the newest snapshot, which is what such a
// client sees.
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

// ClientSystems are systems of one's own, such as those of package game of examples/custom. Each is
// made when the client is connected, and runs in the place of the one it replaces; a nil one replaces
// none. Under policy.Rollback and policy.Lockstep every peer steps and corrects everything, and has to
// do so alike: the session ends there with an error that wraps [ErrConfig] for a Predict or Reconcile.
type ClientSystems struct {
	// InputGather pushes the input of the coming tick to Inputs, in place of ClientConfig.Gather.
	InputGather func(p ClientParts) func(*ecs.World)
	// Predict applies inputs with Predictor: those after Applied, up to Due, in order.
	Predict func(p ClientParts) func(*ecs.World)
	// Reconcile looks at what is Confirmed. Where that is not what was predicted, it simulates again with
	// Predictor, or changes the predictions with reconcile.Amend. What it does neither for counts as right.
	Reconcile func(p ClientParts) func(*ecs.World)
	// Interpolate brings Entities into View, as of Clock.
	Interpolate func(p ClientParts) func(*ecs.World)
}

// ClientParts is what systems of one's own are made of.
type ClientParts struct {
	Now      func() time.Time             // of the wake-up, or of the frame, that goes on
	World    *ecs.World                   // what the client simulates, and what it was told of all else
	View     *ecs.World                   // what is drawn
	Entities iter.Seq[interpolate.Entity] // what there is to draw
	Clock    *interpolate.Clock           // of what is not simulated; it stands where everything is
	Inputs   inputgather.Inputs           // those that are gathered: inputgather.Push, inputgather.At
	// Nil where every peer simulates everything: what applies inputs, and what is news for Reconcile.
	Predictor *reconcile.Predictor
	Confirmed func() (c reconcile.Confirmed, ok bool)
}

// replace puts these systems in their places.
func (s ClientSystems) replace(c *Client) {
	parts := ClientParts{
		Now: func() time.Time { return c.steps.now }, World: c.world, View: c.view,
		Entities: c.interpolator.Entities(), Clock: c.interpolator.Clock(), Inputs: c.inputs.Inputs(c.protocol),
	}
	if c.predictor != nil {
		parts.Predictor, parts.Confirmed = c.reconciler.Own.Predictor(), c.reconciler.Own.Confirmed
		put(c.predictor.Replace, s.Predict, parts)
		put(c.reconciler.Own.Replace, s.Reconcile, parts)
	}
	put(c.inputs.Replace, s.InputGather, parts)
	put(c.interpolator.Replace, s.Interpolate, parts)
}

func put(replace func(run func(*ecs.World)), with func(ClientParts) func(*ecs.World), parts ClientParts) {
	if with != nil {
		replace(with(parts))
	}
}

// drawingParts is what drawing needs under any model.
func drawingParts(c *Client) interpolate.Parts {
	return interpolate.Parts{
		Protocol: c.protocol, World: c.world, View: c.view, Now: func() time.Time { return c.steps.now },
		Partial: c.beginPartial, SendEvery: c.shape.sendEvery, Smoothing: c.config.Smoothing,
	}
}

// predictParts is what prediction needs under any model that has it.
func predictParts(c *Client) predict.Parts {
	return predict.Parts{
		World: c.world, Client: c.link.id, Inputs: c.inputs.Log, Mirror: c.mirror, Follow: &c.followed,
		Off: !c.stages.predicting, Mode: c.config.Scope, Assume: c.config.Assume.by(c),
	}
}

// reconcileParts is what reconciliation needs likewise.
func reconcileParts(c *Client) reconcile.Parts {
	return reconcile.Parts{
		World: c.world, Client: c.link.id, Mirror: c.mirror, Predict: c.predictor, View: c.interpolator,
		Waiting: c.followed.waiting, Off: !c.stages.predicting, OnMismatch: c.config.OnMismatch,
	}
}
