package lagcomp

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// carried holds what a view needs for components that ecs.Carry places.
type carried struct {
	of    []*ecs.Carried
	by    []ecs.CarriedBy // components that name carriers, without owner-only ones
	links [ecs.MaxCarried + 1]link
	value []uint64 // scratch: the value of a carrier
	one   [1]field
}

// link is a carried entity and its carrier, as the player saw them.
type link struct {
	by      *ecs.CarriedBy
	a       []uint64 // value of the component that names the carrier
	carrier ecs.Entity
}

func newCarried(p *ecs.Protocol) (c carried) {
	c.of = ecs.CarriedIn(p)
	for _, x := range c.of {
		c.value = grown(c.value, int(x.Component.Schema.Size+7)/8)
		for _, by := range x.By {
			for i := range c.links {
				c.links[i].a = grown(c.links[i].a, int(by.A.Schema.Size+7)/8)
			}
			if by.A.Mode&ecs.OwnerOnly == 0 {
				c.by = append(c.by, by)
			}
		}
	}
	return c
}

// handedOver reports whether an entity had another carrier in the later state.
func (b *blend) handedOver(e ecs.Entity) bool {
	for i := range b.c.carried.by {
		by := &b.c.carried.by[i]
		from, to := b.older.past.Pointer(e, by.A), b.newer.past.Pointer(e, by.A)
		if from != nil && to != nil && by.Parent(from) != by.Parent(to) {
			return true
		}
	}
	return false
}

// carry replaces the components of a row that ecs.Carry places.
func (s *seen) carry(e ecs.Entity, fields []field, p unsafe.Pointer) {
	for _, of := range s.c.carried.of {
		if i := slices.IndexFunc(fields, func(f field) bool { return f.comp == of.Component }); i >= 0 && s.has(e, of.Component) {
			s.place(of, e, unsafe.Add(p, fields[i].offset))
		}
	}
}

// place writes to dst the value that the carriers of an entity give it, if it has carriers.
func (s *seen) place(of *ecs.Carried, e ecs.Entity, dst unsafe.Pointer) {
	n, links := 0, &s.c.carried.links
	for n < len(links) && s.link(of, e, &links[n]) {
		e = links[n].carrier
		n++
	}
	if n == 0 || n == len(links) { // no carrier, a circle, or a longer chain than allowed
		return
	}
	value := unsafe.Pointer(unsafe.SliceData(s.c.carried.value))
	for s.read(e, of.Component, value); n > 0; n-- {
		l := &links[n-1]
		l.by.Place(value, unsafe.Pointer(unsafe.SliceData(l.a)), value)
	}
	size := of.Component.Schema.Size
	copy(unsafe.Slice((*byte)(dst), size), unsafe.Slice((*byte)(value), size))
}

// link finds the carrier of an entity. It reports whether the view shows the carrier.
func (s *seen) link(of *ecs.Carried, e ecs.Entity, l *link) bool {
	for i := range of.By {
		l.by = &of.By[i]
		if !s.has(e, l.by.A) || l.by.A.Mode&ecs.OwnerOnly != 0 && !s.mine(e) {
			continue
		}
		a := unsafe.Pointer(unsafe.SliceData(l.a))
		s.read(e, l.by.A, a)
		if id := l.by.Parent(a); id != 0 {
			l.carrier = s.named(id)
			return s.has(l.carrier, of.Component)
		}
	}
	return false
}

// named returns the entity with a NetID, alive or in the older state.
func (s *seen) named(id components.NetID) ecs.Entity {
	e, there := s.c.w.ByNetID(id)
	if !there {
		e, _ = s.older.ByNetID(id)
	}
	return e
}

// pointer returns the address of the newest value of a component that the view shows, or nil.
func (s *seen) pointer(e ecs.Entity, comp *ecs.Component) unsafe.Pointer {
	switch {
	case s.mine(e) && s.then:
		return s.past.Pointer(e, comp)
	case s.mine(e):
		return s.c.w.Netcode().Pointer(e, comp)
	case s.lost(e):
		return nil
	}
	return s.older.Pointer(e, comp)
}

func (s *seen) has(e ecs.Entity, comp *ecs.Component) bool { return s.pointer(e, comp) != nil }

// read writes to dst a component as the player saw it, before ecs.Carry.
func (s *seen) read(e ecs.Entity, comp *ecs.Component, dst unsafe.Pointer) {
	size := comp.Schema.Size
	copy(unsafe.Slice((*byte)(dst), size), unsafe.Slice((*byte)(s.pointer(e, comp)), size))
	if !s.mine(e) {
		s.c.carried.one[0] = field{comp: comp}
		blend := s.blend()
		blend.interpolate(e, s.c.carried.one[:], dst)
	}
}
