package systems

import (
	"iter"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// ClientSystems are systems of one's own. Each is made when the client is connected, of parts that
// it has under every model, and runs in the place of the one it replaces; a nil one replaces none.
type ClientSystems struct {
	// Interpolate brings Entities into View, as of Clock; package game of examples/custom has one.
	Interpolate func(p ClientParts) func(*ecs.World)
}

// ClientParts is what systems of one's own are made of.
type ClientParts struct {
	Now      func() time.Time             // of the wake-up, or of the frame, that goes on
	World    *ecs.World                   // what the client simulates, and what it was told of all else
	View     *ecs.World                   // what is drawn
	Entities iter.Seq[interpolate.Entity] // what there is to draw
	Clock    *interpolate.Clock           // of what is not simulated; it stands where everything is
}

// replace puts these systems in their places.
func (s ClientSystems) replace(c *Client) {
	if s.Interpolate != nil {
		c.interpolator.Replace(s.Interpolate(ClientParts{
			Now: func() time.Time { return c.steps.now }, World: c.world, View: c.view,
			Entities: c.interpolator.Entities(), Clock: c.interpolator.Clock(),
		}))
	}
}

// drawingParts is what drawing needs under any model.
func drawingParts(c *Client) interpolate.Parts {
	return interpolate.Parts{
		Protocol: c.protocol, World: c.world, View: c.view, Now: func() time.Time { return c.steps.now },
		Partial: c.beginPartial, SendEvery: c.shape.sendEvery, Smoothing: c.config.Smoothing,
	}
}
