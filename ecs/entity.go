package ecs

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

// Entity is a handle to one entity of one world. It stays valid while its
// entity lives, whatever moves in storage, and is usable from the moment that
// [World.Spawn] returns it. Handles differ between peers: what crosses the
// network is the entity's NetID.
//
// The zero Entity is no entity.
type Entity struct {
	id  uint32
	gen uint32
}

// IsZero reports whether e is the zero handle, which names no entity.
func (e Entity) IsZero() bool { return e.id == 0 }

// String is "entity ID.GENERATION", for logs.
func (e Entity) String() string { return fmt.Sprintf("entity %d.%d", e.id, e.gen) }

// self is the hidden component that every entity carries, so that a table's
// entities are a column like any other.
type self struct{ entity Entity }

// slot is what a world knows of one handle.
type slot struct {
	gen       uint32
	live      bool
	suspended bool  // out of scope: see predictions
	pending   int32 // 1 + index of the spawn command that will create it; 0: stored
	last      int32 // 1 + index of the newest command that waits for it; 0: none
	stored    arche.Entity
	table     *table
	netID     components.NetID
}

// allocate hands out a handle whose entity is not stored yet.
func (w *World) allocate() Entity {
	var id uint32
	if n := len(w.handles.free); n > 0 {
		id, w.handles.free = w.handles.free[n-1], w.handles.free[:n-1]
	} else {
		id = uint32(len(w.handles.slots))
		w.handles.slots = append(w.handles.slots, slot{})
	}
	s := &w.handles.slots[id]
	*s = slot{gen: s.gen + 1, live: true}
	w.changed()
	return Entity{id, s.gen}
}

// release takes a handle out of use.
func (w *World) release(e Entity) {
	s := &w.handles.slots[e.id]
	if s.netID != 0 {
		w.handles.byNetID.drop(uint32(s.netID))
	}
	*s = slot{gen: s.gen}
	w.handles.free = append(w.handles.free, e.id)
	w.changed()
}

// changed notes that other handles are in use than before.
func (w *World) changed() {
	w.handles.changes++
	w.handles.settled = w.handles.changes
}

// at returns the slot of a living handle, or nil.
func (w *World) at(e Entity) *slot {
	if int(e.id) >= len(w.handles.slots) {
		return nil
	}
	if s := &w.handles.slots[e.id]; s.live && s.gen == e.gen {
		return s
	}
	return nil
}

// mustAt is at for callers that may not hold a dead handle.
func (w *World) mustAt(e Entity, call string) *slot {
	s := w.at(e)
	if s == nil {
		panic(fmt.Sprintf("ecs: %s of %v, which is not alive in this world; check World.Alive before", call, e))
	}
	return s
}

// Alive reports whether e is alive, or is about to be: an entity spawned in
// this stage counts. On a client an entity that Simulate despawned is not alive
// within Simulate, but outside it until the server has agreed.
func (w *World) Alive(e Entity) bool {
	s := w.at(e)
	return s != nil && !w.predicted.hides(s)
}

// NetID is e's name on the wire; 0 when it has none or is not alive.
func (w *World) NetID(e Entity) components.NetID {
	if s := w.at(e); s != nil {
		return s.netID
	}
	return 0
}

// ByNetID finds the entity that carries a NetID.
func (w *World) ByNetID(id components.NetID) (Entity, bool) {
	if e := w.handles.byNetID.find(uint32(id)); e != nil {
		return *e, true
	}
	return Entity{}, false
}

// name gives a slot its NetID; no later one will be the same.
func (w *World) name(e Entity, id components.NetID) {
	w.handles.slots[e.id].netID = id
	*w.handles.byNetID.put(uint32(id)) = e
	w.handles.nextNet = max(w.handles.nextNet, id+1)
}

// nameIf gives the next NetID to an entity that is about to have the component
// c, when c travels and this peer is the one that hands NetIDs out.
func (w *World) nameIf(e Entity, c *Component) {
	if c.replicated >= 0 && !w.setup.config.Client && w.handles.slots[e.id].netID == 0 {
		w.name(e, w.handles.nextNet)
	}
}

// writeNetID keeps the column equal to the slot.
func (w *World) writeNetID(s *slot) {
	if s.netID != 0 {
		*(*components.NetID)(w.pointer(s, w.setup.protocol.netIDC)) = s.netID
	}
}
