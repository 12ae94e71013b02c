package ecs

import "github.com/tactusgo/tactus/components"

// Restoring a different structure does not move entities one by one. First each table gets its previous number of rows. Then
// the columns are copied whole, including the column of handles, and the slots of handles whose row has changed are updated.
// The table then has the captured arrangement and gets its version back.

// rebuild restores storage and handles to a capture.
func (h *WorldHistory) rebuild(c *capture, s *worldState) {
	w := h.w
	h.addTables()
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
		h.clearGone()
		h.putHandles(s)
	}
	for i := range c.tables {
		if tc := &c.tables[i]; tc.n > 0 {
			h.putColumns(tc)
		}
	}
}

// differs reports whether the rows of any table changed.
func (h *WorldHistory) differs(c *capture) bool {
	differs := false
	for i := range c.tables {
		tc := &c.tables[i]
		h.w.storage.refresh(tc.t)
		differs = differs || tc.differs()
	}
	return differs
}

// differs reports whether the rows of the table, which must be refreshed, changed.
func (tc *tableCapture) differs() bool {
	if tc.n == 0 {
		return tc.t.n > 0
	}
	return tc.version != tc.t.version
}

// rows has the current and the captured rows of a table.
type rows struct {
	is, was           []Entity
	isNamed, wasNamed []components.NetID // nil for a table without NetIDs
}

// rowsOf returns the first n rows of a refreshed table.
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

// nextChanged returns the next row from i on with a different entity or NetID, or the number of rows.
func (r *rows) nextChanged(i int) int {
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

// name returns the NetID of a captured row, or 0.
func (tc *tableCapture) name(i int) components.NetID {
	if len(tc.names) == 0 {
		return 0
	}
	return tc.names[i]
}

// unseat marks the entities of changed rows as dead, until seat finds them in other rows.
func (h *WorldHistory) unseat(c *capture) {
	w := h.w
	h.gone = h.gone[:0]
	for i := range c.tables {
		tc := &c.tables[i]
		if !tc.differs() {
			continue
		}
		all, r := w.entities(tc.t), h.rowsOf(tc, min(tc.n, tc.t.n))
		for i := r.nextChanged(0); i < len(all); i = r.nextChanged(i + 1) {
			w.handles.slots[all[i].id].live = false
			h.gone = append(h.gone, all[i])
		}
	}
}

// seat restores the rows of a table.
func (h *WorldHistory) seat(tc *tableCapture) {
	w, t := h.w, tc.t
	kept := min(t.n, tc.n) // rows that can be unchanged
	w.storage.resize(t, tc.n)
	if tc.n == 0 {
		return
	}
	r, all, names := h.rowsOf(tc, kept), w.entities(t), w.names(t)
	suspended := t.mask.has(w.setup.protocol.core.suspended.index)
	q := w.storage.arche.Query(&t.filter)
	for i := r.nextChanged(0); i < tc.n; i = r.nextChanged(i + 1) {
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

// clearGone clears the slots of entities that seat did not find.
func (h *WorldHistory) clearGone() {
	for _, e := range h.gone {
		if s := &h.w.handles.slots[e.id]; !s.live {
			h.w.handles.removeNetID(e, s.netID)
			*s = slot{gen: s.gen}
		}
	}
}

// putHandles restores the number and generations of handles and the list of free handles.
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
