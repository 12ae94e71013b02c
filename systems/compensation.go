package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// lagComp is the configuration of lag compensation, with the rate of the server's
// sends in it, or why it cannot be.
func (c ServerConfig) lagComp() (lagcomp.Config, error) {
	l := *c.LagComp
	if l.SendRate == 0 {
		l.SendRate = c.SendRate
	}
	if l.SendRate != c.SendRate {
		return l, fmt.Errorf("%w: LagComp.SendRate %d is not SendRate %d (0: that)", ErrConfig, l.SendRate, c.SendRate)
	}
	if err := l.Validate(); err != nil {
		return l, fmt.Errorf("%w: LagComp: %w", ErrConfig, err)
	}
	return l, nil
}

// attachLagComp makes the world remember what was sent of it, for lagcomp.As. The
// system Record stands right before Snapshot, so that what it keeps is what snapshots
// tell, however many ticks a wake-up has run. Where inputs alone are sent everybody is
// shown in the present, and there is nothing to compensate.
func (s *Server) attachLagComp() error {
	if s.config.LagComp == nil || !s.model.snapshots {
		return nil
	}
	config, err := s.config.lagComp()
	if err != nil {
		return err
	}
	comp, err := lagcomp.New(s.world, config)
	if err != nil {
		return fmt.Errorf("%w: LagComp: %w", ErrConfig, err)
	}
	s.lagComp = comp
	ecs.SetResource(s.world, comp)
	return s.stages.schedule.InsertBefore("Snapshot", ecs.System{Name: "Record", Run: func(*ecs.World) {
		for _, p := range s.sessions.peers {
			comp.Consume(p.ID, p.inputs.Consumed())
		}
		comp.Record(s.link.tick)
	}})
}

// LagComp is the memory of what clients saw, for its counters; nil where
// ServerConfig.LagComp is, and where everybody is shown in the present.
func (s *Server) LagComp() *lagcomp.Compensator { return s.lagComp }

// has notes that a client has the state of a tick.
func (s *Server) has(client, tick uint32) {
	if s.lagComp != nil {
		s.lagComp.Acknowledge(client, tick)
	}
}

// forget drops what lag compensation knows of clients that are gone.
func (s *Server) forget(clients []uint32) {
	if s.lagComp == nil {
		return
	}
	for _, id := range clients {
		s.lagComp.Forget(id)
	}
}
