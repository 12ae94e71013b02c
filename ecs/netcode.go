package ecs

import (
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// Netcode is a world as the netcode and tools see it: the calls that keep a world in step
// with another peer's. Rules of a game need none of them. It is the world itself; see
// [World.Netcode].
type Netcode World

// Netcode is the world for the netcode. It costs nothing.
func (w *World) Netcode() *Netcode { return (*Netcode)(w) }

// SimulateStage is the nested list of the game's systems, which the server's
// tick, Predict and Reconcile's replays all run.
func (n *Netcode) SimulateStage() *Stage {
	w := (*World)(n)
	return w.setup.simulate
}

// Replica makes or reshapes, at once, the entity that stands for a server's
// entity in this world: with the replicated components of mask, marked
// components.Predicted or components.Interpolated. Values start at zero; write
// them through [Netcode.Pointer]. What a component holds when it is there already
// stays, and so do components that are not replicated. It is for the netcode,
// which calls it outside any walk.
//
// It panics when id is 0, mask names no component of the protocol, or a running
// system is spawning that entity.
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
		w.handles.name(e, id)
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
	return e
}

// Discard removes a replica at once; unknown NetIDs are ignored.
func (n *Netcode) Discard(id components.NetID) {
	w := (*World)(n)
	e, ok := w.ByNetID(id)
	switch {
	case !ok:
	case w.handles.slots[e.id].pending > 0:
		w.do(command{op: opDespawn, entity: e})
	default:
		w.carryOut(&command{op: opDespawn, entity: e})
	}
}

// Pointer is where e's component c is stored, until the next structural change;
// nil when e is not alive or has none. It is [Get] for the netcode, which knows
// components by description.
func (n *Netcode) Pointer(e Entity, c *Component) unsafe.Pointer {
	w := (*World)(n)
	s := w.handles.at(e)
	if s == nil {
		return nil
	}
	return w.pointer(s, c)
}

// Mask is the set of replicated components that e has.
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
// which the archetypes came up; it is an iterator: for t := range w.Netcode().Tables. No
// structural change may happen during the walk.
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

// Simulated yields each non-empty table of what this peer simulates and of which
// the server knows or will know: the simulated ones of [Netcode.Tables], and
// predicted spawns that have no NetID yet, whose NetIDs are nil.
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
