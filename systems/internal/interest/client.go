package interest

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
)

// Client is what a program keeps of one client. The zero value is a client that has seen nothing.
type Client struct {
	// Seen are the groups of the newest frame of which the client sees something, in order.
	Seen []Seen

	id     uint32
	turn   uint64 // frame of the newest See
	points [][]point
	values []kept
	mine   []ecs.Entity // its own entities
	asks   []uint64     // by filter: a hash of what the filter reads of the client's own entities
	near   []nearby     // groups that it sees, or may
	heard  []heard      // of each of near, by filter
	clientVariants
}

// Seen is the part of a group that a client sees.
type Seen struct {
	Group int
	// Slots are the slots of the entities that it sees. They are all slots if it sees every entity that
	// comes into the group.
	Slots uint64
}

// nearby is a group that a client may see.
type nearby struct {
	group  int32
	within uint8 // Grids by which it is near, one bit each
	whole  bool  // it sees all slots
}

// kept are the values of a Same that the client's last entities had.
type kept struct {
	raw     []uint64
	numbers []int32
}

// Room is memory for See: one for each goroutine.
type Room struct {
	hash   maphash.Hash
	mark   uint32
	marks  []uint32 // by group
	groups []int32
	near   []nearby
	heard  []heard
	cells  [][]cell // by Grid, that are near, if there are restrictions
}

// look is the evaluation of an interest for a client and a group.
type look struct {
	p     *Program
	c     *Client
	r     *Room // nil: the result is not kept
	group int32
	was   uint8 // Grids by which it was near
	now   uint8
	heard []heard
}

// See sets c.Seen to what a client sees of the newest frame.
func (p *Program) See(c *Client, id uint32, r *Room) {
	p.stand(c, id, r)
	r.begin(len(p.frame.Groups))
	owned, partly := p.frame.Owned(id), p.frame.Partly(id)
	c.start(p, r)
	if p.bounded {
		p.find(&p.entities, c, r)
		for i := range owned {
			r.take(int32(owned[i].Group))
		}
		for i := range c.near {
			if b := &c.near[i]; b.whole && p.frame.Resting(int(b.group)) {
				r.take(b.group)
			}
		}
		slices.Sort(r.groups)
	} else {
		for g := range p.frame.Groups {
			r.groups = append(r.groups, int32(g))
		}
	}
	c.Seen, r.near, r.heard = c.Seen[:0], r.near[:0], r.heard[:0]
	before := c.near
	nf := len(p.filters)
	for _, g := range r.groups {
		var own, part uint64
		alive := p.frame.Groups[g].Alive
		own, owned = slotsOf(owned, int(g))
		part, partly = slotsOf(partly, int(g))
		for len(before) > 0 && before[0].group < g {
			before = before[1:]
		}
		if alive == 0 { // it stays in sight for a while, so that the client receives the deaths
			if p.frame.Resting(int(g)) && len(before) > 0 && before[0].group == g && before[0].whole {
				r.near = append(r.near, before[0])
				r.heard = append(r.heard, p.silent...)
				c.Seen = append(c.Seen, Seen{int(g), all})
			}
			continue
		}
		l := look{p: p, c: c, r: r, group: g}
		at := len(r.heard)
		r.heard = append(r.heard, p.silent...)
		l.heard = r.heard[at:]
		if len(before) > 0 && before[0].group == g && !p.frame.Founded(int(g)) {
			l.was = before[0].within
			copy(l.heard, c.heard[nf*(len(c.near)-len(before)):][:nf])
			for i, x := range p.filters {
				l.heard[i].known &^= x.groups[g].changed
			}
		}
		slots := l.say(&p.entities, alive&^own&^part).sees()
		if len(p.restrictions) > 0 {
			slots = l.applyRestrictions(slots, alive, own, part)
		}
		if slots != all {
			slots = slots&alive | own
		}
		if slots != 0 {
			c.Seen = append(c.Seen, Seen{int(g), slots})
		}
		r.near = append(r.near, nearby{g, l.now, slots == all})
	}
	c.near, r.near = r.near, c.near
	c.heard, r.heard = r.heard, c.heard
	c.finish(r)
}

// slotsOf returns the slots of a client's entities in a group, and the rest of the list.
func slotsOf(all []capture.Owned, group int) (slots uint64, rest []capture.Owned) {
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
	if len(p.restrictions) > 0 {
		r.cells = make([][]cell, len(p.grids))
	}
	return r
}

func (r *Room) begin(groups int) {
	if len(r.marks) < groups {
		r.marks = append(r.marks, make([]uint32, groups-len(r.marks))...)
	}
	r.mark++
	r.groups = r.groups[:0]
}

// take adds a group to those that are evaluated, once.
func (r *Room) take(g int32) {
	if r.marks[g] != r.mark {
		r.marks[g] = r.mark
		r.groups = append(r.groups, g)
	}
}

// stand updates the places and values of a client's own entities, and
// what filters read of them. A client without entities keeps those of its last ones.
func (p *Program) stand(c *Client, id uint32, r *Room) {
	n := p.w.Netcode()
	if c.id = id; c.points == nil {
		c.points, c.values = make([][]point, len(p.grids)), make([]kept, len(p.sames))
		c.asks = make([]uint64, len(p.filters))
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
		if c.turn != p.turn-1 || reads != c.asks[i] {
			c.asks[i] = reads
			for k := i; k < len(c.heard); k += len(p.filters) {
				c.heard[k].known = 0
			}
		}
	}
	c.turn = p.turn
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

// find adds the groups that a client may see by a node that bounds them.
func (p *Program) find(n *node, c *Client, r *Room) {
	switch n.op {
	case opAnd:
		p.find(&n.of[n.bound], c, r)
	case opOr:
		for i := range n.of {
			p.find(&n.of[i], c, r)
		}
	case opGrid:
		g := p.grids[n.leaf]
		for _, at := range c.points[n.leaf] {
			g.near(at, r)
		}
		g.groups.of(nothing, r)
	case opSame:
		s := p.sames[n.leaf]
		for _, v := range c.values[n.leaf].numbers {
			s.groups.of(key{[3]int32{v}, true}, r)
		}
		s.groups.of(nothing, r)
	case opHas:
		for _, g := range p.having[n.leaf].groups {
			r.take(g)
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
			s = s.close()
		}
	case opGrid, opSame:
		if x := p.leafOf(n); p.has(g, x.slot) {
			if s.says = all; l.near(n, g) {
				s.yes = all
			}
		} else if x.restriction != unrestricted {
			s = l.whole(n, x, of)
		}
	case opFilter:
		x, h := p.filters[n.leaf], &l.heard[n.leaf]
		s.says = x.groups[g].says
		ask := of & s.says &^ h.known
		h.known |= ask
		h.yes &^= ask
		for ; ask != 0; ask &= ask - 1 {
			if _, yes := x.ask(p.w, l.c, p.frame.Entity(int(g), bits.TrailingZeros64(ask))); yes {
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

// has reports whether the entities of a group have the component of a Grid or Same.
func (p *Program) has(group int32, slot int) bool {
	return p.homes.list[p.at[group]].has>>slot&1 != 0
}

// Sees reports whether a client sees an entity as it is now. group is the group of the entity at the
// newest send, -1 for none.
func (p *Program) Sees(c *Client, id uint32, e ecs.Entity, group int) bool {
	if o := ecs.Get[components.Owner](p.w, e); o != nil && o.Client == id {
		return true
	}
	l := look{p: p, c: c, group: int32(group)}
	if i, ok := slices.BinarySearchFunc(c.near, int32(group), func(x nearby, g int32) int { return int(x.group - g) }); ok {
		l.was = c.near[i].within
	}
	return c.points != nil && l.one(&p.entities, e).sees()&1 != 0
}

// Explain appends to parts the answer of each operand for a client and an entity of the newest frame. It uses the results of
// See.
func (p *Program) Explain(parts []Part, c *Client, group, slot int) []Part {
	l, near := p.explainer(c, group)
	return l.explain(parts, &p.entities, slot, near)
}

// Untold returns the components of a visible entity of the newest frame that are hidden from a client.
func (p *Program) Untold(c *Client, group, slot int) (all []Untold) {
	l, near := p.explainer(c, group)
	for i := range p.restrictions {
		if p.pieces[group].less[i]>>slot&1 == 0 {
			continue
		}
		e := p.frame.Entity(group, slot)
		for m := p.restrictions[i].mask; m != 0; m &= m - 1 {
			if comp := p.protocol.Replicated()[bits.TrailingZeros64(m)]; p.w.Netcode().Pointer(e, comp) != nil {
				all = append(all, Untold{comp.Name, l.explain(nil, &p.restrictions[i].node, slot, near)})
			}
		}
	}
	return all
}

// explainer returns the evaluation of a group for a client as See left it. near is false if See did not evaluate the group.
func (p *Program) explainer(c *Client, group int) (l look, near bool) {
	l = look{p: p, c: c, group: int32(group)}
	i, near := slices.BinarySearchFunc(c.near, int32(group), func(x nearby, g int32) int { return int(x.group - g) })
	if near {
		l.now = c.near[i].within
		l.heard = c.heard[len(p.filters)*i:][:len(p.filters)]
	}
	return l, near
}

// one returns the answer of a node for one entity as it is now, in slot 0.
func (l *look) one(n *node, e ecs.Entity) (s said) {
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
			s = s.and(l.one(&n.of[i], e))
		}
	case opOr:
		for i := range n.of {
			s = s.or(l.one(&n.of[i], e))
		}
		if n.hides {
			s = s.close()
		}
	case opGrid:
		x := p.grids[n.leaf]
		if at := w.Pointer(e, x.comp); at != nil {
			here := x.point(at)
			return yes(l.stood(n) || x.within(l.c.points[n.leaf], &box{here, here}, false))
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
