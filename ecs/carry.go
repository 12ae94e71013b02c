package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// MaxCarried is the largest number of entities in a chain of carried entities. For example, a flag on a tank on a ship is a
// chain of two carried entities. Entities in longer chains or in circles are not placed, on any peer that sees the whole
// chain or circle.
const MaxCarried = 16

// Carry makes entities with a component A follow their carrier: on every peer that simulates them, after the systems of
// [Protocol.Simulate], and in views, after everything else is placed. So a flag is drawn on the tank that carries it,
// whether the tank is predicted, interpolated or co-simulated.
//
// A is a replicated component that names the carrier in a NetID field tagged parent; 0 means no carrier. P is a replicated
// component such as a position, which the carrier has and the carried entity gets. place returns the P of the carried
// entity. It must depend only on its A and the P of the carrier:
//
//	type Held struct {
//		By   components.NetID `net:"ref parent"`
//		X, Y float32          `net:"-8..8 step 0.01"`
//	}
//
//	ecs.Carry(p, func(h Held, tank Position) Position {
//		return Position{X: tank.X + h.X, Y: tank.Y + h.Y}
//	})
//
// Carry sends no data except A and P. Tag the fields of P with axis x and so on: then snapshots predict the place of the
// carried entity from its carrier, and 8 carried flags cost 1.4 bytes per snapshot instead of 18.
//
// If the place depends on the rotation of the carrier, P must include the heading, because place gets one component.
//
// Carried entities can carry others. If the carrier is gone, has no P, or is hidden from a client, the entity stays where
// it is and is drawn there. When the carrier changes, a view blends to the new place in 12 ticks, or immediately if
// components.Teleports counts. An entity that Authority attaches is at its carrier from the next tick on, and in views
// immediately.
//
// Call Carry once for each pair of A and P. If an entity has two such As, the first one with a carrier counts, in the order
// of the calls. Carry is part of [Protocol.Hash]. It panics if A or P is not suitable.
func Carry[A, P any](p *Protocol, place func(a A, carrier P) P) {
	a, c := p.byType[reflect.TypeFor[A]()], p.byType[reflect.TypeFor[P]()]
	call := fmt.Sprintf("ecs: Carry[%s, %s]", reflect.TypeFor[A](), reflect.TypeFor[P]())
	switch {
	case p.frozen.Load():
		panic(fmt.Sprintf("%s after a world uses protocol %q: call it before NewWorld", call, p.name))
	case place == nil:
		panic(call + " needs a function place(a, carrier) that returns the place of the carried entity")
	case a == nil || a.Words == 0:
		panic(fmt.Sprintf("%s: call Replicate[%s] first", call, reflect.TypeFor[A]()))
	case c == nil || c.Words == 0:
		panic(fmt.Sprintf("%s: call Replicate[%s] first", call, reflect.TypeFor[P]()))
	case a == c:
		panic(call + " takes two different components: the one that names the carrier, and the place")
	}
	i := slices.IndexFunc(a.Schema.Fields, func(f schema.Field) bool { return f.Parent })
	if i < 0 || a.Schema.Fields[i].Kind != reflect.Uint32 {
		panic(fmt.Sprintf("%s: %s names no carrier: give it a field like By components.NetID `net:\"ref parent\"`", call, a.Name))
	}
	at := slices.IndexFunc(p.systems.carried, func(x *Carried) bool { return x.Component == c })
	if at < 0 {
		if at = len(p.systems.carried); at == 0 {
			p.systems.carry = p.system("Carry", carry)
		}
		p.systems.carried = append(p.systems.carried, &Carried{Component: c})
	}
	x := p.systems.carried[at]
	if slices.ContainsFunc(x.By, func(by CarriedBy) bool { return by.A == a }) {
		panic(call + " is called twice: use one function")
	}
	x.By = append(x.By, CarriedBy{A: a, Names: &a.Schema.Fields[i], Place: func(dst, a, carrier unsafe.Pointer) {
		*(*P)(dst) = place(*(*A)(a), *(*P)(carrier))
	}})
}

// Carried is a component that [Carry] places, for the netcode.
type Carried struct {
	Component *Component
	By        []CarriedBy // in the order of the calls
}

// CarriedBy is one call of [Carry], for the netcode.
type CarriedBy struct {
	A     *Component
	Names *schema.Field // the field of A that names the carrier
	// Place computes the carried entity's component from its A and from the carrier's component, and writes it to dst.
	Place func(dst, a, carrier unsafe.Pointer)
}

// Parent returns the NetID of the carrier in the A at a; 0 means none.
func (c *CarriedBy) Parent(a unsafe.Pointer) components.NetID {
	return *(*components.NetID)(unsafe.Add(a, c.Names.Offset))
}

// CarriedIn returns the components that [Carry] places, in the order of the calls.
func CarriedIn(p *Protocol) []*Carried { return p.systems.carried }

// Link is an entity and its carrier.
type Link struct {
	Entity, Carrier Entity
	ID              components.NetID // of the carrier
	by              *CarriedBy
}

// Chain writes the carrier of e, the carrier's carrier and so on to links, and returns their number. It returns 0 if e has
// no carrier, if the carriers form a circle, or if they do not fit. If simulated is true, it omits the links of entities
// that this peer does not simulate, and the links after them; circles and lengths are checked as before.
func (c *Carried) Chain(w *World, e Entity, simulated bool, links *[MaxCarried]Link) (n int) {
	for all := 0; ; all++ {
		s := w.handles.at(e)
		if s == nil || s.table == nil || s.suspended {
			return n
		}
		simulated := !simulated || n == all && w.simulates(s.table)
		l, ok := c.link(w, s)
		switch {
		case !ok:
			return n
		case all == len(links):
			return 0
		}
		if l.Entity = e; simulated {
			links[n], n = l, n+1
		}
		e = l.Carrier
	}
}

// Unseen reports whether a direct or indirect carrier of e in w is missing in other or has no place there. Then other may
// place e differently, because it lacks the place or cannot detect a circle or a chain that is too long.
func (c *Carried) Unseen(w *World, e Entity, other *World) bool {
	place := other.Protocol().Replicated()[c.Component.Replicated()]
	for range MaxCarried + 1 {
		l, ok := c.link(w, w.handles.at(e))
		if !ok {
			return false
		}
		if carrier, there := other.ByNetID(l.ID); !there || other.Netcode().Pointer(carrier, place) == nil {
			return true
		}
		e = l.Carrier
	}
	return false
}

// link returns the carrier of a stored entity.
func (c *Carried) link(w *World, s *slot) (l Link, ok bool) {
	if !s.table.mask.has(c.Component.index) {
		return l, false
	}
	for i := range c.By {
		by := &c.By[i]
		if !s.table.mask.has(by.A.index) {
			continue
		}
		id := by.Parent(w.storage.stored(s, by.A))
		if id == 0 {
			continue
		}
		carrier, known := w.ByNetID(id)
		if known {
			x := w.handles.at(carrier)
			known = x.table != nil && !x.suspended && x.table.mask.has(c.Component.index)
		}
		return Link{Carrier: carrier, ID: id, by: by}, known
	}
	return l, false
}

// Place sets the component of the carried entity of a link.
func (c *Carried) Place(w *World, l *Link) {
	s, carrier := w.handles.at(l.Entity), w.handles.at(l.Carrier)
	l.by.Place(w.storage.stored(s, c.Component), w.storage.stored(s, l.by.A), w.storage.stored(carrier, c.Component))
}

// carry is the system Carry: it places all simulated entities, carriers first.
func carry(w *World) {
	var links [MaxCarried]Link
	for _, c := range w.setup.protocol.systems.carried {
		for _, t := range w.storage.tables {
			if !w.simulates(t) || !c.among(&t.mask) {
				continue
			}
			w.storage.refresh(t)
			for _, e := range w.entities(t) {
				for n := c.Chain(w, e, true, &links); n > 0; n-- {
					c.Place(w, &links[n-1])
				}
			}
		}
	}
}

// among reports whether entities with these components can be carried.
func (c *Carried) among(m *mask) bool {
	return m.has(c.Component.index) && slices.ContainsFunc(c.By, func(by CarriedBy) bool { return m.has(by.A.index) })
}
