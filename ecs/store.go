package ecs

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// place stores a new entity in t and gives it its names; the caller writes all
// other components.
func (w *World) place(e Entity, s *slot, t *table) {
	s.stored, s.table, s.pending = w.storage.arche.NewEntity(t.ids...), t, 0
	(*self)(w.stored(s, w.setup.protocol.selfC)).entity = e
	if s.netID != 0 {
		*(*components.NetID)(w.stored(s, w.setup.protocol.netIDC)) = s.netID
	}
	w.touch(t)
}

// move takes a stored entity to the table of m; components that are new to it
// are zero. An entity that was given a NetID carries it from then on.
func (w *World) move(s *slot, m mask) {
	if s.netID != 0 {
		m.set(w.setup.protocol.netIDC.index)
	}
	if m == s.table.mask {
		return
	}
	from, to := s.table, w.tableOf(m)
	w.storage.gained, w.storage.lost = w.storage.gained[:0], w.storage.lost[:0]
	for _, c := range to.comps {
		if !from.mask.has(c.index) {
			w.storage.gained = append(w.storage.gained, w.storage.ids[c.index])
		}
	}
	for _, c := range from.comps {
		if !to.mask.has(c.index) {
			w.storage.lost = append(w.storage.lost, w.storage.ids[c.index])
		}
	}
	w.storage.arche.Exchange(s.stored, w.storage.gained, w.storage.lost)
	s.table = to
	for _, c := range to.comps {
		if !from.mask.has(c.index) {
			w.zero(s, c)
		}
	}
	w.writeNetID(s)
	w.touch(from)
	w.touch(to)
}

// stored is where a component of a stored entity is, which must have it.
func (w *World) stored(s *slot, c *Component) unsafe.Pointer {
	return w.storage.arche.GetUnchecked(s.stored, w.storage.ids[c.index])
}

// zero clears a component of a stored entity: storage may hand out used memory.
func (w *World) zero(s *slot, c *Component) {
	if c.size > 0 {
		clear(unsafe.Slice((*byte)(w.stored(s, c)), c.size))
	}
}

// write copies the component values of a command into a stored entity.
func (w *World) write(s *slot, c *command) {
	if c.row != nil {
		for i := range c.row.fields {
			f := &c.row.fields[i]
			if n := f.component.size; n > 0 {
				move(w.stored(s, f.component), unsafe.Add(c.values, f.offset), n)
			}
		}
		return
	}
	for i := c.first; i > 0; i = w.deferred.parts[i-1].next {
		p := &w.deferred.parts[i-1]
		if n := p.component.size; n > 0 {
			move(w.stored(s, p.component), p.value, n)
		}
	}
}
