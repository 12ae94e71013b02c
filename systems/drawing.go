package systems

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/mirror"
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
		Mirror: &c.mirror, Indexes: &c.mirror.indexes, Written: c.owned.Mask,
		CoSimulated: func() bool { return c.reconciler.co.any },
	}
	if damped {
		s.Damping = &c.config.Damping
	}
	return s
}

// Replicas is the entities that are known.
func (m *mirrored) Replicas() []*mirror.Replica { return m.replicas }

// Find is the entity of a NetID, or nil.
func (m *mirrored) Find(id uint32) *mirror.Replica { return m.byID[id] }

// Group is the states that are kept of a group.
func (m *mirrored) Group(i int32) *mirror.History { return m.groups[i] }

// Newest is the newest send that was heard of, and its tick.
func (m *mirrored) Newest() (send, tick uint32) { return m.newestSend, m.newestTick }
