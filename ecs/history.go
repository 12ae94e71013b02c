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
	tables []tableCapture
}

type tableCapture struct {
	t        *table
	version  uint64
	entities []Entity
	columns  []column // by place in History.comps; empty where the table has none
}

// column is a copy of a column, kept in words so that it is aligned for any
// component.
type column struct{ words []uint64 }

func (c *column) bytes(n uintptr) []byte {
	need := int(n+7) / 8
	if cap(c.words) < need {
		c.words = make([]uint64, need, need+need/2)
	}
	c.words = c.words[:need]
	if need == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&c.words[0])), n)
}

// NewHistory makes a ring of n captures. It panics unless n is positive.
func NewHistory(w *World, n int) *History {
	if n <= 0 {
		panic("ecs: NewHistory needs room for at least one capture")
	}
	h := &History{w: w, ring: make([]capture, n)}
	for _, c := range w.protocol.all {
		if c.Mode&Predicted != 0 && c.size > 0 {
			h.comps = append(h.comps, c)
		}
	}
	return h
}

// Len is the number of captures that the ring holds.
func (h *History) Len() int { return len(h.ring) }

// Has reports whether the capture of key is still in the ring.
func (h *History) Has(key uint32) bool {
	c := &h.ring[key%uint32(len(h.ring))]
	return c.valid && c.key == key
}

// Forget drops all captures.
func (h *History) Forget() {
	for i := range h.ring {
		h.ring[i].valid = false
	}
}

// Capture copies the present state under key, in place of the capture that is
// the ring's length older.
func (h *History) Capture(key uint32) {
	c := &h.ring[key%uint32(len(h.ring))]
	c.key, c.valid = key, true
	c.tables = c.tables[:0]
	for _, t := range h.w.tables {
		if !h.w.simulates(t) {
			continue
		}
		h.w.refresh(t)
		if t.n == 0 {
			continue
		}
		if len(c.tables) < cap(c.tables) {
			c.tables = c.tables[:len(c.tables)+1] // its buffers serve again
		} else {
			c.tables = append(c.tables, tableCapture{})
		}
		tc := &c.tables[len(c.tables)-1]
		tc.t, tc.version, tc.entities = t, t.version, h.w.keptHandles(t)
		if tc.columns == nil {
			tc.columns = make([]column, len(h.comps))
		}
		for i, comp := range h.comps {
			if t.mask.has(comp.index) {
				n := comp.size * uintptr(t.n)
				copy(tc.columns[i].bytes(n), unsafe.Slice((*byte)(t.cols[comp.index]), n))
			}
		}
	}
}

// Restore puts the captured values back into the entities that live, and
// reports whether key was in the ring. Entities that died or came since keep
// what they have.
func (h *History) Restore(key uint32) bool {
	if !h.Has(key) {
		return false
	}
	c := &h.ring[key%uint32(len(h.ring))]
	for i := range c.tables {
		tc := &c.tables[i]
		h.w.refresh(tc.t)
		for k, comp := range h.comps {
			if !tc.t.mask.has(comp.index) {
				continue
			}
			saved := tc.columns[k].bytes(comp.size * uintptr(len(tc.entities)))
			if tc.version == tc.t.version {
				copy(unsafe.Slice((*byte)(tc.t.cols[comp.index]), len(saved)), saved)
				continue
			}
			for r, e := range tc.entities {
				if s := h.w.at(e); s != nil && s.pending == 0 {
					if dst := h.w.pointer(s, comp); dst != nil {
						copy(unsafe.Slice((*byte)(dst), comp.size), saved[uintptr(r)*comp.size:])
					}
				}
			}
		}
	}
	return true
}

// Value is the captured component c of e under key, or nil when there is none.
// It points into the ring: read it before the next Capture.
func (h *History) Value(key uint32, e Entity, c *Component) unsafe.Pointer {
	if !h.Has(key) {
		return nil
	}
	k := -1
	for i, comp := range h.comps {
		if comp == c {
			k = i
		}
	}
	if k < 0 {
		return nil
	}
	for i := range h.ring[key%uint32(len(h.ring))].tables {
		tc := &h.ring[key%uint32(len(h.ring))].tables[i]
		if !tc.t.mask.has(c.index) {
			continue
		}
		for r, at := range tc.entities {
			if at == e {
				return unsafe.Pointer(&tc.columns[k].bytes(c.size * uintptr(len(tc.entities)))[uintptr(r)*c.size])
			}
		}
	}
	return nil
}
