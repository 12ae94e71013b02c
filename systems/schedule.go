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

// thinRemoves lists the systems that a thin client does not have.
var thinRemoves = [...]string{"Predict", "Reconcile", "Interpolate"}

// Thin is a ClientConfig.Schedule for clients that do not draw, such as bots and
// load tests. They have a session, inputs and snapshots like other clients, but do not predict,
// reconcile or draw. Thin removes Predict, Reconcile and Interpolate:
//
//	config := systems.ClientConfig{Schedule: systems.Thin, Gather: systems.Gather(think)}
//
// The server cannot distinguish a thin client from others: it sends the same inputs and acknowledgements, and
// receives the same bytes. [Client.World], which is also [Client.View], has all entities as last confirmed. Own
// entities respond after a round trip and the input buffer. The world's tick is that of
// the newest snapshot. [Client.Own] finds own entities there; ecs.Each, which yields simulated
// entities, yields none. [Client.Claim] names the newest snapshot, which is what the client
// sees.
//
// Under policy.Rollback and policy.Lockstep every client simulates everything, so that
// thin clients are not possible: the session ends at once with an error that wraps [ErrConfig].
func Thin(s *ecs.Schedule) error {
	for _, name := range thinRemoves {
		if err := s.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// ClientSystems holds a game's own client systems; see examples/custom. Each function is called when the client is
// connected and returns the system that replaces the default one; nil keeps the default. Under policy.Rollback and
// policy.Lockstep every peer must simulate and correct everything in the same way: with a Predict or Reconcile the
// session ends with an error that wraps [ErrConfig].
type ClientSystems struct {
	// InputGather pushes the input of the coming tick to Inputs, instead of ClientConfig.Gather.
	InputGather func(p ClientParts) func(*ecs.World)
	// Predict applies inputs with Predictor: those after Applied, up to Due, in order.
	Predict func(p ClientParts) func(*ecs.World)
	// Reconcile compares the states that Predictor yields with the prediction. If they differ, it simulates again with
	// Predictor, or changes the predictions with reconcile.Amend. Start from a copy of reconcile.Correct.
	Reconcile func(p ClientParts) func(*ecs.World)
	// Interpolate writes Entities into View at the tick of Clock.
	Interpolate func(p ClientParts) func(*ecs.World)
}

// ClientParts holds what a game's own systems use.
type ClientParts struct {
	Now       func() time.Time             // time of the current wake-up or frame
	World     *ecs.World                   // simulated entities, and all others as received
	View      *ecs.World                   // the world to draw
	Entities  iter.Seq[interpolate.Entity] // entities to draw
	Clock     *interpolate.Clock           // of entities that are not simulated; it stands still if all are simulated
	Inputs    inputgather.Inputs           // gathered inputs: inputgather.Push, inputgather.At
	Predictor *reconcile.Predictor         // nil if every peer simulates everything
}

// replace installs these systems.
func (s ClientSystems) replace(c *Client) {
	parts := ClientParts{
		Now: func() time.Time { return c.steps.now }, World: c.world, View: c.view,
		Entities: c.interpolator.Entities(), Clock: c.interpolator.Clock(), Inputs: c.inputs.Inputs(c.protocol),
	}
	if c.predictor != nil {
		parts.Predictor = c.reconciler.Predictor()
		put(c.predictor.Replace, s.Predict, parts)
		put(c.reconciler.Replace, s.Reconcile, parts)
	}
	put(c.inputs.Replace, s.InputGather, parts)
	put(c.interpolator.Replace, s.Interpolate, parts)
}

func put(replace func(run func(*ecs.World)), with func(ClientParts) func(*ecs.World), parts ClientParts) {
	if with != nil {
		replace(with(parts))
	}
}

// drawingParts returns the parts for drawing under any model.
func drawingParts(c *Client) interpolate.Parts {
	return interpolate.Parts{
		Protocol: c.protocol, World: c.world, View: c.view, Now: func() time.Time { return c.steps.now },
		Partial: c.beginPartial, SendEvery: c.shape.sendEvery, Smoothing: c.config.Prediction.Smoothing,
	}
}

// predictParts returns the parts for prediction under any model that predicts.
func predictParts(c *Client) predict.Parts {
	return predict.Parts{
		World: c.world, Client: c.link.id, Inputs: c.inputs.Log, Mirror: c.mirror, Follow: &c.followed,
		Off: !c.stages.predicting, Mode: c.config.Prediction.Scope, Assume: c.config.Prediction.Assume.by(c),
	}
}

// reconcileParts returns the parts for reconciliation under any model that predicts.
func reconcileParts(c *Client) reconcile.Parts {
	return reconcile.Parts{
		World: c.world, Client: c.link.id, Mirror: c.mirror, Predict: c.predictor, View: c.interpolator,
		Waiting: c.followed.waiting, Off: !c.stages.predicting, OnMismatch: c.config.Prediction.OnMismatch,
	}
}
