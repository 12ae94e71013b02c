package interest

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Client is what a program keeps of one client. The zero value is a client that has seen nothing.
type Client struct {
	// Seen are the entities of the newest frame that the client sees, by group, in order.
	Seen []Seen
	// All makes the client see every entity with all components.
	All bool

	id     uint32
	turn   uint64 // frame of the newest See
	send   uint32 // of that frame
	points [][]point
	values []kept
	mine   []ecs.Entity // its own entities
	asks   []uint64     // by filter: a hash of the components that the filter reads of the client's own entities
	inside [][]uint64   // by Grid and group: slots of the entities in reach
	heard  [][]heard    // by filter and group
}

// Seen is the part of a group that a client sees.
type Seen struct {
	Group  int
	Slots  uint64                  // of the visible entities, not 0
	Hidden [maxRestrictions]uint64 // by restriction: visible slots whose restricted components the client does not see
}

// kept are the values of a Same that the client's last entities had.
type kept struct {
	raw     []uint64
	numbers []int32
}

// Room is memory for See: one for each goroutine.
type Room struct {
	hash   maphash.Hash
	inside []uint64   // by group
	same   [][]uint64 // by Same and group: slots of the entities with a value of the client
}

// look is the evaluation of an interest for a client and a group.
type look struct {
	p     *Program
	c     *Client
	r     *Room
	group int
}

// See sets c.Seen to the entities of the newest frame that a client sees.
func (p *Program) See(c *Client, id uint32, r *Room) {
	p.stand(c, id, r)
	p.forgetChanged(c)
	for i, g := range p.grids {
		r.inside = reuse.Slice(r.inside, len(p.frame.Groups))
		clear(r.inside)
		g.reach(c.points[i], c.inside[i], r.inside)
		c.inside[i], r.inside = r.inside, c.inside[i]
	}
	for i, s := range p.sames {
		r.same[i] = reuse.Slice(r.same[i], len(p.frame.Groups))
		clear(r.same[i])
		for _, n := range c.values[i].numbers {
			for _, x := range s.values[n].seen {
				r.same[i][x.Group] |= x.Slots
			}
		}
	}
	owned := p.frame.Owned(id)
	c.Seen = c.Seen[:0]
	for g := range p.frame.Groups {
		var own uint64
		alive := p.frame.Groups[g].Alive
		if own, owned = slotsOf(owned, g); alive == 0 {
			continue
		}
		if c.All {
			c.Seen = append(c.Seen, Seen{Group: g, Slots: alive})
			continue
		}
		l := look{p: p, c: c, r: r, group: g}
		if slots := l.say(&p.entities, alive&^own).sees()&alive | own; slots != 0 {
			c.Seen = append(c.Seen, Seen{g, slots, l.restrict(slots &^ own)})
		}
	}
	c.send = p.frame.Send
}

// slotsOf returns the slots of a client's entities in a group, and the rest of the list.
func slotsOf(all []frames.Owned, group int) (slots uint64, rest []frames.Owned) {
	for ; len(all) > 0 && all[0].Group <= group; all = all[1:] {
		if all[0].Group == group {
			slots |= 1 << all[0].Slot
		}
	}
	return slots, all
}

// Room returns new memory for See.
func (p *Program) Room() (r Room) {
	r.hash.SetSeed(p.seed)
	r.same = make([][]uint64, len(p.sames))
	return r
}

// forgetChanged forgets what was known of slots that have another entity than at the client's previous See.
func (p *Program) forgetChanged(c *Client) {
	groups := len(p.frame.Groups)
	for i := range c.inside {
		c.inside[i] = reuse.Longer(c.inside[i], groups)
	}
	for i, x := range p.filters {
		c.heard[i] = reuse.Longer(c.heard[i], groups)
		for g := range c.heard[i] {
			if c.turn != p.turn-1 {
				c.heard[i][g].known = 0
			}
			c.heard[i][g].known &^= x.groups[g].changed
		}
	}
	c.turn = p.turn
	for g, newest := range p.changed {
		if newest > c.send {
			came := p.ring.Changes(g).Came(p.frame.Groups[g].Alive, c.send)
			for i := range c.inside {
				c.inside[i][g] &^= came
			}
		}
	}
}

// stand updates the places and values of a client's own entities, and a hash of the components that filters read of them. A
// client without entities keeps the places and values of its last ones.
func (p *Program) stand(c *Client, id uint32, r *Room) {
	n := p.w.Netcode()
	if c.id = id; c.points == nil {
		c.points, c.values = make([][]point, len(p.grids)), make([]kept, len(p.sames))
		c.asks = make([]uint64, len(p.filters))
		c.inside, c.heard = make([][]uint64, len(p.grids)), make([][]heard, len(p.filters))
	}
	c.mine = c.mine[:0]
	for _, o := range p.frame.Owned(id) {
		c.mine = append(c.mine, p.frame.Entity(o.Group, o.Slot))
	}
	for i, s := range p.sames {
		s.stand(n, c.mine, &c.values[i])
	}
	for i, g := range p.grids {
		first := true
		for _, e := range c.mine {
			if at := n.Pointer(e, g.comp); at != nil {
				if first {
					c.points[i], first = c.points[i][:0], false
				}
				c.points[i] = append(c.points[i], g.point(at))
			}
		}
		if g.eyes != own {
			c.points[i] = g.sight(c.points[i], c.values[g.eyes].numbers, first)
		}
	}
	for i, x := range p.filters {
		reads := uint64(0)
		for _, e := range c.mine {
			reads = bits.RotateLeft64(reads, 5) ^ x.me.hash(p.w, e, &r.hash)
		}
		if reads != c.asks[i] {
			c.asks[i] = reads
			for g := range c.heard[i] {
				c.heard[i][g].known = 0
			}
		}
	}
}

// stand updates the values of a client's entities.
func (s *same) stand(n *ecs.Netcode, mine []ecs.Entity, k *kept) {
	words := int(s.size+7) / 8
	first := true
	for _, e := range mine {
		v := n.Pointer(e, s.comp)
		if v == nil {
			continue
		}
		if first {
			k.raw, first = k.raw[:0], false
		}
		at := len(k.raw)
		for range max(words, 1) {
			k.raw = append(k.raw, 0)
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&k.raw[at])), s.size), unsafe.Slice((*byte)(v), s.size))
	}
	k.numbers = k.numbers[:0]
	for at := 0; at < len(k.raw); at += max(words, 1) {
		if v := s.find(unsafe.Pointer(&k.raw[at])); v >= 0 && !slices.Contains(k.numbers, v) {
			k.numbers = append(k.numbers, v)
		}
	}
}

// say returns the answers of a node for the slots of the group. Only the answers for the slots of are
// defined.
func (l *look) say(n *node, of uint64) (s said) {
	p, g := l.p, l.group
	switch n.op {
	case opAnd:
		for i := range n.of {
			s = s.and(l.say(&n.of[i], of&s.sees()))
		}
	case opOr:
		for i := range n.of {
			s = s.or(l.say(&n.of[i], of&^(s.says&s.yes)))
		}
		if n.hides {
			s = s.close(p.singletons[g])
		}
	case opGrid:
		s = said{p.grids[n.leaf].has[g], l.c.inside[n.leaf][g]}
	case opSame:
		s = said{p.sames[n.leaf].has[g], l.r.same[n.leaf][g]}
	case opFilter:
		x, h := p.filters[n.leaf], &l.c.heard[n.leaf][g]
		s.says = x.groups[g].says
		ask := of & s.says &^ h.known
		h.known |= ask
		h.yes &^= ask
		for ; ask != 0; ask &= ask - 1 {
			if _, yes := x.ask(p.w, l.c, p.frame.Entity(g, bits.TrailingZeros64(ask))); yes {
				h.yes |= ask & -ask
			}
		}
		s.yes = h.yes & s.says
	case opHas:
		s.says = p.having[n.leaf].slots[g]
		s.yes = s.says
	}
	return s
}

// Sees reports whether a client sees an entity as it is now. group and slot are its place at the
// newest send; group is -1 for none.
func (p *Program) Sees(c *Client, id uint32, e ecs.Entity, group, slot int) bool {
	if o := ecs.Get[components.Owner](p.w, e); c.All || o != nil && o.Client == id {
		return true
	}
	l := look{p: p, c: c, group: group}
	return c.points != nil && l.one(&p.entities, e, slot).sees()&1 != 0
}

// one returns the answer of a node for one entity as it is now, in slot 0.
func (l *look) one(n *node, e ecs.Entity, slot int) (s said) {
	p, w := l.p, l.p.w.Netcode()
	yes := func(ok bool) (s said) {
		if s.says = all; ok {
			s.yes = all
		}
		return s
	}
	switch n.op {
	case opAnd:
		for i := range n.of {
			s = s.and(l.one(&n.of[i], e, slot))
		}
	case opOr:
		for i := range n.of {
			s = s.or(l.one(&n.of[i], e, slot))
		}
		if n.hides && p.isSingleton(p.w.NetID(e)) {
			s = s.close(all)
		} else if n.hides {
			s = s.close(0)
		}
	case opGrid:
		x := p.grids[n.leaf]
		if at := w.Pointer(e, x.comp); at != nil {
			was := l.group >= 0 && l.group < len(l.c.inside[n.leaf]) && l.c.inside[n.leaf][l.group]>>slot&1 != 0
			return yes(was || nearest(l.c.points[n.leaf], x.point(at)) <= x.radius*x.radius)
		}
	case opSame:
		x := p.sames[n.leaf]
		if v := w.Pointer(e, x.comp); v != nil {
			return yes(slices.Contains(l.c.values[n.leaf].numbers, x.find(v)))
		}
	case opFilter:
		if says, ok := p.filters[n.leaf].ask(l.p.w, l.c, e); says {
			return yes(ok)
		}
	case opHas:
		if w.Pointer(e, p.having[n.leaf].comp) != nil {
			return yes(true)
		}
	}
	return s
}
