package systems

import (
	"fmt"
	"iter"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/predict"
)

// ClientSystems are systems of one's own. Each is made when the client is connected, of parts that
// it has under every model, and runs in the place of the one it replaces; a nil one replaces none.
type ClientSystems struct {
	// InputGather puts the input of the coming tick into Inputs: Push, and Seal once it is filled.
	InputGather func(p ClientParts) func(*ecs.World)
	// Predict applies the input that is due by Predictor: Step of Due. Where every client simulates
	// everything that is not for a game to do, and the session ends at once with [ErrConfig].
	Predict func(p ClientParts) func(*ecs.World)
	// Interpolate brings Entities into View, as of Clock; package game of examples/custom has one.
	Interpolate func(p ClientParts) func(*ecs.World)
}

// ClientParts is what systems of one's own are made of.
type ClientParts struct {
	Now       func() time.Time             // of the wake-up, or of the frame, that goes on
	World     *ecs.World                   // what the client simulates, and what it was told of all else
	View      *ecs.World                   // what is drawn
	Inputs    *inputgather.Log             // of this client
	Predictor *predict.System              // nil where every client simulates everything
	Entities  iter.Seq[interpolate.Entity] // what there is to draw
	Clock     *interpolate.Clock           // of what is not simulated; it stands where everything is
}

// replace puts these systems in their places.
func (s ClientSystems) replace(c *Client) error {
	p := ClientParts{
		Now: func() time.Time { return c.steps.now }, World: c.world, View: c.view, Inputs: c.inputs.Log, Predictor: c.predictor,
		Entities: c.interpolator.Entities(), Clock: c.interpolator.Clock(),
	}
	if s.Predict != nil && c.predictor == nil {
		return fmt.Errorf("%w: Systems.Predict: the server's model is %v, where every client simulates everything", ErrConfig, c.policies.Correction)
	}
	if s.InputGather != nil {
		c.inputs.Replace(s.InputGather(p))
	}
	if s.Predict != nil {
		c.predictor.Replace(s.Predict(p))
	}
	if s.Interpolate != nil {
		c.interpolator.Replace(s.Interpolate(p))
	}
	return nil
}

// drawingParts is what drawing needs under any model.
func drawingParts(c *Client) interpolate.Parts {
	return interpolate.Parts{
		Protocol: c.protocol, World: c.world, View: c.view, Now: func() time.Time { return c.steps.now },
		Partial: c.beginPartial, SendEvery: c.shape.sendEvery, Smoothing: c.config.Smoothing,
	}
}
