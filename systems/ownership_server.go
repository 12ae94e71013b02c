package systems

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// maxOwnedValues is how many components of a client's the server keeps values of.
const maxOwnedValues = 256

// ChangeStats counts what became of values of ecs.ClientOwned components that a client
// sent.
type ChangeStats struct {
	Taken   uint64 // accepted, and written to the world
	Refused uint64 // by ServerConfig.Accept
	Unowned uint64 // of components that are not the client's: forged, or taken back while they were on their way
	Flooded uint64 // of more components than are kept for a client
}

func (s *ChangeStats) add(o ChangeStats) {
	s.Taken += o.Taken
	s.Refused += o.Refused
	s.Unowned += o.Unowned
	s.Flooded += o.Flooded
}

// serverChanges is what a server needs to take changes over.
type serverChanges struct {
	components []*ecs.Component // that clients write
	coder      wire.ChangeCoder
	ownership  ownership
	scratch    []uint64 // room for one value
	words      []int32
}

// ownedValue is the value that a client gave a component.
type ownedValue struct {
	entity    ecs.Entity
	id        uint32
	component int
	seq       uint32  // newest packet that had one
	words     []int32 // in it
	asked     bool    // not decided yet
	received  bool    // what was refused the client knows, so that it may ask for the same again
	standing  []int32 // accepted last; empty: none

	refused uint32 // packet whose value was refused, after which none was accepted; 0: none
	telling bool   // the client is being told of that one or an earlier one
	reason  string
}

// peerChanges is what a server keeps of one client's.
type peerChanges struct {
	newest uint32 // packet
	owned  []ownedValue
	told   []toldGrant
	idle   int    // wake-ups since told was looked at
	seen   uint32 // version of the authority that told follows from
	stats  ChangeStats
}

// attachChanges prepares a server for client-owned components.
func (s *Server) attachChanges() error {
	c := &s.changes
	c.components = foreignComponents(s.protocol)
	c.coder = wire.NewChangeCoder(c.components)
	c.ownership.by = make(map[ecs.Entity]int)
	ecs.SetResource(s.world, &c.ownership)
	return checkForeign(c.components, s.policies)
}

// takeChanges takes in the changes in front of a packet and returns the packet without
// them; false where there is nothing more to be read of it.
func (s *Server) takeChanges(p *peer, pk netsys.Packet) (netsys.Packet, bool) {
	c := &p.changes
	seq := codec.Lift(pk.Seq, max(c.newest, 1<<16)) // 0 stands for none
	c.newest = max(c.newest, seq)
	if len(pk.Data) == 0 || pk.Data[0]&wire.KindMask != wire.KindChanges {
		return pk, true
	}
	coder := &s.changes.coder
	rest, err := coder.Read(pk.Data)
	if err != nil {
		s.refuse(p, err)
		return pk, false
	}
	for i := range coder.Told {
		m := &coder.Told[i]
		e, ok := s.world.ByNetID(netID(m.ID))
		if !ok {
			continue // it is gone
		}
		if s.world.Netcode().Pointer(e, coder.Components[m.Component]) == nil || s.changes.ownership.owner(s.world, e) != p.id {
			c.stats.Unowned++
			continue
		}
		h := s.held(p, e, m)
		if h == nil {
			c.stats.Flooded++
			continue
		}
		if seq <= h.seq {
			continue
		}
		h.seq = seq
		if words := coder.Value(m); h.received || !slices.Equal(words, h.words) {
			h.asked, h.received = true, false
			h.words = append(h.words[:0], words...)
		}
	}
	pk.Data = rest
	return pk, true
}

// held is where the value of a component is kept; nil where there is no room.
func (s *Server) held(p *peer, e ecs.Entity, m *wire.ToldChange) *ownedValue {
	c := &p.changes
	for i := range c.owned {
		if h := &c.owned[i]; h.entity == e && h.component == m.Component {
			return h
		}
	}
	if len(c.owned) == maxOwnedValues {
		return nil
	}
	c.owned = append(c.owned, ownedValue{entity: e, id: m.ID, component: m.Component})
	return &c.owned[len(c.owned)-1]
}

// decideChanges asks the game about what clients want, once a component and wake-up,
// and writes what stands.
func (s *Server) decideChanges() {
	if len(s.changes.components) == 0 {
		return
	}
	s.changes.ownership.sweep(s.world)
	for _, p := range s.sessions.peers {
		c := &p.changes
		c.owned = slices.DeleteFunc(c.owned, func(h ownedValue) bool {
			return s.world.Netcode().Pointer(h.entity, s.changes.components[h.component]) == nil ||
				s.changes.ownership.owner(s.world, h.entity) != p.id
		})
		for i := range c.owned {
			if h := &c.owned[i]; h.asked {
				h.asked = false
				s.decide(p, h)
			}
		}
		s.writeOwned(p)
	}
}

// decide asks the game about one value.
func (s *Server) decide(p *peer, h *ownedValue) {
	comp := s.changes.components[h.component]
	s.changes.scratch = reuse.Slice(s.changes.scratch, int(comp.Schema.Size+7)/8+1)
	value := unsafe.Pointer(&s.changes.scratch[0])
	comp.Schema.Dequantize(value, h.words, comp.Words, 1)
	if s.config.Accept != nil {
		err := s.config.Accept(s.world, Change{Client: p.id, Entity: h.entity, Component: comp, Value: value})
		if err != nil {
			p.changes.stats.Refused++
			if p.logged.First(notice.Change) {
				s.config.Logger.Warn("change refused; more from this client are only counted", "client", p.id, "entity", h.id, "component", comp.Name, "reason", err)
			}
			h.refused, h.reason = h.seq, err.Error()
			return
		}
	}
	p.changes.stats.Taken++
	h.standing = append(h.standing[:0], h.words...)
	h.refused = 0
}

// writeOwned writes what a client was allowed to.
func (s *Server) writeOwned(p *peer) {
	for i := range p.changes.owned {
		h := &p.changes.owned[i]
		comp := s.changes.components[h.component]
		if dst := s.world.Netcode().Pointer(h.entity, comp); dst != nil && len(h.standing) > 0 {
			comp.Schema.Dequantize(dst, h.standing, comp.Words, 1)
		}
	}
}

// restoreChanges writes again what a server that went back in time has undone.
func (s *Server) restoreChanges() {
	if !s.model.restores {
		return
	}
	for _, p := range s.sessions.peers {
		s.writeOwned(p)
	}
}

// toldGrant is what a client knows, or is being told, of the authority over an entity.
type toldGrant struct {
	entity ecs.Entity
	id     uint32
	may    bool
}

// tellChanges puts into the notices of a client what was refused, and what it may write
// from now on.
func (s *Server) tellChanges(p *peer) {
	for i := range p.changes.owned {
		h := &p.changes.owned[i]
		if h.refused == 0 || h.telling {
			continue
		}
		comp := s.changes.components[h.component]
		s.changes.words = reuse.Slice(s.changes.words, comp.Words)
		comp.Schema.Quantize(s.changes.words, comp.Words, s.world.Netcode().Pointer(h.entity, comp), 1)
		n := wire.Notice{Kind: wire.NoticeChange, Tick: s.link.tick, ID: h.id, Component: h.component, Seq: uint16(h.refused), Reason: h.reason}
		if !p.notices.Add(&n, s.changes.words, comp.Schema) {
			return
		}
		h.telling, h.refused = true, 0
	}
	s.tellGrants(p)
}

// grantsEvery is after how many wake-ups a client is told of authority although nobody
// gave or took any: owners change, and what a client sees.
const grantsEvery = 16

// tellGrants tells a client how authority differs from what it thinks: that it lies with
// owners.
func (s *Server) tellGrants(p *peer) {
	a, c := &s.changes.ownership, &p.changes
	if len(a.grants)+len(c.told) == 0 || c.seen == a.version && c.idle < grantsEvery {
		c.idle++
		return
	}
	for i := range a.grants {
		g := &a.grants[i]
		k := slices.IndexFunc(c.told, func(t toldGrant) bool { return t.entity == g.entity })
		may := g.client == p.id
		switch {
		case k >= 0 && c.told[k].may == may:
			continue
		case k < 0 && !may && ownerOf(s.world, g.entity) != p.id:
			continue // it never thought so
		case k < 0 && may && s.config.Visible != nil && ownerOf(s.world, g.entity) != p.id && !s.config.Visible(s.world, g.entity, p.id):
			continue // it may not know of it
		}
		n := wire.Notice{Kind: wire.NoticeRevoked, Tick: g.from, ID: g.id}
		if may {
			n.Kind = wire.NoticeGranted
		}
		if !p.notices.Add(&n, nil, nil) {
			return
		}
		if k < 0 {
			c.told = append(c.told, toldGrant{entity: g.entity, id: g.id})
			k = len(c.told) - 1
		}
		c.told[k].may = may
	}
	for k := 0; k < len(c.told); k++ {
		if s.world.Alive(c.told[k].entity) {
			continue
		}
		if !p.notices.Add(&wire.Notice{Kind: wire.NoticeGone, Tick: s.link.tick, ID: c.told[k].id}, nil, nil) {
			return
		}
		c.told = slices.Delete(c.told, k, k+1)
		k--
	}
	c.seen, c.idle = a.version, 0
}

// received notes that the client has heard of a notice, which may be of a refusal.
func (c *peerChanges) received(n *wire.Notice) {
	if n.Kind != wire.NoticeChange {
		return
	}
	for i := range c.owned {
		if h := &c.owned[i]; h.id == n.ID && h.component == n.Component {
			h.telling, h.received = false, h.refused == 0
		}
	}
}
