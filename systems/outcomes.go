package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// newOutcomes makes the log of a world in which a game does something about outcomes.
func newOutcomes(w *ecs.World, register func(*outcome.Log)) *outcome.Log {
	if register == nil {
		return nil
	}
	l := outcome.New(w, outcome.Config{})
	register(l)
	return l
}

// begin and end stand around each simulation of a tick, settle behind all of them:
// the ticks before a horizon are final.
func (s *Server) begin(tick uint32) {
	if s.config.Events != nil {
		s.config.Events.Start(tick)
	}
	if s.outcomes != nil {
		s.outcomes.Start(tick)
	}
}

func (s *Server) end() {
	if s.config.Events != nil {
		s.config.Events.Done()
	}
	if s.outcomes != nil {
		s.outcomes.Done()
	}
}

func (s *Server) settle(horizon uint32) {
	if s.config.Events != nil {
		s.config.Events.Settle(horizon)
	}
	if s.outcomes != nil {
		s.outcomes.Settle(horizon)
	}
}

// Outcomes is the log of irreversible outcomes, for its counters; nil where none are
// registered.
func (s *Server) Outcomes() *outcome.Log { return s.outcomes }

// begin and end stand around each simulation of a tick or, where own entities are
// predicted alone, of an input; rewind stands before what is simulated again.
func (c *Client) begin(tick uint32) {
	if c.config.Events != nil {
		c.config.Events.Start(tick)
	}
	if c.outcomes != nil {
		c.outcomes.Start(tick)
	}
}

func (c *Client) end() {
	if c.config.Events != nil {
		c.config.Events.Done()
	}
	if c.outcomes != nil {
		c.outcomes.Done()
	}
}

func (c *Client) rewind(from uint32) {
	if c.config.Events != nil {
		c.config.Events.Rewind(from)
	}
	if c.outcomes != nil {
		// What inputs before that raised is not simulated again, and followed from a
		// state that was wrong somewhere on the way.
		c.outcomes.Rewind(min(from, c.outcomes.Horizon()))
	}
}

func (c *Client) settle(horizon uint32) {
	if c.config.Events != nil {
		c.config.Events.Settle(horizon)
	}
	if c.outcomes != nil {
		c.outcomes.Settle(horizon)
	}
}

// provenInput is the last input whose result is known to be the server's. Own state that
// is too old to be compared proves nothing.
func (c *Client) provenInput() uint32 {
	if c.advice != nil {
		return c.settledInput()
	}
	return c.proven
}

// horizon is behind what the server still rewrites: a state that agrees proves a tick for
// good once that has left the window.
func (m *rewindClient) horizon() uint32 {
	window := uint32(m.policies.WindowTicks(m.world.TickRate()))
	return min(m.forwardClient.horizon(), m.own.tick-min(m.own.tick, window))
}

// Outcomes is the log of outcomes that this client foresees, for its counters; nil
// where none are registered, or the policies say that they are told at once.
func (c *Client) Outcomes() *outcome.Log { return c.outcomes }

// Policies are the netcode model, as the server told it; those of policy.LocalSync
// before the client is connected.
func (c *Client) Policies() policy.Policies { return c.policies }
