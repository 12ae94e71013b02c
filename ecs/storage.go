package ecs

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

// storage is the arche world with the components, and the list of its tables.
type storage struct {
	arche   arche.World
	ids     []arche.ID // by component index
	tables  []*table
	byMask  map[mask]*table
	recent  *table         // result of the last lookup by mask
	gained  []arche.ID     // scratch of move
	lost    []arche.ID     // scratch of move
	surplus []arche.Entity // scratch of resize
	version uint64
}

// mask is a set of component indices.
type mask [(maxComponents + 63) / 64]uint64

func (m *mask) set(i int)      { m[i>>6] |= 1 << (i & 63) }
func (m *mask) clear(i int)    { m[i>>6] &^= 1 << (i & 63) }
func (m *mask) has(i int) bool { return m[i>>6]&(1<<(i&63)) != 0 }

func (m *mask) contains(o *mask) bool {
	for i := range m {
		if m[i]&o[i] != o[i] {
			return false
		}
	}
	return true
}

func (m *mask) intersects(o *mask) bool {
	for i := range m {
		if m[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// table is one archetype: the columns of all entities with exactly one set of components. Base pointers and length are read
// from storage again after each mutation.
type table struct {
	mask       mask
	replicated uint64 // set of replicated components
	index      int    // index in the tables of storage
	comps      []*Component
	ids        []arche.ID // ids of comps
	filter     arche.CachedFilter
	cols       []unsafe.Pointer // by component index; nil if absent or empty
	n          int
	version    uint64  // identifies the arrangement of rows; changes with every mutation
	fresh      bool    // cols and n are up to date
	owners     rowRuns // runs of rows by owner
}

// tableOf returns the table of a component set, creating it if necessary.
func (w *World) tableOf(m mask) *table {
	if w.storage.recent != nil && w.storage.recent.mask == m {
		return w.storage.recent
	}
	if t := w.storage.byMask[m]; t != nil {
		w.storage.recent = t
		return t
	}
	t := &table{mask: m, index: len(w.storage.tables), cols: make([]unsafe.Pointer, len(w.setup.protocol.all))}
	for _, c := range w.setup.protocol.all {
		if m.has(c.index) {
			t.comps = append(t.comps, c)
			t.ids = append(t.ids, w.storage.ids[c.index])
			if c.replicated >= 0 {
				t.replicated |= 1 << c.replicated
			}
		}
	}
	exact := arche.All(t.ids...).Exclusive()
	t.filter = w.storage.arche.Cache().Register(&exact)
	w.storage.byMask[m] = t
	w.storage.tables = append(w.storage.tables, t)
	for _, r := range w.rows.walked {
		r.offer(t)
	}
	return t
}

// touch records a mutation of t.
func (st *storage) touch(t *table) {
	t.fresh = false
	st.version++
	t.version = st.version
}

// refresh reads the columns of t from storage if a mutation may have moved them. An exclusive filter selects one archetype,
// so the pointer to its first row is the base of the column and the count its length.
func (st *storage) refresh(t *table) {
	if t.fresh {
		return
	}
	t.fresh = true
	t.n = 0
	q := st.arche.Query(&t.filter)
	if !q.Next() {
		clear(t.cols)
		return // exhausted and therefore closed
	}
	t.n = q.Count()
	for _, c := range t.comps {
		if c.size > 0 {
			t.cols[c.index] = q.Get(st.ids[c.index])
		}
	}
	q.Close()
}

// entities returns the entity column of the table.
func (w *World) entities(t *table) []Entity {
	if t.n == 0 {
		return nil
	}
	return unsafe.Slice((*Entity)(t.cols[w.setup.protocol.core.self.index]), t.n)
}

// names returns the NetID column of the table, or nil.
func (w *World) names(t *table) []components.NetID {
	if at := t.cols[w.setup.protocol.core.netID.index]; at != nil {
		return unsafe.Slice((*components.NetID)(at), t.n)
	}
	return nil
}

// simulates reports whether Each may yield entities of t.
func (w *World) simulates(t *table) bool {
	return !w.setup.config.Client || t.mask.has(w.setup.protocol.core.predicted.index) && !t.mask.has(w.setup.protocol.core.suspended.index)
}

// place stores a new entity in t and sets its handle and NetID. The caller writes all other components.
func (w *World) place(e Entity, s *slot, t *table) {
	s.stored, s.table, s.pending = w.storage.arche.NewEntity(t.ids...), t, 0
	(*self)(w.storage.stored(s, w.setup.protocol.core.self)).entity = e
	if s.netID != 0 {
		*(*components.NetID)(w.storage.stored(s, w.setup.protocol.core.netID)) = s.netID
	}
	w.storage.touch(t)
}

// move moves a stored entity to the table of m. New components are zero. If the entity has a NetID, m gets the NetID
// component.
func (w *World) move(s *slot, m mask) {
	if s.netID != 0 {
		m.set(w.setup.protocol.core.netID.index)
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
			w.storage.zero(s, c)
		}
	}
	w.writeNetID(s)
	w.storage.touch(from)
	w.storage.touch(to)
}

// stored returns a pointer to a component that a stored entity has.
func (st *storage) stored(s *slot, c *Component) unsafe.Pointer {
	return st.arche.GetUnchecked(s.stored, st.ids[c.index])
}

// peek returns a pointer to a component of a stored entity, or nil.
func (st *storage) peek(s *slot, c *Component) unsafe.Pointer {
	switch {
	case s.table == nil || !s.table.mask.has(c.index):
		return nil
	case c.size == 0:
		return unsafe.Pointer(&nothing)
	}
	return st.stored(s, c)
}

// zero clears a component of a stored entity, because storage reuses memory without clearing it.
func (st *storage) zero(s *slot, c *Component) {
	if c.size > 0 {
		clear(unsafe.Slice((*byte)(st.stored(s, c)), c.size))
	}
}

// write copies the component values of a command into a stored entity.
func (w *World) write(s *slot, c *command) {
	if c.row != nil {
		for i := range c.row.fields {
			f := &c.row.fields[i]
			if n := f.component.size; n > 0 {
				move(w.storage.stored(s, f.component), unsafe.Add(c.values, f.offset), n)
			}
		}
		return
	}
	for i := c.first; i > 0; i = w.deferred.parts[i-1].next {
		p := &w.deferred.parts[i-1]
		if n := p.component.size; n > 0 {
			move(w.storage.stored(s, p.component), p.value, n)
		}
	}
}

// resize gives a table n rows with arbitrary contents and refreshes it.
func (st *storage) resize(t *table, n int) {
	for i := t.n; i < n; i++ {
		st.arche.NewEntity(t.ids...)
	}
	if t.n > n {
		st.surplus = st.surplus[:0]
		q := st.arche.Query(&t.filter)
		for i := n; i < t.n; i++ {
			st.surplus = append(st.surplus, q.EntityAt(i))
		}
		q.Close()
		for i := len(st.surplus) - 1; i >= 0; i-- { // from the end, so that no other row moves
			st.arche.RemoveEntity(st.surplus[i])
		}
	}
	st.touch(t)
	st.refresh(t)
}
