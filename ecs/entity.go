package ecs

import (
	"fmt"
	"reflect"
	"unsafe"

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

// handles are the names of entities: ours by slot, the server's by NetID.
type handles struct {
	slots   []slot
	free    []uint32
	changes uint64 // how often slots were handed out and given back
	settled uint64 // the value of changes that slots and free stand for
	byNetID keyedTable[Entity]
	nextNet components.NetID
}

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
func (h *handles) allocate() Entity {
	var id uint32
	if n := len(h.free); n > 0 {
		id, h.free = h.free[n-1], h.free[:n-1]
	} else {
		id = uint32(len(h.slots))
		h.slots = append(h.slots, slot{})
	}
	s := &h.slots[id]
	*s = slot{gen: s.gen + 1, live: true}
	h.changed()
	return Entity{id, s.gen}
}

// release takes a handle out of use.
func (h *handles) release(e Entity) {
	s := &h.slots[e.id]
	if s.netID != 0 {
		h.byNetID.remove(uint32(s.netID))
	}
	*s = slot{gen: s.gen}
	h.free = append(h.free, e.id)
	h.changed()
}

// changed notes that other handles are in use than before.
func (h *handles) changed() {
	h.changes++
	h.settled = h.changes
}

// at returns the slot of a living handle, or nil.
func (h *handles) at(e Entity) *slot {
	if int(e.id) >= len(h.slots) {
		return nil
	}
	if s := &h.slots[e.id]; s.live && s.gen == e.gen {
		return s
	}
	return nil
}

// mustAt is at for callers that may not hold a dead handle.
func (h *handles) mustAt(e Entity, call string) *slot {
	s := h.at(e)
	if s == nil {
		panic(fmt.Sprintf("ecs: %s of %v, which is not alive in this world; check World.Alive before", call, e))
	}
	return s
}

// name gives a slot its NetID; no later one will be the same.
func (h *handles) name(e Entity, id components.NetID) {
	h.slots[e.id].netID = id
	*h.byNetID.put(uint32(id)) = e
	h.nextNet = max(h.nextNet, id+1)
}

// unname forgets that a NetID stands for e, unless it is another's by now.
func (h *handles) unname(e Entity, id components.NetID) {
	if at := h.byNetID.find(uint32(id)); id != 0 && at != nil && at.id == e.id {
		h.byNetID.remove(uint32(id))
	}
}

// nameIf gives the next NetID to an entity that is about to have the component
// c, when c travels and this peer is the one that hands NetIDs out.
func (w *World) nameIf(e Entity, c *Component) {
	if c.replicated >= 0 && !w.setup.config.Client && w.handles.slots[e.id].netID == 0 {
		w.handles.name(e, w.handles.nextNet)
	}
}

// writeNetID keeps the column equal to the slot.
func (w *World) writeNetID(s *slot) {
	if s.netID != 0 {
		*(*components.NetID)(w.pointer(s, w.setup.protocol.core.netID)) = s.netID
	}
}

// Alive reports whether e is alive, or is about to be: an entity spawned in
// this stage counts. On a client an entity that Simulate despawned is not alive
// within Simulate, but outside it until the server has agreed.
func (w *World) Alive(e Entity) bool {
	s := w.handles.at(e)
	return s != nil && !w.predicted.hides(s)
}

// NetID is e's name on the wire; 0 when it has none or is not alive.
func (w *World) NetID(e Entity) components.NetID {
	if s := w.handles.at(e); s != nil {
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

// Despawn removes an entity, inside a system at the end of the stage; until then
// it is alive. A handle that is dead already is ignored. On a client, what Simulate
// despawns of the server's entities leaves the scope, and comes back under the
// same handle when the server disagrees. It panics for the entity of a [Singleton].
func (w *World) Despawn(e Entity) {
	w.check.handlers.refuseWrite("Despawn")
	switch s := w.handles.at(e); {
	case s == nil:
	case w.setup.protocol.singletonOf(s.netID) != nil:
		panic(fmt.Sprintf("ecs: Despawn: %s is a singleton, and stays", w.setup.protocol.singletonOf(s.netID).Name))
	case w.deferred.depth > 0 && s.pending == 0:
		w.deferred.keep(s, e, opDespawn)
	default:
		w.do(command{op: opDespawn, entity: e})
	}
}

// Add gives e the component value v, or sets it at once when e has it already.
// Inside a system a component that e does not have yet arrives at the end of the
// stage; Adds and Removes of one component take effect in the order of the
// calls. On a client, Simulate reshapes no entity that it does not simulate.
//
// It panics when e is not alive or T is not registered. An entity that dies
// before the end of the stage takes the component with it.
func Add[T any](w *World, e Entity, v T) {
	w.check.handlers.refuseWrite("Add")
	s := w.handles.mustAt(e, "Add")
	c := w.setup.protocol.given(reflect.TypeFor[T](), "Add")
	if p := w.pointer(s, c); p != nil && w.deferred.waiting(s, c) == opNone {
		*(*T)(p) = v
		return
	}
	w.nameIf(e, c)
	held := w.deferred.values.allocate(c.size)
	*(*T)(held) = v
	w.do(command{op: opAdd, entity: e, first: w.deferred.part(c, held, 0)})
}

// Remove takes the component T from e, inside a system at the end of the stage.
// It does nothing when e has none. It panics when e is not alive or T is not
// registered.
func Remove[T any](w *World, e Entity) {
	w.check.handlers.refuseWrite("Remove")
	s := w.handles.mustAt(e, "Remove")
	c := w.setup.protocol.given(reflect.TypeFor[T](), "Remove")
	if was := w.deferred.waiting(s, c); was == opAdd || was == opNone && w.pointer(s, c) != nil {
		w.do(command{op: opRemove, entity: e, first: w.deferred.part(c, nil, 0)})
	}
}

// Get returns e's component T, or nil when e has none or is not alive. The
// pointer is good until the next structural change, inside a system until the
// end of the stage: do not keep it.
func Get[T any](w *World, e Entity) *T {
	p, c := find(w, e, reflect.TypeFor[T]())
	if p != nil {
		w.check.handlers.copyComponent(p, c)
	}
	return (*T)(p)
}

// Has reports whether e is alive and has the component T.
func Has[T any](w *World, e Entity) bool {
	p, _ := find(w, e, reflect.TypeFor[T]())
	return p != nil
}

// find is where the component of a type is that an entity shows, nil for none.
func find(w *World, e Entity, t reflect.Type) (unsafe.Pointer, *Component) {
	w.check.handlers.refuseRead("Get")
	s := w.handles.at(e)
	if s == nil || w.predicted.hides(s) {
		return nil, nil
	}
	c := w.known(t)
	return w.pointer(s, c), c
}

// pointer finds a component of a stored or pending entity.
func (w *World) pointer(s *slot, c *Component) unsafe.Pointer {
	if s.pending > 0 {
		value, _ := w.deferred.find(&w.deferred.commands[s.pending-1], c)
		return value
	}
	if s.table == nil || !s.table.mask.has(c.index) {
		return nil
	}
	return w.storage.arche.GetUnchecked(s.stored, w.storage.ids[c.index])
}
