package ecs

import (
	"iter"
	"math/bits"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

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

// table is one archetype: the columns of all entities with exactly one set of
// components. Base pointers and length are read from storage again after a
// mutation, never kept across one.
type table struct {
	mask       mask
	replicated uint64 // set of replicated components, by their order
	index      int    // in World.tables
	comps      []*Component
	ids        []arche.ID // of comps
	filter     arche.CachedFilter
	cols       []unsafe.Pointer // by component index; nil where absent or empty
	n          int
	version    uint64 // names the arrangement of rows: another after every mutation
	fresh      bool   // cols and n are up to date
	owners     owners
}

// tableOf finds or makes the table of a component set.
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

// touch notes a mutation of t.
func (w *World) touch(t *table) {
	t.fresh = false
	w.storage.version++
	t.version = w.storage.version
}

// refresh reads t's columns from storage when a mutation may have moved them.
// An exclusive filter selects one archetype, so the pointer to its first row is
// the base of the column and the count its length.
func (w *World) refresh(t *table) {
	if t.fresh {
		return
	}
	t.fresh = true
	t.n = 0
	q := w.storage.arche.Query(&t.filter)
	if !q.Next() {
		clear(t.cols)
		return // exhausted, and closed by that
	}
	t.n = q.Count()
	for _, c := range t.comps {
		if c.size > 0 {
			t.cols[c.index] = q.Get(w.storage.ids[c.index])
		}
	}
	q.Close()
}

// entities is the table's entity column.
func (w *World) entities(t *table) []Entity {
	if t.n == 0 {
		return nil
	}
	return unsafe.Slice((*Entity)(t.cols[w.setup.protocol.selfC.index]), t.n)
}

// names is the table's NetID column, nil when it has none.
func (w *World) names(t *table) []components.NetID {
	if at := t.cols[w.setup.protocol.netIDC.index]; at != nil {
		return unsafe.Slice((*components.NetID)(at), t.n)
	}
	return nil
}

// Table is the netcode's view of the networked entities of one archetype:
// whole columns, valid until the next structural change.
type Table struct {
	// Mask is the set of replicated components, bit i for the i-th.
	Mask uint64
	// Entities and NetIDs name the rows; they must not be written.
	Entities []Entity
	NetIDs   []components.NetID
	// Simulated reports whether this peer simulates these entities.
	Simulated bool

	t    *table
	past Past // not zero for captured columns
}

// Column is the base of a component's column: len(Entities) values, one after
// the other. It is nil when the table has no such component or it is empty.
func (t Table) Column(c *Component) unsafe.Pointer {
	if t.past.h != nil {
		return t.past.column(t.t, c)
	}
	return t.t.cols[c.index]
}

// Tables yields each non-empty table of entities with a NetID, in the order in
// which the archetypes came up; it is an iterator: for t := range w.Tables. No
// structural change may happen during the walk.
func (n *Netcode) Tables(yield func(Table) bool) {
	w := (*World)(n)
	p := w.setup.protocol
	for _, t := range w.storage.tables {
		if !t.mask.has(p.netIDC.index) || t.mask.has(p.suspendedC.index) {
			continue
		}
		w.refresh(t)
		if t.n == 0 {
			continue
		}
		version := w.storage.version
		view := Table{
			Mask:      t.replicated,
			Entities:  w.entities(t),
			NetIDs:    w.names(t),
			Simulated: w.simulates(t),
			t:         t,
		}
		if !yield(view) {
			return
		}
		if w.storage.version != version {
			panicMoved()
		}
	}
}

// simulates reports whether Each may yield entities of t.
func (w *World) simulates(t *table) bool {
	return !w.setup.config.Client || t.mask.has(w.setup.protocol.predictedC.index) && !t.mask.has(w.setup.protocol.suspendedC.index)
}

// bitsOf yields the members of a set of replicated components in order.
func bitsOf(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}
