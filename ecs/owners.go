package ecs

import (
	"slices"
	"unsafe"
)

// ownerScope selects the owners whose entities Each yields.
type ownerScope struct {
	skipped []uint32             // owners to leave out
	held    keyedTable[struct{}] // the same owners, for lookups
	only    uint32               // the only owner to yield; 0 means all
}

// ownersOf returns the runs of rows of each owner in a refreshed table with the Owner column, so that an iteration over one
// owner's entities need not visit all rows.
func (w *World) ownersOf(t *table) *rowRuns {
	column := t.cols[w.setup.protocol.core.owner.index]
	t.owners.update(unsafe.Slice((*uint32)(column), t.n)) // all of a components.Owner
	return &t.owners
}

// SkipOwner leaves the entities of an owner out of [Each] until [Netcode.SkipNobody]. The netcode calls it
// while the input buffer of this client fills and its entities take no step. [All] still yields them.
func (n *Netcode) SkipOwner(owner uint32) {
	w := (*World)(n)
	if owner != 0 && !w.owners.skips(owner) {
		w.owners.held.put(owner)
		w.owners.skipped = append(w.owners.skipped, owner)
	}
}

// SkipNobody undoes all calls of [Netcode.SkipOwner].
func (n *Netcode) SkipNobody() {
	w := (*World)(n)
	w.owners.held.clear()
	w.owners.skipped = w.owners.skipped[:0]
}

// SimulateOnly runs Simulate for the entities of one owner only, even if the owner is skipped, in addition to the normal
// run of the tick. It panics for owner 0, the server.
func (n *Netcode) SimulateOnly(owner uint32) {
	w := (*World)(n)
	if owner == 0 {
		panic("ecs: SimulateOnly needs a client's number; 0 is the server")
	}
	defer func(outer uint32) { w.owners.only = outer }(w.owners.only)
	w.owners.only = owner
	w.setup.simulate.Run(w)
}

// skips reports whether Each leaves out the entities of owner.
func (s *ownerScope) skips(owner uint32) bool { return s.held.find(owner) != nil }

// skipsIn reports whether a table has rows of a skipped owner.
func (s *ownerScope) skipsIn(o *rowRuns) bool {
	return slices.ContainsFunc(s.skipped, func(owner uint32) bool { return o.first(owner) > 0 })
}

// inputs has the input sequence numbers that the running tick consumes.
type inputs struct {
	byOwner keyedTable[uint32] // sequences
	newest  uint32             // the newest of them
	spawned keyedTable[spawnCount]
	neutral []uint64         // the input of who has no client
	given   []unsafe.Pointer // scratch of GiveInputs, by chain of owners
}

// SetInputSequence sets the sequence number of the owner's input that the next Simulate consumes. It determines the random
// numbers of the owner's entities.
func (n *Netcode) SetInputSequence(owner, seq uint32) {
	w := (*World)(n)
	*w.inputs.byOwner.put(owner), w.inputs.newest = seq, seq
}

// ForgetInputs removes the data of [Netcode.SetInputSequence] for a client that has left for good. The random numbers of
// its entities then depend on the tick.
func (n *Netcode) ForgetInputs(owner uint32) {
	w := (*World)(n)
	w.inputs.byOwner.remove(owner)
	w.inputs.spawned.remove(owner)
}

// GiveInputs sets the input of each simulated entity to the input of its owner, before Simulate. of returns a pointer to
// the input of an owner, or nil for the neutral input, for owners without a client. Entities without components.Owner
// belong to owner 0, the server.
//
// GiveInputs uses the current owners, so changes of owners need no notification. It calls of once per owner and table.
func (n *Netcode) GiveInputs(of func(owner uint32) unsafe.Pointer) {
	w := (*World)(n)
	in := w.setup.protocol.input
	for t := range w.driven {
		column := t.cols[in.index]
		if t.cols[w.setup.protocol.core.owner.index] == nil {
			in.setRows(column, 0, int32(t.n), w.inputs.orNeutral(of(0)))
			continue
		}
		o := w.ownersOf(t)
		w.inputs.given = w.inputs.given[:0]
		for _, at := range o.heads {
			w.inputs.given = append(w.inputs.given, w.inputs.orNeutral(of(o.all[at-1].key)))
		}
		for i := range o.all {
			run := &o.all[i]
			in.setRows(column, run.start, run.end, w.inputs.given[run.nth])
		}
	}
}

// GiveInput is [Netcode.GiveInputs] for the entities of one client.
func (n *Netcode) GiveInput(owner uint32, value unsafe.Pointer) {
	w := (*World)(n)
	in, value := w.setup.protocol.input, w.inputs.orNeutral(value)
	for t := range w.driven {
		if t.cols[w.setup.protocol.core.owner.index] == nil {
			continue
		}
		o := w.ownersOf(t)
		for at := o.first(owner); at > 0; at = o.all[at-1].next {
			in.setRows(t.cols[in.index], o.all[at-1].start, o.all[at-1].end, value)
		}
	}
}

// driven yields each table of simulated entities with an input.
func (w *World) driven(yield func(*table) bool) {
	in := w.setup.protocol.input
	if in == nil || in.size == 0 {
		return
	}
	for _, t := range w.storage.tables {
		if !t.mask.has(in.index) || !w.simulates(t) {
			continue
		}
		if w.storage.refresh(t); t.n > 0 && !yield(t) {
			return
		}
	}
}

// orNeutral returns value, or the neutral input if value is nil.
func (in *inputs) orNeutral(value unsafe.Pointer) unsafe.Pointer {
	if value == nil {
		return unsafe.Pointer(unsafe.SliceData(in.neutral))
	}
	return value
}

// setRows sets the component of the rows start to end, at least one, to value.
func (c *Component) setRows(column unsafe.Pointer, start, end int32, value unsafe.Pointer) {
	rows := unsafe.Slice((*byte)(unsafe.Add(column, uintptr(start)*c.size)), uintptr(end-start)*c.size)
	for n := copy(rows, unsafe.Slice((*byte)(value), c.size)); n < len(rows); {
		n += copy(rows[n:], rows[:n])
	}
}

// neutralInput returns an input without key presses.
func neutralInput(in *Component) []uint64 {
	if in == nil || in.size == 0 {
		return nil
	}
	value := make([]uint64, (in.size+7)/8)
	in.Schema.Snap(unsafe.Pointer(unsafe.SliceData(value)))
	return value
}
