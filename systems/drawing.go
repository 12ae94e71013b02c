package systems

import (
	"time"

	"github.com/tactusgo/tactus/systems/interpolate"
)

// drawingParts is what drawing needs under any model.
func (c *Client) drawingParts() interpolate.Parts {
	return interpolate.Parts{
		Protocol: c.protocol, World: c.world, View: c.view,
		Now: func() time.Time { return c.steps.now }, Partial: c.beginPartial,
		SendEvery: c.shape.sendEvery, Smoothing: c.config.Smoothing,
	}
}

// drawingStates is what drawing needs to draw by states, others damped or not.
func (c *Client) drawingStates(damped bool) interpolate.States {
	s := interpolate.States{
		Mirror: c.mirror, Written: c.owned.Mask,
		CoSimulated: func() bool { return c.reconciler.co.any },
	}
	if damped {
		s.Damping = &c.config.Damping
	}
	return s
}
