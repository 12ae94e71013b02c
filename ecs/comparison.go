package ecs

import (
	"cmp"
	"fmt"
	"iter"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// Hash returns a hash of all networked entities: for each entity its NetID and the fields of its replicated components. The
// hashes of entities are summed, so storage order does not matter. Worlds in the same state have the same hash on all
// peers. If hashes differ, find the component with [World.HashOf] and the system with [World.Trace].
func (w *World) Hash() uint64 {
	var sum uint64
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			h := mix64(mix64(uint64(id)) ^ t.Mask)
			for _, c := range w.setup.protocol.replicated {
				if c.Words > 0 && t.Mask&(1<<c.replicated) != 0 {
					h = mix64(h ^ c.Schema.Hash64(unsafe.Add(t.Column(c), uintptr(i)*c.size)))
				}
			}
			sum += h
		}
	}
	return sum
}

// HashOf returns a hash of one component over all entities that have it and a NetID, summed as in [World.Hash]. It covers
// the fields of replicated components, and all values of local components and inputs, which Hash leaves out. Peers that
// simulate the same have equal hashes. By exchanging them for all [Protocol.Components], peers find the component that
// differs, and with [World.HashFields] the field. Values of type Entity are equal only on peers with the same history from
// the start; NetIDs are equal on all.
func (w *World) HashOf(c *Component) uint64 {
	var sum uint64
	for t := range w.Netcode().Tables {
		if !t.t.mask.has(c.index) {
			continue
		}
		for i, id := range t.NetIDs {
			h := mix64(uint64(id))
			if c.size > 0 {
				h ^= c.values.hash(unsafe.Add(t.Column(c), uintptr(i)*c.size))
			}
			sum += mix64(h)
		}
	}
	return sum
}

// HashFields yields the path of each value of the component c, in memory order, and a hash of this value over the entities
// of [World.HashOf]. Peers that exchange them find the field that differs. All hashes differ if only one peer has c on some
// entity. Replicated values outside the range count as the end of the range. HashFields allocates; use it when HashOf
// differs.
func (w *World) HashFields(c *Component) iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		sums, words := make([]uint64, len(c.values.leaves)), make([]uint64, c.size/8+1)
		for t := range w.Netcode().Tables {
			if !t.t.mask.has(c.index) || c.size == 0 {
				continue
			}
			for i, id := range t.NetIDs {
				p := unsafe.Add(t.Column(c), uintptr(i)*c.size)
				if c.Schema != nil {
					// Encoding and decoding a copy sets bytes to zero that are not part of the value.
					clean := unsafe.Pointer(&words[0])
					if _, err := c.Schema.ReadRaw(c.Schema.AppendRaw(nil, p), clean); err == nil {
						p = clean
					}
				}
				for k := range sums {
					sums[k] += mix64(mix64(uint64(id)) ^ c.values.leaves[k].bits(p))
				}
			}
		}
		for k, sum := range sums {
			if !yield(c.values.path(&c.values.leaves[k]), sum) {
				return
			}
		}
	}
}

// Difference is the first difference of two states: by NetID, then by component in the order of registration, then by
// field. Entities without a NetID come last, in the order of their handle ids. Storage order does not matter.
type Difference struct {
	NetID     components.NetID // 0 when the entity has none, or nothing but the allocation of names differs
	Entity    Entity           // in the first state, or in the second when it lives in that alone
	Component string           // empty when the entity lives in one state only
	Field     string           // empty when one of the two has no such component
	A, B      string           // the values as text, "absent" where there is none
}

// String returns the difference as one line.
func (d Difference) String() string {
	what := d.Component
	if d.Field != "" {
		what += "." + d.Field
	}
	if what != "" {
		what += " of "
	}
	if d.NetID != 0 {
		return fmt.Sprintf("%sentity %d: %s and %s", what, d.NetID, d.A, d.B)
	}
	return fmt.Sprintf("%s%v: %s and %s", what, d.Entity, d.A, d.B)
}

// Texts of a Difference for entities, components and values that only one side has.
const (
	absent  = "absent"
	present = "present"
)

// Differs returns the first difference between two worlds of one protocol that simulate the same, such as peers under
// rollback or lockstep, or a world and its replay. It compares the entities with a NetID: replicated components as
// [World.Hash] does, local components by all their values. It ignores marks such as components.Predicted. It allocates and
// is much slower than Hash; use it when the hashes differ.
func Differs(a, b *World) (d Difference, differs bool) {
	best := firstDifference{}
	for t := range a.Netcode().Tables {
		for i, id := range t.NetIDs {
			e := t.Entities[i]
			other, _ := b.ByNetID(id)
			s := b.handles.at(other)
			if s == nil || s.suspended || s.table == nil {
				best.offer(Difference{NetID: id, Entity: e, A: present, B: absent})
				continue
			}
			at := func(c *Component) unsafe.Pointer { return b.storage.peek(s, c) }
			best.offerIf(differsIn(a.setup.protocol, id, e, func(c *Component) unsafe.Pointer { return a.storage.peek(a.handles.at(e), c) }, at))
		}
	}
	for t := range b.Netcode().Tables {
		for i, id := range t.NetIDs {
			e, _ := a.ByNetID(id)
			if s := a.handles.at(e); s == nil || s.suspended || s.table == nil {
				best.offer(Difference{NetID: id, Entity: t.Entities[i], A: absent, B: present})
			}
		}
	}
	return best.Difference, best.found
}

// Differs returns the first difference between the state captured under tick and the current state, like the function
// [Differs], but including entities without a NetID. It returns [ErrNoHistory] if the tick is not in the ring.
func (h *WorldHistory) Differs(tick uint32) (d Difference, differs bool, err error) {
	p, err := h.At(tick)
	if err != nil {
		return d, false, err
	}
	w, best := h.w, firstDifference{}
	for i := range p.c.tables {
		tc := &p.c.tables[i]
		for row, e := range tc.entities[:tc.n] {
			id, s := tc.name(row), w.handles.at(e)
			if s == nil || s.table == nil || s.netID != id {
				best.offer(Difference{NetID: id, Entity: e, A: present, B: absent})
				continue
			}
			then := func(c *Component) unsafe.Pointer {
				switch {
				case !tc.t.mask.has(c.index):
					return nil
				case c.size == 0:
					return unsafe.Pointer(&nothing)
				}
				return h.value(tc, row, c)
			}
			best.offerIf(differsIn(w.setup.protocol, id, e, then, func(c *Component) unsafe.Pointer { return w.storage.peek(s, c) }))
		}
	}
	for _, t := range w.storage.tables {
		w.storage.refresh(t)
		for _, e := range w.entities(t) {
			if tc, _ := p.find(e); tc == nil {
				best.offer(Difference{NetID: w.handles.slots[e.id].netID, Entity: e, A: absent, B: present})
			}
		}
	}
	if next := p.s.handles.nextNet; !best.found && next != w.handles.nextNet {
		best.offer(Difference{Component: "NetID", Field: "next", A: fmt.Sprint(next), B: fmt.Sprint(w.handles.nextNet)})
	}
	return best.Difference, best.found, nil
}

// differsIn returns the first component in which two states of an entity differ.
func differsIn(p *Protocol, id components.NetID, e Entity, a, b func(*Component) unsafe.Pointer) (Difference, bool) {
	for _, c := range p.all {
		if p.hidden(c) {
			continue
		}
		x, y := a(c), b(c)
		switch {
		case x == nil && y == nil:
		case x == nil:
			return Difference{id, e, c.Name, "", absent, present}, true
		case y == nil:
			return Difference{id, e, c.Name, "", present, absent}, true
		default:
			if field, a, b, differ := c.values.differs(x, y); differ {
				return Difference{id, e, c.Name, field, a, b}, true
			}
		}
	}
	return Difference{}, false
}

// firstDifference keeps the first of the offered differences.
type firstDifference struct {
	Difference
	found bool
}

func (f *firstDifference) offer(d Difference) { f.offerIf(d, true) }

func (f *firstDifference) offerIf(d Difference, differs bool) {
	before := cmp.Or(cmp.Compare(d.NetID-1, f.NetID-1), cmp.Compare(d.Entity.id, f.Entity.id)) < 0 // 0 comes last
	if differs && (!f.found || before) {
		f.Difference, f.found = d, true
	}
}
