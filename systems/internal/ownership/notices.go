package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// QueueNotices queues notices about refusals and about changed rights to write. tick is the server's next tick.
func (s *Server) QueueNotices(tick uint32) {
	if len(s.coder.Components) == 0 {
		return
	}
	for _, v := range s.clients.All() {
		s.queueNotices(v, tick)
	}
}

func (s *Server) queueNotices(v *Values, tick uint32) {
	for i := range v.kept {
		h := &v.kept[i]
		if h.refused == 0 || h.notified {
			continue
		}
		comp := s.coder.Components[h.component]
		s.words = reuse.Slice(s.words, comp.Words)
		comp.Schema.Quantize(s.words, comp.Words, s.world.Netcode().Pointer(h.entity, comp), 1)
		n := wire.Notice{Kind: wire.NoticeChange, Tick: tick, ID: h.id, Component: h.component, Seq: uint16(h.refused), Reason: h.reason}
		if !v.notices.Add(&n, s.words, comp.Schema) {
			return
		}
		h.notified, h.refused = true, 0
	}
	s.queueGrants(v, tick)
}

// grantsInterval is the number of wake-ups after which a client's grants are checked even if none changed, because
// owners and visibility change, too.
const grantsInterval = 16

// queueGrants queues notices if a client's rights differ from what it knows. By default it assumes that owners may
// write.
func (s *Server) queueGrants(v *Values, tick uint32) {
	a := &s.grants
	if len(a.list)+len(v.knownGrants) == 0 || v.checkedVersion == a.version && v.idle < grantsInterval {
		v.idle++
		return
	}
	for i := range a.list {
		g := &a.list[i]
		k := slices.IndexFunc(v.knownGrants, func(t knownGrant) bool { return t.entity == g.entity })
		may := g.client == v.client
		switch {
		case k >= 0 && v.knownGrants[k].may == may:
			continue
		case k < 0 && !may && Owner(s.world, g.entity) != v.client:
			continue // the client never assumed so
		case k < 0 && may && s.config.Sees != nil && !s.config.Sees(g.entity, v.client):
			continue // the client may not know of the entity
		}
		n := wire.Notice{Kind: wire.NoticeRevoked, Tick: g.from, ID: g.id}
		if may {
			n.Kind = wire.NoticeGranted
		}
		if !v.notices.Add(&n, nil, nil) {
			return
		}
		if k < 0 {
			v.knownGrants = append(v.knownGrants, knownGrant{entity: g.entity, id: g.id})
			k = len(v.knownGrants) - 1
		}
		v.knownGrants[k].may = may
	}
	for k := 0; k < len(v.knownGrants); k++ {
		if s.world.Alive(v.knownGrants[k].entity) {
			continue
		}
		if !v.notices.Add(&wire.Notice{Kind: wire.NoticeGone, Tick: tick, ID: v.knownGrants[k].id}, nil, nil) {
			return
		}
		v.knownGrants = slices.Delete(v.knownGrants, k, k+1)
		k--
	}
	v.checkedVersion, v.idle = a.version, 0
}
