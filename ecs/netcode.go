package ecs

import (
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// Netcode is a world with the methods that netcode and tools need to keep it in step with the world of another peer. The
// rules of a game need none of them. Get it with [World.Netcode].
type Netcode World

// Netcode returns w with the methods for the netcode. It costs nothing.
func (w *World) Netcode() *Netcode { return (*Netcode)(w) }

// SimulateStage returns the stage of the game's systems. The server's tick, Predict and the replays of Reconcile run it.
func (n *Netcode) SimulateStage() *Stage {
	w := (*World)(n)
	return w.setup.simulate
}

// Replica immediately creates or changes the entity that represents an entity of the server. The entity gets the replicated
// components of mask and the mark components.Predicted or components.Interpolated. New components are zero; write them with
// [Netcode.Pointer]. Existing components keep their values, and components that are not replicated stay. Call it outside of
// iterations.
//
// It panics if id is 0, if mask has a component that the protocol lacks, or if a running system is spawning that entity.
func (n *Netcode) Replica(id components.NetID, mask uint64, predicted bool) Entity {
	w := (*World)(n)
	if id == 0 {
		panic("ecs: Replica needs a NetID")
	}
	p := w.setup.protocol
	mark, unmark := p.core.interpolated, p.core.predicted
	if predicted {
		mark, unmark = unmark, mark
	}
	wanted := p.maskOf(mask)
	e, known := w.ByNetID(id)
	if !known {
		e = w.handles.allocate()
		w.handles.assignNetID(e, id)
		m := wanted
		m.set(p.core.self.index)
		m.set(mark.index)
		m.set(p.core.netID.index)
		s := &w.handles.slots[e.id]
		w.place(e, s, w.tableOf(m))
		for _, c := range s.table.comps {
			if c != p.core.self && c != p.core.netID {
				w.storage.zero(s, c)
			}
		}
		w.releaseKeys(s)
		return e
	}
	s := w.handles.mustAt(e, "Replica")
	if s.pending > 0 {
		panic(fmt.Sprintf("ecs: Replica of NetID %d, which a system of this world is spawning", id))
	}
	m := s.table.mask
	for _, c := range p.replicated {
		m.clear(c.index)
	}
	for i := range m {
		m[i] |= wanted[i]
	}
	m.set(mark.index)
	m.clear(unmark.index)
	w.move(s, m)
	w.releaseKeys(s)
	return e
}

// releaseKeys gives an entity that this peer does not simulate the neutral input, because nothing else sets it: what the player
// pressed last would stay pressed.
func (w *World) releaseKeys(s *slot) {
	in := w.setup.protocol.input
	if in == nil || in.size == 0 || w.simulates(s.table) || !s.table.mask.has(in.index) {
		return
	}
	in.setRows(w.pointer(s, in), 0, 1, w.inputs.orNeutral(nil))
}

// Discard immediately removes a replica. It ignores unknown NetIDs.
func (n *Netcode) Discard(id components.NetID) {
	w := (*World)(n)
	e, ok := w.ByNetID(id)
	switch {
	case !ok:
	case w.handles.slots[e.id].pending > 0:
		w.apply(command{op: opDespawn, entity: e})
	default:
		w.carryOut(&command{op: opDespawn, entity: e})
	}
}

// Pointer returns a pointer to the component c of e, or nil if e is dead or has no c. It is valid until the next structural
// change.
func (n *Netcode) Pointer(e Entity, c *Component) unsafe.Pointer {
	w := (*World)(n)
	s := w.handles.at(e)
	if s == nil {
		return nil
	}
	return w.pointer(s, c)
}

// Mask returns the set of replicated components of e.
func (n *Netcode) Mask(e Entity) uint64 {
	w := (*World)(n)
	s := w.handles.at(e)
	if s == nil {
		return 0
	}
	if s.pending == 0 {
		return s.table.replicated
	}
	var set uint64
	spawn := &w.deferred.commands[s.pending-1]
	for i, c := range w.setup.protocol.replicated {
		if _, found := w.deferred.find(spawn, c); found {
			set |= 1 << i
		}
	}
	return set
}

// bitsOf yields the indices of the bits in set, in ascending order.
func bitsOf(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// Table is the netcode's view of the networked entities of one archetype as whole columns. It is valid until the next
// structural change.
type Table struct {
	// Mask is the set of replicated components, with bit i for component i.
	Mask uint64
	// Entities and NetIDs identify the rows. Do not write to them.
	Entities []Entity
	NetIDs   []components.NetID
	// Simulated reports whether this peer simulates these entities.
	Simulated bool

	t    *table
	past Past // not zero for captured columns
}

// Column returns a pointer to the first of the len(Entities) values of a component, which are adjacent in memory. It
// returns nil if the table lacks the component or has no rows.
func (t Table) Column(c *Component) unsafe.Pointer {
	if t.past.h != nil {
		return t.past.column(t.t, c)
	}
	return t.t.cols[c.index]
}

// Tables yields each non-empty table of entities with a NetID, in the order in which the archetypes first appeared. Use it
// as for t := range w.Netcode().Tables. The structure must not change during the iteration.
func (n *Netcode) Tables(yield func(Table) bool) {
	w := (*World)(n)
	p := w.setup.protocol
	for _, t := range w.storage.tables {
		if !t.mask.has(p.core.netID.index) || t.mask.has(p.core.suspended.index) {
			continue
		}
		w.storage.refresh(t)
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

// Simulated yields each non-empty table of simulated entities that the server knows or will know: the simulated tables of
// [Netcode.Tables], and predicted spawns without a NetID, whose NetIDs are nil.
func (n *Netcode) Simulated(yield func(Table) bool) {
	w := (*World)(n)
	p := w.setup.protocol
	for _, t := range w.storage.tables {
		if !w.simulates(t) || !t.mask.has(p.core.netID.index) && !t.mask.has(p.core.key.index) {
			continue
		}
		w.storage.refresh(t)
		if t.n == 0 {
			continue
		}
		version := w.storage.version
		view := Table{Mask: t.replicated, Entities: w.entities(t), NetIDs: w.names(t), Simulated: true, t: t}
		if !yield(view) {
			return
		}
		if w.storage.version != version {
			panicMoved()
		}
	}
}
