package systems

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
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
	return s.showed(client, about.NetID)
}

// showed reports whether the last snapshot for a client was about a world with an entity
// that it may see.
func (s *Server) showed(client uint32, id components.NetID) bool {
	f := s.frames.At(s.sentAt)
	if f == nil {
		return false
	}
	for _, p := range s.sessions.peers {
		if p.id != client {
			continue
		}
		for g := range min(len(f.Groups), len(p.baselines.World)) {
			cur := &f.Groups[g]
			for m := cur.Alive; m != 0; m &= m - 1 {
				if k := bits.TrailingZeros64(m); cur.IDs[k] == uint32(id) {
					hidden, _ := p.baselines.World[g].Hidden()
					return hidden&(1<<k) == 0
				}
			}
		}
	}
	return false
}

// missed ends the session of a client that an event could not be sent to.
func (s *Server) missed(client uint32, err error) {
	if session := s.Session(client); session != nil {
		s.config.Logger.Warn("client does not take its events", "client", client, "error", err)
		session.Close(s.link.now, netsys.ReasonKicked)
	}
}
