package ecs

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// Past is a state of a world as it was captured, for looking: where everybody
// was when a player fired, entities that have been destroyed since included. It
// reads the ring and leaves the world alone, so that systems may use it in the
// middle of a walk. It is good until its tick is captured again or leaves the
// ring; from then on its methods panic.
type Past struct {
	h      *WorldHistory
	c      *capture
	s      *worldState
	serial uint64
}

// At is the state captured under tick. It returns [ErrNoHistory] when the tick is
// not in the ring.
func (h *WorldHistory) At(tick uint32) (Past, error) {
	if !h.Has(tick) {
		return Past{}, fmt.Errorf("ecs: At tick %d: %w", tick, ErrNoHistory)
	}
	s := &h.states[tick%uint32(len(h.states))]
	return Past{h, h.place(tick), s, s.serial}, nil
}

// Tick is what it was captured under.
func (p Past) Tick() uint32 {
	p.check()
	return p.c.key
}

func (p Past) check() {
	if p.h == nil || p.s.serial != p.serial || !p.c.valid {
		panic("ecs: this Past has left the history: ask WorldHistory.At for it again, and do not keep it from tick to tick")
	}
}

// AllAt is [All] at another time: it walks everything that was visible then and
// had the components of the row struct V, a struct of component values.
func AllAt[V any](p Past) iter.Seq2[Entity, V] {
	return func(yield func(Entity, V) bool) {
		p.check()
		r := p.h.w.rowOf(reflect.TypeFor[V](), formValues)
		for _, t := range r.tables {
			if t.index >= len(p.c.tables) {
				return // this table and those behind it came later
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

// base is where a captured column begins, by the component's index.
func (p Past) base(tc *tableCapture, index int) unsafe.Pointer {
	switch index {
	case p.h.w.setup.protocol.core.self.index:
		return unsafe.Pointer(unsafe.SliceData(tc.entities))
	case p.h.w.setup.protocol.core.netID.index:
		return unsafe.Pointer(unsafe.SliceData(tc.names))
	}
	return tc.columns[p.h.at[index]].base()
}

// GetAt is a copy of the component T that e had; false when it had none, or was
// not alive or out of scope.
func GetAt[T any](p Past, e Entity) (value T, found bool) {
	at := p.Pointer(e, p.h.w.known(reflect.TypeFor[T]()))
	if at == nil {
		return value, false
	}
	return *(*T)(at), true
}

// Pointer is where the component c that e had is in the ring, as [Netcode.Pointer]
// for a world; it must not be written. It is nil when e had none, or was not alive
// or out of scope.
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

// NetID is the NetID that e had; 0 when it had none or was not alive.
func (p Past) NetID(e Entity) components.NetID {
	tc, row := p.find(e)
	if tc == nil {
		return 0
	}
	return tc.name(row)
}

// ByNetID finds the entity that carried a NetID. It reads all NetIDs.
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

// Tables yields each non-empty table of entities that had a NetID, as
// [Netcode.Tables] does for a world; the columns must not be written.
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

// column is the captured column of a table, or nil.
func (p Past) column(t *table, c *Component) unsafe.Pointer {
	if !t.mask.has(c.index) || c.size == 0 {
		return nil
	}
	return p.base(&p.c.tables[t.index], c.index)
}

// pastIndex says where entities were, once that was asked for.
type pastIndex struct {
	made bool
	rows []indexed // by the number of the handle
}

// indexed is where an entity was.
type indexed struct {
	table int32 // 1 + its index; 0: nowhere
	row   int32
}

// find is the captured row of an entity, or nil. While the entity is where it was,
// that is known; else it takes an index, made once for each capture that is asked.
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
