package ecs

import "unsafe"

// History is a ring of captures of what this peer simulates: the components
// registered as [Predicted], of the entities that [Each] yields, by key: on a
// client the sequence of the input that led there. It brings back values and no
// structure, which is what reconciling needs; [WorldHistory] brings back all of a
// world. Capturing into a ring that has gone round once allocates nothing unless
// tables grew.
type History struct{ ring }

// NewHistory makes a ring of n captures. It panics unless n is positive.
func NewHistory(w *World, n int) *History {
	if n <= 0 {
		panic("ecs: NewHistory needs room for at least one capture")
	}
	return &History{newRing(w, n, false, func(c *Component) bool { return c.Mode&Predicted != 0 })}
}

// Capture copies the present state under key, in place of the capture that is
// the ring's length older. Entities that a running system is spawning are not in
// it yet.
func (h *History) Capture(key uint32) { h.capture(key) }

// Restore puts the captured values back into the entities that live and that
// this peer still simulates, and reports whether key was in the ring. It changes
// no structure: entities that died stay dead, entities and components that came
// since keep what they have.
func (h *History) Restore(key uint32) bool {
	if !h.Has(key) {
		return false
	}
	h.putValues(h.place(key))
	return true
}

// putValues restores the values of what is still there.
func (h *ring) putValues(c *capture) {
	for i := range c.tables {
		switch tc := &c.tables[i]; {
		case tc.n == 0:
		case tc.version == tc.t.version:
			h.putColumns(tc)
		default:
			h.putEntities(tc)
		}
	}
}

// putEntities restores the rows of a table by handle.
func (h *ring) putEntities(tc *tableCapture) {
	for r, e := range tc.entities[:tc.n] {
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
	if c == nil || h.at[c.index] < 0 || !h.Has(key) {
		return nil
	}
	tables := h.place(key).tables
	for i := range tables {
		tc := &tables[i]
		if tc.n == 0 || !tc.t.mask.has(c.index) {
			continue
		}
		if r := h.rowIn(tc, e); r >= 0 {
			return h.value(tc, r, c)
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
		return h.w.rowNow(s)
	}
	for r, at := range tc.entities[:tc.n] {
		if at == e {
			return r
		}
	}
	return -1
}
