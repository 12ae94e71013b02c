package ecs

import (
	"unsafe"
)

// History is a ring of captures of what this peer simulates: the components
// registered as [Predicted], of the entities that [Each] yields, by key (an
// input sequence on a client, a tick on a server). Capturing into a ring that
// has gone round once allocates nothing unless tables grew.
type History struct {
	w     *World
	ring  []capture
	comps []*Component
}

type capture struct {
	key    uint32
	valid  bool
	tables []tableCapture // by table.index
}

// tableCapture is a copy of a table's columns. Its buffers belong to one place
// in the ring and one table, so that entities are copied again only when the
// table's version moved since that place was written last.
type tableCapture struct {
	t        *table
	n        int // rows; 0: the table was empty or not simulated
	version  uint64
	entities []Entity
	columns  []column // by place in History.comps; empty where the table has none
}

// column is a copy of a column, kept in words so that it is aligned for any
// component.
type column struct{ words []uint64 }

// sized makes room for n bytes.
func (c *column) sized(n uintptr) unsafe.Pointer {
	need := int(n+7) / 8
	if cap(c.words) < need {
		c.words = make([]uint64, need+need/2)
	}
	return c.base()
}

func (c *column) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(c.words)) }

// NewHistory makes a ring of n captures. It panics unless n is positive.
func NewHistory(w *World, n int) *History {
	if n <= 0 {
		panic("ecs: NewHistory needs room for at least one capture")
	}
	return newHistory(w, n, func(c *Component) bool { return c.Mode&Predicted != 0 })
}

// newHistory is NewHistory for the components that of chooses.
func newHistory(w *World, n int, of func(*Component) bool) *History {
	h := &History{w: w, ring: make([]capture, n)}
	for _, c := range w.protocol.all {
		if of(c) && c.size > 0 {
			h.comps = append(h.comps, c)
		}
	}
	return h
}

// Len is the number of captures that the ring holds.
func (h *History) Len() int { return len(h.ring) }

// Has reports whether the capture of key is still in the ring.
func (h *History) Has(key uint32) bool {
	c := h.place(key)
	return c.valid && c.key == key
}

func (h *History) place(key uint32) *capture { return &h.ring[key%uint32(len(h.ring))] }

// Forget drops all captures.
func (h *History) Forget() {
	for i := range h.ring {
		h.ring[i].valid = false
	}
}

// Capture copies the present state under key, in place of the capture that is
// the ring's length older. Entities that a running system is spawning are not in
// it yet.
func (h *History) Capture(key uint32) {
	c := h.place(key)
	c.key, c.valid = key, true
	for i := len(c.tables); i < len(h.w.tables); i++ {
		for k := range h.ring {
			place := &h.ring[k]
			place.tables = append(place.tables, tableCapture{t: h.w.tables[i], columns: make([]column, len(h.comps))})
		}
	}
	for i := range c.tables {
		h.take(i, &c.tables[i])
	}
}

// reserve makes room for rows of a table in all places that have none yet: in
// one go, so that the first time round the ring allocates once and not at every
// capture.
func (h *History) reserve(i, rows int) {
	var bare []*tableCapture
	for k := range h.ring {
		if tc := &h.ring[k].tables[i]; cap(tc.entities) == 0 {
			bare = append(bare, tc)
		}
	}
	rows += rows/2 + 1
	entities := make([]Entity, len(bare)*rows)
	for k, tc := range bare {
		tc.entities = entities[k*rows : k*rows : (k+1)*rows]
	}
	for c, comp := range h.comps {
		if !h.w.tables[i].mask.has(comp.index) {
			continue
		}
		need := int(comp.size*uintptr(rows)+7) / 8
		words := make([]uint64, len(bare)*need)
		for k, tc := range bare {
			tc.columns[c].words = words[k*need : (k+1)*need : (k+1)*need]
		}
	}
}

func (h *History) take(i int, tc *tableCapture) {
	t := tc.t
	tc.n = 0
	if !h.w.simulates(t) {
		return
	}
	h.w.refresh(t)
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
	}
	for k, comp := range h.comps {
		if t.mask.has(comp.index) {
			n := comp.size * uintptr(t.n)
			copy(unsafe.Slice((*byte)(tc.columns[k].sized(n)), n), unsafe.Slice((*byte)(t.cols[comp.index]), n))
		}
	}
}

// Restore puts the captured values back into the entities that live and that
// this peer still simulates, and reports whether key was in the ring. It changes
// no structure: entities that died stay dead, entities and components that came
// since keep what they have.
func (h *History) Restore(key uint32) bool {
	if !h.Has(key) {
		return false
	}
	tables := h.place(key).tables
	for i := range tables {
		switch tc := &tables[i]; {
		case tc.n == 0:
		case tc.version == tc.t.version:
			h.putColumns(tc)
		default:
			h.putEntities(tc)
		}
	}
	return true
}

// putColumns restores a table whose rows are where they were: versions agree.
func (h *History) putColumns(tc *tableCapture) {
	h.w.refresh(tc.t)
	for k, comp := range h.comps {
		if tc.t.mask.has(comp.index) {
			n := comp.size * uintptr(tc.n)
			copy(unsafe.Slice((*byte)(tc.t.cols[comp.index]), n), unsafe.Slice((*byte)(tc.columns[k].base()), n))
		}
	}
}

// putEntities restores the rows of a table by handle.
func (h *History) putEntities(tc *tableCapture) {
	for r, e := range tc.entities {
		s := h.w.at(e)
		if s == nil || s.pending > 0 || !h.w.simulates(s.table) {
			continue
		}
		for k, comp := range h.comps {
			if tc.t.mask.has(comp.index) && s.table.mask.has(comp.index) {
				src := unsafe.Add(tc.columns[k].base(), uintptr(r)*comp.size)
				copy(unsafe.Slice((*byte)(h.w.pointer(s, comp)), comp.size), unsafe.Slice((*byte)(src), comp.size))
			}
		}
	}
}

// Value is the captured component c of e under key, or nil when there is none:
// the key has left the ring, c is not registered as [Predicted] or has no
// fields, e was not simulated or had no c. It points into the ring: read it
// before the next Capture.
func (h *History) Value(key uint32, e Entity, c *Component) unsafe.Pointer {
	k := -1
	for i, comp := range h.comps {
		if comp == c {
			k = i
		}
	}
	if k < 0 || !h.Has(key) {
		return nil
	}
	tables := h.place(key).tables
	for i := range tables {
		tc := &tables[i]
		if tc.n == 0 || !tc.t.mask.has(c.index) {
			continue
		}
		if r := h.rowIn(tc, e); r >= 0 {
			return unsafe.Add(tc.columns[k].base(), uintptr(r)*c.size)
		}
	}
	return nil
}

// rowIn is the row that e had in a captured table, or −1. It is the row that e
// has now when the table did not change since.
func (h *History) rowIn(tc *tableCapture, e Entity) int {
	if tc.version == tc.t.version {
		s := h.w.at(e)
		if s == nil || s.table != tc.t {
			return -1
		}
		h.w.refresh(tc.t)
		at := uintptr(h.w.pointer(s, h.w.protocol.selfC))
		return int((at - uintptr(tc.t.cols[h.w.protocol.selfC.index])) / h.w.protocol.selfC.size)
	}
	for r, at := range tc.entities[:tc.n] {
		if at == e {
			return r
		}
	}
	return -1
}
