package ecs

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// capture is one captured state in a ring.
type capture struct {
	key    uint32
	valid  bool
	tables []tableCapture // by table.index
}

// tableCapture is a copy of the columns of a table. Its buffers belong to one place in the ring and one table. Entities and
// NetIDs are copied again only if their arrangement changed since the last capture in this place.
type tableCapture struct {
	t        *table
	n        int // number of rows; 0 if the table was empty or not captured
	version  uint64
	entities []Entity
	names    []components.NetID // only in a ring of whole worlds, for tables with NetIDs
	columns  []column           // by index in ring.comps; empty if the table lacks the component
}

// column is a copy of a column, stored in words so that it is aligned for any component.
type column struct{ words []uint64 }

// sized allocates n bytes and returns their start.
func (c *column) sized(n uintptr) unsafe.Pointer {
	need := int(n+7) / 8
	if cap(c.words) < need {
		c.words = make([]uint64, need+need/2)
	}
	return c.base()
}

func (c *column) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(c.words)) }

// ring holds captures of the tables of a world by key. Once the ring is full, capturing allocates only if tables grew.
type ring struct {
	w      *World
	places []capture
	comps  []*Component // captured components
	at     []int        // index in comps by component index, or −1
	whole  bool         // capture all tables, not only those of simulated entities
}

// newRing returns a ring of n captures. It captures the components for which of returns true.
func newRing(w *World, n int, whole bool, of func(*Component) bool) ring {
	r := ring{w: w, places: make([]capture, n), whole: whole}
	for _, c := range w.setup.protocol.all {
		at := -1
		if of(c) && c.size > 0 {
			at = len(r.comps)
			r.comps = append(r.comps, c)
		}
		r.at = append(r.at, at)
	}
	return r
}

func (h *ring) place(key uint32) *capture { return &h.places[key%uint32(len(h.places))] }

// Len returns the number of captures that fit in the ring.
func (h *ring) Len() int { return len(h.places) }

// Has reports whether the capture of key is still in the ring.
func (h *ring) Has(key uint32) bool {
	c := h.place(key)
	return c.valid && c.key == key
}

// Forget removes all captures.
func (h *ring) Forget() {
	for i := range h.places {
		h.places[i].valid = false
	}
}

// capture copies the tables into the place of key.
func (h *ring) capture(key uint32) *capture {
	h.addTables()
	c := h.place(key)
	c.key, c.valid = key, true
	for i := range c.tables {
		h.captureTable(i, &c.tables[i])
	}
	return c
}

// addTables adds the tables that were created since to all places.
func (h *ring) addTables() {
	for i := len(h.places[0].tables); i < len(h.w.storage.tables); i++ {
		for k := range h.places {
			place := &h.places[k]
			place.tables = append(place.tables, tableCapture{t: h.w.storage.tables[i], columns: make([]column, len(h.comps))})
		}
	}
}

// reserve allocates memory for rows of a table in all places without memory at once, so that the first round of the ring
// does not allocate at every capture.
func (h *ring) reserve(i, rows int) {
	var bare []*tableCapture
	for k := range h.places {
		if tc := &h.places[k].tables[i]; cap(tc.entities) == 0 {
			bare = append(bare, tc)
		}
	}
	rows += rows/2 + 1
	entities := make([]Entity, len(bare)*rows)
	for k, tc := range bare {
		tc.entities = entities[k*rows : k*rows : (k+1)*rows]
	}
	if h.whole && h.w.storage.tables[i].mask.has(h.w.setup.protocol.core.netID.index) {
		names := make([]components.NetID, len(bare)*rows)
		for k, tc := range bare {
			tc.names = names[k*rows : k*rows : (k+1)*rows]
		}
	}
	for c, comp := range h.comps {
		if !h.w.storage.tables[i].mask.has(comp.index) {
			continue
		}
		need := int(comp.size*uintptr(rows)+7) / 8
		words := make([]uint64, len(bare)*need)
		for k, tc := range bare {
			tc.columns[c].words = words[k*need : (k+1)*need : (k+1)*need]
		}
	}
}

// captureTable copies the rows of a table into tc.
func (h *ring) captureTable(i int, tc *tableCapture) {
	t := tc.t
	tc.n = 0
	if !h.whole && !h.w.simulates(t) {
		return
	}
	h.w.storage.refresh(t)
	if t.n == 0 {
		return
	}
	tc.n = t.n
	if cap(tc.entities) == 0 {
		h.reserve(i, t.n)
	}
	if tc.version != t.version {
		tc.version = t.version
		tc.entities = append(tc.entities[:0], h.w.entities(t)...)
		if h.whole {
			tc.names = append(tc.names[:0], h.w.names(t)...)
		}
	}
	for k, comp := range h.comps {
		if t.mask.has(comp.index) {
			n := comp.size * uintptr(t.n)
			copy(unsafe.Slice((*byte)(tc.columns[k].sized(n)), n), unsafe.Slice((*byte)(t.cols[comp.index]), n))
		}
	}
}

// clone returns a copy of a capture that shares no memory with it.
func (h *ring) clone(c *capture) capture {
	x := capture{key: c.key, valid: true, tables: make([]tableCapture, len(c.tables))}
	for i := range c.tables {
		from := &c.tables[i]
		to := tableCapture{t: from.t, n: from.n, version: from.version, columns: make([]column, len(h.comps))}
		if from.n > 0 {
			to.entities, to.names = slices.Clone(from.entities), slices.Clone(from.names)
			for k, comp := range h.comps {
				if from.t.mask.has(comp.index) {
					to.columns[k].words = slices.Clone(from.columns[k].words[:(comp.size*uintptr(from.n)+7)/8])
				}
			}
		}
		x.tables[i] = to
	}
	return x
}

// putColumns restores a table whose rows have not moved: the versions are equal.
func (h *ring) putColumns(tc *tableCapture) {
	h.w.storage.refresh(tc.t)
	for k, comp := range h.comps {
		if tc.t.mask.has(comp.index) {
			n := comp.size * uintptr(tc.n)
			copy(unsafe.Slice((*byte)(tc.t.cols[comp.index]), n), unsafe.Slice((*byte)(tc.columns[k].base()), n))
		}
	}
}

// value returns a pointer to a component in row i of a captured table. The table and the ring must have the component.
func (h *ring) value(tc *tableCapture, i int, c *Component) unsafe.Pointer {
	return unsafe.Add(tc.columns[h.at[c.index]].base(), uintptr(i)*c.size)
}

// rowNow returns the row of an entity in its table.
func (w *World) rowNow(s *slot) int {
	c := w.setup.protocol.core.self
	w.storage.refresh(s.table)
	return int((uintptr(w.storage.stored(s, c)) - uintptr(s.table.cols[c.index])) / c.size)
}
