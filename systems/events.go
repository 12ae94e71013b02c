package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
)

// attachEvents gives the events of a server its world.
func (s *Server) attachEvents() {
	if s.config.Events != nil {
		s.config.Events.Attach(s.world, event.Hooks{Sees: s.sees, Broken: s.missed})
	}
}

// sees reports whether a client sees the entity of an event. One that is gone was seen
// by those who were shown it last.
func (s *Server) sees(w *ecs.World, about event.Subject, client uint32) bool {
	switch {
	case s.config.Visible == nil:
		return true
	case w.Alive(about.Entity):
		return s.config.Visible(w, about.Entity, client)
	}
	p := s.sessions.byID[client]
	return p != nil && p.snapshot != nil && s.snapshots.Showed(p.snapshot, about.NetID)
}

// missed ends the session of a client that an event could not be sent to.
func (s *Server) missed(client uint32, err error) {
	if session := s.Session(client); session != nil {
		s.config.Logger.Warn("client does not take its events", "client", client, "error", err)
		session.Close(s.link.now, netsys.ReasonKicked)
	}
}
