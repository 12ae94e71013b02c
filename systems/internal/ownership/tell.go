package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Tell puts into the notices of clients what was refused, and what they may write
// from now on; tick is the server's next.
func (s *Server) Tell(tick uint32) {
	if len(s.coder.Components) == 0 {
		return
	}
	for _, v := range s.clients.All() {
		s.tell(v, tick)
	}
}

func (s *Server) tell(v *Values, tick uint32) {
	for i := range v.kept {
		h := &v.kept[i]
		if h.refused == 0 || h.telling {
			continue
		}
		comp := s.coder.Components[h.component]
		s.words = reuse.Slice(s.words, comp.Words)
		comp.Schema.Quantize(s.words, comp.Words, s.world.Netcode().Pointer(h.entity, comp), 1)
		n := wire.Notice{Kind: wire.NoticeChange, Tick: tick, ID: h.id, Component: h.component, Seq: uint16(h.refused), Reason: h.reason}
		if !v.notices.Add(&n, s.words, comp.Schema) {
			return
		}
		h.telling, h.refused = true, 0
	}
	s.tellGrants(v, tick)
}

// grantsEvery is after how many wake-ups a client is told of grants although nobody
// gave or took any: owners change, and what a client sees.
const grantsEvery = 16

// tellGrants tells a client who may write differs from what it thinks: that owners may.
func (s *Server) tellGrants(v *Values, tick uint32) {
	a := &s.grants
	if len(a.list)+len(v.told) == 0 || v.seen == a.version && v.idle < grantsEvery {
		v.idle++
		return
	}
	for i := range a.list {
		g := &a.list[i]
		k := slices.IndexFunc(v.told, func(t toldGrant) bool { return t.entity == g.entity })
		may := g.client == v.client
		switch {
		case k >= 0 && v.told[k].may == may:
			continue
		case k < 0 && !may && Owner(s.world, g.entity) != v.client:
			continue // it never thought so
		case k < 0 && may && s.config.Sees != nil && !s.config.Sees(g.entity, v.client):
			continue // it may not know of it
		}
		n := wire.Notice{Kind: wire.NoticeRevoked, Tick: g.from, ID: g.id}
		if may {
			n.Kind = wire.NoticeGranted
		}
		if !v.notices.Add(&n, nil, nil) {
			return
		}
		if k < 0 {
			v.told = append(v.told, toldGrant{entity: g.entity, id: g.id})
			k = len(v.told) - 1
		}
		v.told[k].may = may
	}
	for k := 0; k < len(v.told); k++ {
		if s.world.Alive(v.told[k].entity) {
			continue
		}
		if !v.notices.Add(&wire.Notice{Kind: wire.NoticeGone, Tick: tick, ID: v.told[k].id}, nil, nil) {
			return
		}
		v.told = slices.Delete(v.told, k, k+1)
		k--
	}
	v.seen, v.idle = a.version, 0
}
