package systems

import (
	"cmp"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/flight"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

// attachEvents attaches the events of a server to its world.
func (s *Server) attachEvents() {
	if s.config.Events != nil {
		s.config.Events.Attach(s.world, event.Hooks{Sees: s.sees, Simulated: policy.TraitsOf(s.config.Model).RelaysInputs, Broken: s.dropUnreachable})
	}
}

// sees reports whether a client sees the entity of an event. For an entity that is gone, it reports whether the
// client saw it last.
func (s *Server) sees(w *ecs.World, about event.Subject, client uint32) bool {
	p := s.sessions.byID[client]
	switch {
	case s.config.Snapshots.Interest == nil:
		return true
	case p == nil || p.snapshot == nil:
		return false
	case w.Alive(about.Entity):
		return s.snapshots.Sees(p.snapshot, about.Entity)
	}
	return s.snapshots.Showed(p.snapshot, about.NetID)
}

// dropUnreachable ends the session of a client to which an event could not be sent.
func (s *Server) dropUnreachable(client uint32, err error) {
	if session := s.Session(client); session != nil {
		s.config.Logger.Warn("client dropped: its events could not be sent", "client", client, "error", err)
		session.Close(s.link.now, netsys.ReasonKicked)
	}
}

// lagComp returns the configuration of lag compensation with the server's send rate.
func (c ServerConfig) lagComp() (lagcomp.Config, error) {
	l := *c.LagComp
	l.SendRate = cmp.Or(l.SendRate, c.Snapshots.SendRate)
	if c.Snapshots.SendRate > 0 && l.SendRate != c.Snapshots.SendRate {
		return l, fmt.Errorf("%w: LagComp.SendRate %d differs from SendRate %d: set it to 0 or to the same value", ErrConfig, l.SendRate, c.Snapshots.SendRate)
	}
	if err := l.Validate(); err != nil {
		return l, fmt.Errorf("%w: LagComp: %w", ErrConfig, err)
	}
	return l, nil
}

// attachLagComp makes the world remember the sent states for lagcomp.As. The system Record runs directly before
// Snapshot, so that it stores what snapshots contain, however many ticks a wake-up has run. If only inputs are
// sent, all entities are shown at the present tick, and there is nothing to compensate.
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
		for _, p := range s.sessions.peers.All() {
			if p.spectator {
				continue
			}
			comp.Consume(p.ID, p.inputs.Consumed())
			s.flight.claim(flight.Consumed, p.ID, p.inputs.Consumed(), &p.flight.consumed)
			s.logViews(p, comp.StatsOf(p.ID))
		}
		comp.Record(s.link.tick)
		s.flight.recorded(s.link.tick)
	}})
}

// logViews logs the first claim of a client that was moved into its bounds.
func (s *Server) logViews(p *peer, st lagcomp.Stats) {
	if st.Old+st.Ahead+st.Backwards > 0 && p.Logged.First(notice.View) {
		s.config.Logger.Warn("lag compensation moved a claim into its bounds; more from this client are only counted",
			"client", p.ID, "old", st.Old, "ahead", st.Ahead, "backwards", st.Backwards, "oldest", st.Oldest)
	}
}

// LagComp returns the lag compensation, for its counters; nil if ServerConfig.LagComp is nil, or if all entities
// are shown at the present tick.
func (s *Server) LagComp() *lagcomp.Compensator { return s.lagComp }

// acknowledge records which states clients have.
func (s *Server) acknowledge() {
	if s.lagComp == nil {
		return
	}
	for _, p := range s.sessions.peers.All() {
		if p.acked > 0 && !p.spectator {
			s.lagComp.Acknowledge(p.ID, p.acked)
			s.flight.claim(flight.Acknowledged, p.ID, p.acked, &p.flight.acked)
		}
	}
}

// forget removes clients that are gone from lag compensation.
func (s *Server) forget(clients []uint32) {
	if s.lagComp == nil {
		return
	}
	for _, id := range clients {
		s.lagComp.Forget(id)
		if s.flight != nil {
			s.flight.Claim(flight.Forgotten, id, 0)
		}
	}
}
