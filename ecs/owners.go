package ecs

import (
	"slices"
	"unsafe"
)

// ownerScope is whose entities Each yields.
type ownerScope struct {
	skipped []uint32             // owners that it leaves out
	held    keyedTable[struct{}] // the same, to be looked up
	only    uint32               // the one owner that it yields; 0: all
}

// ownersOf is which rows of a fresh table that has the Owner column belong to whom, so that a
// walk over one owner's entities need not visit all.
func (w *World) ownersOf(t *table) *rowRuns {
	column := t.cols[w.setup.protocol.core.owner.index]
	t.owners.update(unsafe.Slice((*uint32)(column), t.n)) // all of a components.Owner
	return &t.owners
}

// SkipOwner leaves out an owner's entities from [Each] and [Chunks] until
// [Netcode.SkipNobody]: the server's buffer for this client is filling, and its
// entities take no step. [All] still shows them.
func (n *Netcode) SkipOwner(owner uint32) {
	w := (*World)(n)
	if owner != 0 && !w.owners.skips(owner) {
		w.owners.held.put(owner)
		w.owners.skipped = append(w.owners.skipped, owner)
	}
}

// SkipNobody ends what [Netcode.SkipOwner] began, for all owners.
func (n *Netcode) SkipNobody() {
	w := (*World)(n)
	w.owners.held.clear()
	w.owners.skipped = w.owners.skipped[:0]
}

// SimulateOnly runs Simulate for the entities of one owner alone, held or not,
// in addition to the tick's own run. It panics for owner 0, which is the server.
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

// skipsIn reports whether a table has rows of an owner that Each leaves out.
func (s *ownerScope) skipsIn(o *rowRuns) bool {
	return slices.ContainsFunc(s.skipped, func(owner uint32) bool { return o.first(owner) > 0 })
}

// inputs is which inputs the running tick consumes.
type inputs struct {
	byOwner keyedTable[uint32] // sequences
	newest  uint32             // the newest of them
	spawned keyedTable[spawnCount]
	neutral []uint64         // the input of who has no client
	given   []unsafe.Pointer // scratch of GiveInputs, by chain of owners
}

// SetInputSequence is for the netcode: it says which of an owner's inputs the
// next Simulate consumes. Randomness on owned entities follows it.
func (n *Netcode) SetInputSequence(owner, seq uint32) {
	w := (*World)(n)
	*w.inputs.byOwner.put(owner), w.inputs.newest = seq, seq
}

// ForgetInputs is for the netcode, when a client has left for good: what
// [Netcode.SetInputSequence] said of it holds no more, and its entities draw their
// random numbers by tick.
func (n *Netcode) ForgetInputs(owner uint32) {
	w := (*World)(n)
	w.inputs.byOwner.remove(owner)
	w.inputs.spawned.remove(owner)
}

// GiveInputs is for the netcode, before Simulate: it makes the input of each entity
// that this peer simulates the one of its owner, which lies where of says; nil is the
// neutral one, for owners without a client. Entities without components.Owner are those
// of owner 0, the server.
//
// It is a function of the world and of, and goes by who owns what now; so whoever
// changes owners need tell nobody. of is called once for an owner in each table.
func (n *Netcode) GiveInputs(of func(owner uint32) unsafe.Pointer) {
	w := (*World)(n)
	in := w.setup.protocol.input
	for t := range w.driven {
		column := t.cols[in.index]
		if t.cols[w.setup.protocol.core.owner.index] == nil {
			in.fill(column, 0, int32(t.n), w.inputs.orNeutral(of(0)))
			continue
		}
		o := w.ownersOf(t)
		w.inputs.given = w.inputs.given[:0]
		for _, at := range o.heads {
			w.inputs.given = append(w.inputs.given, w.inputs.orNeutral(of(o.all[at-1].key)))
		}
		for i := range o.all {
			run := &o.all[i]
			in.fill(column, run.start, run.end, w.inputs.given[run.nth])
		}
	}
}

// GiveInput is [Netcode.GiveInputs] for what one client owns.
func (n *Netcode) GiveInput(owner uint32, value unsafe.Pointer) {
	w := (*World)(n)
	in, value := w.setup.protocol.input, w.inputs.orNeutral(value)
	for t := range w.driven {
		if t.cols[w.setup.protocol.core.owner.index] == nil {
			continue
		}
		o := w.ownersOf(t)
		for at := o.first(owner); at > 0; at = o.all[at-1].next {
			in.fill(t.cols[in.index], o.all[at-1].start, o.all[at-1].end, value)
		}
	}
}

// driven yields each table of entities with an input that this peer simulates.
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

// orNeutral is an input, or the neutral one in place of none.
func (in *inputs) orNeutral(value unsafe.Pointer) unsafe.Pointer {
	if value == nil {
		return unsafe.Pointer(unsafe.SliceData(in.neutral))
	}
	return value
}

// fill makes value the input of the rows from start to end, at least one.
func (c *Component) fill(column unsafe.Pointer, start, end int32, value unsafe.Pointer) {
	rows := unsafe.Slice((*byte)(unsafe.Add(column, uintptr(start)*c.size)), uintptr(end-start)*c.size)
	for n := copy(rows, unsafe.Slice((*byte)(value), c.size)); n < len(rows); {
		n += copy(rows[n:], rows[:n])
	}
}

// neutralInput is an input with which nothing is pressed, as a component.
func neutralInput(in *Component) []uint64 {
	if in == nil || in.size == 0 {
		return nil
	}
	value := make([]uint64, (in.size+7)/8)
	in.Schema.Snap(unsafe.Pointer(unsafe.SliceData(value)))
	return value
}
