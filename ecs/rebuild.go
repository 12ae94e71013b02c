package ecs

import "github.com/tactusgo/tactus/components"

// Going back to another structure does not move entities one by one. A handle is
// a slot that says which of storage's entities stands for it, so it is enough
// that each table has as many rows as it had: the columns are then copied whole,
// that of the handles included, and the slots of rows that hold another entity
// than before are pointed at them. The table's arrangement is then the very one
// that was captured and gets its version back.

// rebuild makes storage and handles what they were at a capture.
func (h *WorldHistory) rebuild(c *capture, s *worldState) {
	w := h.w
	h.meet()
	if h.differs(c) || s.handles.settled != w.handles.settled {
		for len(w.handles.slots) < len(s.handles.gens) {
			w.handles.slots = append(w.handles.slots, slot{})
		}
		h.unseat(c)
		for i := range c.tables {
			if tc := &c.tables[i]; tc.differs() {
				h.seat(tc)
			}
		}
		h.settleGone()
		h.putHandles(s)
	}
	for i := range c.tables {
		if tc := &c.tables[i]; tc.n > 0 {
			h.putColumns(tc)
		}
	}
}

// differs reports whether any table has other rows than it had.
func (h *WorldHistory) differs(c *capture) bool {
	differs := false
	for i := range c.tables {
		tc := &c.tables[i]
		h.w.storage.refresh(tc.t)
		differs = differs || tc.differs()
	}
	return differs
}

// differs reports whether the table, which is fresh, has other rows than it had.
func (tc *tableCapture) differs() bool {
	if tc.n == 0 {
		return tc.t.n > 0
	}
	return tc.version != tc.t.version
}

// rows is a table's rows as they are, and as they were.
type rows struct {
	is, was           []Entity
	isNamed, wasNamed []components.NetID // nil for a table without NetIDs
}

// rowsOf pairs the first n rows of a fresh table.
func (h *WorldHistory) rowsOf(tc *tableCapture, n int) rows {
	if n == 0 {
		return rows{}
	}
	r := rows{is: h.w.entities(tc.t)[:n], was: tc.entities[:n]}
	if named := h.w.names(tc.t); named != nil {
		r.isNamed, r.wasNamed = named[:n], tc.names[:n]
	}
	return r
}

// other is the next row from i on that holds another entity than it held, or an
// entity of another name; the number of rows when there is none.
func (r *rows) other(i int) int {
	is, was := r.is, r.was[:len(r.is)]
	if r.isNamed == nil {
		for i < len(is) && is[i] == was[i] {
			i++
		}
		return i
	}
	isNamed, wasNamed := r.isNamed[:len(is)], r.wasNamed[:len(is)]
	for i < len(is) && is[i] == was[i] && isNamed[i] == wasNamed[i] {
		i++
	}
	return i
}

// name is the NetID of a captured row; 0 for none.
func (tc *tableCapture) name(i int) components.NetID {
	if len(tc.names) == 0 {
		return 0
	}
	return tc.names[i]
}

// unseat marks the entities whose rows held others, or none, as dead, until seat
// finds them elsewhere.
func (h *WorldHistory) unseat(c *capture) {
	w := h.w
	h.gone = h.gone[:0]
	for i := range c.tables {
		tc := &c.tables[i]
		if !tc.differs() {
			continue
		}
		all, r := w.entities(tc.t), h.rowsOf(tc, min(tc.n, tc.t.n))
		for i := r.other(0); i < len(all); i = r.other(i + 1) {
			w.handles.slots[all[i].id].live = false
			h.gone = append(h.gone, all[i])
		}
	}
}

// seat gives a table the rows that it had.
func (h *WorldHistory) seat(tc *tableCapture) {
	w, t := h.w, tc.t
	kept := min(t.n, tc.n) // rows that may be the same
	w.storage.resize(t, tc.n)
	if tc.n == 0 {
		return
	}
	r, all, names := h.rowsOf(tc, kept), w.entities(t), w.names(t)
	suspended := t.mask.has(w.setup.protocol.core.suspended.index)
	q := w.storage.arche.Query(&t.filter)
	for i := r.other(0); i < tc.n; i = r.other(i + 1) {
		e, id := tc.entities[i], tc.name(i)
		s := &w.handles.slots[e.id]
		if s.netID != id {
			w.handles.removeNetID(e, s.netID)
		}
		if all[i] = e; id != 0 {
			names[i] = id
			*w.handles.byNetID.put(uint32(id)) = e
		}
		*s = slot{gen: e.gen, live: true, suspended: suspended, stored: q.EntityAt(i), table: t, netID: id}
	}
	q.Close()
	t.version = tc.version
}

// settleGone ends what found no other row.
func (h *WorldHistory) settleGone() {
	for _, e := range h.gone {
		if s := &h.w.handles.slots[e.id]; !s.live {
			h.w.handles.removeNetID(e, s.netID)
			*s = slot{gen: s.gen}
		}
	}
}

// putHandles restores which handle is given out next.
func (h *WorldHistory) putHandles(s *worldState) {
	w := h.w
	if s.handles.settled == w.handles.settled {
		return
	}
	w.handles.settled = s.handles.settled
	w.handles.slots = w.handles.slots[:len(s.handles.gens)]
	for i, gen := range s.handles.gens {
		w.handles.slots[i].gen = gen
	}
	w.handles.free = append(w.handles.free[:0], s.handles.free...)
}
