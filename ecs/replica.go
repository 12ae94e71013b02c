package ecs

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

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
	mark, unmark := p.interpolatedC, p.predictedC
	if predicted {
		mark, unmark = unmark, mark
	}
	wanted := w.replicaMask(mask)
	e, known := w.ByNetID(id)
	if !known {
		e = w.allocate()
		w.name(e, id)
		m := wanted
		m.set(p.selfC.index)
		m.set(mark.index)
		m.set(p.netIDC.index)
		s := &w.handles.slots[e.id]
		w.place(e, s, w.tableOf(m))
		for _, c := range s.table.comps {
			if c != p.selfC && c != p.netIDC {
				w.zero(s, c)
			}
		}
		return e
	}
	s := w.mustAt(e, "Replica")
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

func (w *World) replicaMask(set uint64) mask {
	var m mask
	for i := range bitsOf(set) {
		if i >= len(w.setup.protocol.replicated) {
			panic(fmt.Sprintf("ecs: Replica: no replicated component %d", i))
		}
		m.set(w.setup.protocol.replicated[i].index)
	}
	return m
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
	s := w.at(e)
	if s == nil {
		return nil
	}
	return w.pointer(s, c)
}

// Mask is the set of replicated components that e has.
func (n *Netcode) Mask(e Entity) uint64 {
	w := (*World)(n)
	s := w.at(e)
	if s == nil {
		return 0
	}
	if s.pending == 0 {
		return s.table.replicated
	}
	var set uint64
	spawn := &w.deferred.commands[s.pending-1]
	for i, c := range w.setup.protocol.replicated {
		if _, found := w.find(spawn, c); found {
			set |= 1 << i
		}
	}
	return set
}
