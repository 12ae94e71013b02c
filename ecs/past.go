package ecs

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// Past is a captured state of a world for reading, for example the places of all entities when a player fired, including
// entities that were destroyed since. It reads the ring and does not change the world, so systems can use it during an
// iteration. It is valid until its tick is captured again or leaves the ring; then its methods panic.
type Past struct {
	h      *WorldHistory
	c      *capture
	s      *worldState
	serial uint64
}

// At returns the state captured under tick. It returns [ErrNoHistory] if the tick is not in the ring.
func (h *WorldHistory) At(tick uint32) (Past, error) {
	if !h.Has(tick) {
		return Past{}, fmt.Errorf("ecs: At tick %d: %w", tick, ErrNoHistory)
	}
	s := &h.states[tick%uint32(len(h.states))]
	return Past{h, h.place(tick), s, s.serial}, nil
}

// Tick returns the tick of the capture.
func (p Past) Tick() uint32 {
	p.check()
	return p.c.key
}

func (p Past) check() {
	if p.h == nil || p.s.serial != p.serial || !p.c.valid {
		panic("ecs: this Past has left the history: ask WorldHistory.At for it again, and do not keep it from tick to tick")
	}
}

// AllAt is [All] for a captured state: it yields the entities that were visible then and had the components of the row
// struct V, a struct of component values.
func AllAt[V any](p Past) iter.Seq2[Entity, V] {
	return func(yield func(Entity, V) bool) {
		p.check()
		r := p.h.w.rowOf(reflect.TypeFor[V](), formValues)
		for _, t := range r.tables {
			if t.index >= len(p.c.tables) {
				return // tables from here on were created after the capture
			}
			tc := &p.c.tables[t.index]
			var fields [maxRowFields]aimed
			for k, f := range r.fields {
				fields[k].offset = f.offset
				if tc.n > 0 && t.mask.has(f.index) {
					fields[k].base, fields[k].size = p.base(tc, f.index), f.size
				}
			}
			var row V // zero where an optional component is absent
			for i, e := range tc.entities[:tc.n] {
				for k := range r.fields {
					f := &fields[k&(maxRowFields-1)]
					move(unsafe.Add(unsafe.Pointer(&row), f.offset), unsafe.Add(f.base, uintptr(i)*f.size), f.size)
				}
				if !yield(e, row) {
					return
				}
				p.check()
			}
		}
	}
}

// base returns the start of a captured column. index is the index of the component.
func (p Past) base(tc *tableCapture, index int) unsafe.Pointer {
	switch index {
	case p.h.w.setup.protocol.core.self.index:
		return unsafe.Pointer(unsafe.SliceData(tc.entities))
	case p.h.w.setup.protocol.core.netID.index:
		return unsafe.Pointer(unsafe.SliceData(tc.names))
	}
	return tc.columns[p.h.at[index]].base()
}

// GetAt returns a copy of the component T of e. found is false if e had no T, was dead, or was out of scope.
func GetAt[T any](p Past, e Entity) (value T, found bool) {
	at := p.Pointer(e, p.h.w.setup.protocol.need(reflect.TypeFor[T]()))
	if at == nil {
		return value, false
	}
	return *(*T)(at), true
}

// Pointer returns a pointer into the ring to the component c of e, like [Netcode.Pointer] for a world. Do not write to it.
// It is nil if e had no c, was dead, or was out of scope.
func (p Past) Pointer(e Entity, c *Component) unsafe.Pointer {
	tc, row := p.find(e)
	switch {
	case tc == nil || !tc.t.mask.has(c.index) || tc.t.mask.has(p.h.w.setup.protocol.core.suspended.index):
		return nil
	case c.size == 0:
		return unsafe.Pointer(&nothing)
	}
	return unsafe.Add(p.base(tc, c.index), uintptr(row)*c.size)
}

// NetID returns the NetID that e had, or 0 if it had none or was dead.
func (p Past) NetID(e Entity) components.NetID {
	tc, row := p.find(e)
	if tc == nil {
		return 0
	}
	return tc.name(row)
}

// ByNetID returns the entity that had a NetID. It scans all NetIDs.
func (p Past) ByNetID(id components.NetID) (Entity, bool) {
	p.check()
	for i := range p.c.tables {
		tc := &p.c.tables[i]
		if tc.n == 0 || id == 0 {
			continue
		}
		if r := slices.Index(tc.names, id); r >= 0 {
			return tc.entities[r], true
		}
	}
	return Entity{}, false
}

// Tables yields each non-empty table of entities that had a NetID, like [Netcode.Tables] for a world. Do not write to the
// columns.
func (p Past) Tables(yield func(Table) bool) {
	p.check()
	w := p.h.w
	for i := range p.c.tables {
		tc := &p.c.tables[i]
		if t := tc.t; tc.n == 0 || !t.mask.has(w.setup.protocol.core.netID.index) || t.mask.has(w.setup.protocol.core.suspended.index) {
			continue
		}
		view := Table{
			Mask:      tc.t.replicated,
			Entities:  tc.entities[:tc.n],
			NetIDs:    tc.names[:tc.n],
			Simulated: w.simulates(tc.t),
			t:         tc.t,
			past:      p,
		}
		if !yield(view) {
			return
		}
		p.check()
	}
}

// column returns the captured column of a table, or nil.
func (p Past) column(t *table, c *Component) unsafe.Pointer {
	if !t.mask.has(c.index) || c.size == 0 {
		return nil
	}
	return p.base(&p.c.tables[t.index], c.index)
}

// pastIndex maps entities to their rows in a capture. It is built on demand.
type pastIndex struct {
	made bool
	rows []indexed // by the number of the handle
}

// indexed is the position of an entity.
type indexed struct {
	table int32 // 1 + its index; 0: nowhere
	row   int32
}

// find returns the captured row of an entity, or nil. If the entity has not moved since, it needs no index; otherwise it
// builds the index once per capture.
func (p Past) find(e Entity) (tc *tableCapture, row int) {
	p.check()
	w := p.h.w
	if s := w.handles.at(e); s != nil && s.table != nil && s.table.index < len(p.c.tables) {
		if tc = &p.c.tables[s.table.index]; tc.n > 0 && tc.version == s.table.version {
			return tc, w.rowNow(s)
		}
	}
	if !p.s.index.made {
		p.makeIndex()
	}
	if int(e.id) >= len(p.s.index.rows) {
		return nil, 0
	}
	at := p.s.index.rows[e.id]
	if at.table == 0 {
		return nil, 0
	}
	if tc = &p.c.tables[at.table-1]; tc.entities[at.row] != e {
		return nil, 0
	}
	return tc, int(at.row)
}

func (p Past) makeIndex() {
	s := p.s
	if n := len(s.handles.gens); cap(s.index.rows) < n {
		s.index.rows = make([]indexed, n, n+n/2)
	}
	s.index.rows = s.index.rows[:len(s.handles.gens)]
	clear(s.index.rows)
	for i := range p.c.tables {
		tc := &p.c.tables[i]
		for r, e := range tc.entities[:tc.n] {
			s.index.rows[e.id] = indexed{int32(i + 1), int32(r)}
		}
	}
	s.index.made = true
}
