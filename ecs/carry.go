package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// MaxCarried bounds how many entities carry one another in a row: a flag on a tank on a
// ship are two that are carried. What is carried in a longer row, or in a circle, is not
// placed, on any peer that sees the whole row or circle.
const MaxCarried = 16

// Carry makes entities with an A stand where another entity has them: on every peer that
// simulates them, after the systems of [Protocol.Simulate], and in views, after all else is
// drawn. So a flag is drawn on the tank that carries it, whether that is predicted,
// interpolated or co-simulated.
//
// A names the carrier: a replicated component with a NetID field that is tagged parent, 0
// for nobody. P is what the carrier has and the carried entity gets, a replicated component
// such as a position. place gives the carried entity's P, by its A and the carrier's P; it
// must depend on nothing else:
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
// Nothing travels for it but A and P themselves. Tag the fields of P axis x and so on: then snapshots
// predict the place of the carried from its carrier's, and 8 flags that are carried cost 1.4 bytes a
// snapshot in place of 18.
//
// Where a place turns with its carrier, P has to have the heading, too: place sees one component.
//
// What is carried may carry others. An entity whose carrier is gone, has no P, or is out of
// a client's sight, stays where it is, and is drawn there. In a view a place that another
// carrier gives is gone over to in 12 ticks, or at once where components.Teleports counts.
// What Authority attaches stands at its carrier from the next tick on, and in views at once.
//
// Call it once for each P of an A, and for each A: of an entity with two A's the first one
// that names a carrier counts, in the order of these calls. Carry is part of
// [Protocol.Hash]. It panics when A or P does not fit, with what to write instead.
func Carry[A, P any](p *Protocol, place func(a A, carrier P) P) {
	a, c := p.byType[reflect.TypeFor[A]()], p.byType[reflect.TypeFor[P]()]
	call := fmt.Sprintf("ecs: Carry[%s, %s]", reflect.TypeFor[A](), reflect.TypeFor[P]())
	switch {
	case p.frozen.Load():
		panic(fmt.Sprintf("%s after the protocol %q was put to use: call it before NewWorld", call, p.name))
	case place == nil:
		panic(call + " needs a function: place(a, carrier) gives the place of what is carried")
	case a == nil || a.Words == 0:
		panic(fmt.Sprintf("%s: call Replicate[%s] first", call, reflect.TypeFor[A]()))
	case c == nil || c.Words == 0:
		panic(fmt.Sprintf("%s: call Replicate[%s] first", call, reflect.TypeFor[P]()))
	case a == c:
		panic(call + " takes two components: one that names the carrier, and what is placed")
	case (a.Mode|c.Mode)&ClientOwned != 0:
		panic(call + ": Simulate places what is carried, and cannot read what is ClientOwned")
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
		panic(call + " is called twice: one function places it")
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

// CarriedBy is a call of [Carry], for the netcode.
type CarriedBy struct {
	A     *Component
	Names *schema.Field // of A: the one that names the carrier
	// Place writes to dst what the A and the carrier's component at these places give.
	Place func(dst, a, carrier unsafe.Pointer)
}

// Parent is whom the A at a names as the carrier, 0 for nobody.
func (c *CarriedBy) Parent(a unsafe.Pointer) components.NetID {
	return *(*components.NetID)(unsafe.Add(a, c.Names.Offset))
}

// CarriedIn lists the components that [Carry] places, in the order of the calls.
func CarriedIn(p *Protocol) []*Carried { return p.systems.carried }

// Link is an entity that another one carries.
type Link struct {
	Entity, Carrier Entity
	ID              components.NetID // of the carrier
	by              *CarriedBy
}

// Chain writes to links the carrier of e, the carrier of that, and so on, and returns how many carriers it wrote: 0 where
// nobody carries e, and where the carriers form a circle or are more than fit. With simulated it writes none for an entity
// that this peer does not simulate, nor those that follow; a circle or a row that is too long counts as such all the same.
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

// Unseen reports whether one of those that carry e in w, directly or in a row, is not in other, or has no place there. Then
// other may place e elsewhere: it does not know where to, or does not know that the row is a circle or too long.
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

// link is who carries a stored entity.
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

// Place puts the entity of a link where its carrier has it.
func (c *Carried) Place(w *World, l *Link) {
	s, carrier := w.handles.at(l.Entity), w.handles.at(l.Carrier)
	l.by.Place(w.storage.stored(s, c.Component), w.storage.stored(s, l.by.A), w.storage.stored(carrier, c.Component))
}

// carry is the system Carry: it places all that this peer simulates, carriers first.
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

// among reports whether entities with these components may be carried.
func (c *Carried) among(m *mask) bool {
	return m.has(c.Component.index) && slices.ContainsFunc(c.By, func(by CarriedBy) bool { return m.has(by.A.index) })
}
