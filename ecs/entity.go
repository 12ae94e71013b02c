package ecs

import (
	"fmt"
	"reflect"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

// Entity is a handle to an entity of one world. It is valid from the return of [World.Spawn] until the entity dies, even if
// storage moves the entity. Handles differ between peers; use the NetID on the network.
//
// The zero Entity refers to no entity.
type Entity struct {
	id  uint32
	gen uint32
}

// IsZero reports whether e is the zero handle.
func (e Entity) IsZero() bool { return e.id == 0 }

// String returns "entity ID.GENERATION" for logs.
func (e Entity) String() string { return fmt.Sprintf("entity %d.%d", e.id, e.gen) }

// self is a hidden component of each entity. It makes the entities of a table a column.
type self struct{ entity Entity }

// handles maps handles and NetIDs to entities.
type handles struct {
	slots   []slot
	free    []uint32
	changes uint64 // counts allocations and releases
	settled uint64 // value of changes for the current slots and free
	byNetID keyedTable[Entity]
	nextNet components.NetID
}

// slot is the state of one handle.
type slot struct {
	gen       uint32
	live      bool
	suspended bool  // out of scope, see predictions
	pending   int32 // 1 + index of the spawn command that will create it; 0 if stored
	last      int32 // 1 + index of the newest deferred command for it; 0 if none
	stored    arche.Entity
	table     *table
	netID     components.NetID
}

// allocate returns a new handle whose entity is not stored yet.
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

// release frees a handle and its NetID.
func (h *handles) release(e Entity) {
	s := &h.slots[e.id]
	if s.netID != 0 {
		h.byNetID.remove(uint32(s.netID))
	}
	*s = slot{gen: s.gen}
	h.free = append(h.free, e.id)
	h.changed()
}

// changed records that the set of handles in use changed.
func (h *handles) changed() {
	h.changes++
	h.settled = h.changes
}

// at returns the slot of a live handle, or nil.
func (h *handles) at(e Entity) *slot {
	if int(e.id) >= len(h.slots) {
		return nil
	}
	if s := &h.slots[e.id]; s.live && s.gen == e.gen {
		return s
	}
	return nil
}

// mustAt is at, but panics for dead handles.
func (h *handles) mustAt(e Entity, call string) *slot {
	s := h.at(e)
	if s == nil {
		panic(fmt.Sprintf("ecs: %s of %v, which is not alive in this world; check World.Alive before", call, e))
	}
	return s
}

// assignNetID gives an entity a NetID. Later NetIDs are larger.
func (h *handles) assignNetID(e Entity, id components.NetID) {
	h.slots[e.id].netID = id
	*h.byNetID.put(uint32(id)) = e
	h.nextNet = max(h.nextNet, id+1)
}

// removeNetID removes the mapping of a NetID to e, unless the NetID refers to another entity.
func (h *handles) removeNetID(e Entity, id components.NetID) {
	if at := h.byNetID.find(uint32(id)); id != 0 && at != nil && at.id == e.id {
		h.byNetID.remove(uint32(id))
	}
}

// assignNetIDFor gives an entity the next NetID if it is about to get the component c, c is replicated, and this peer is
// the server.
func (w *World) assignNetIDFor(e Entity, c *Component) {
	if c.replicated >= 0 && !w.setup.config.Client && w.handles.slots[e.id].netID == 0 {
		w.handles.assignNetID(e, w.handles.nextNet)
	}
}

// writeNetID copies the NetID of the slot to the column.
func (w *World) writeNetID(s *slot) {
	if s.netID != 0 {
		*(*components.NetID)(w.pointer(s, w.setup.protocol.core.netID)) = s.netID
	}
}

// Alive reports whether e is alive. Entities spawned in the current stage are alive. On a client, an entity that Simulate
// despawned is dead within Simulate, and alive outside of it until the server confirms.
func (w *World) Alive(e Entity) bool {
	s := w.handles.at(e)
	return s != nil && !w.predicted.hides(s)
}

// NetID returns the NetID of e, or 0 if it has none or is dead.
func (w *World) NetID(e Entity) components.NetID {
	if s := w.handles.at(e); s != nil {
		return s.netID
	}
	return 0
}

// ByNetID returns the entity with a NetID and whether it exists.
func (w *World) ByNetID(id components.NetID) (Entity, bool) {
	if e := w.handles.byNetID.find(uint32(id)); e != nil {
		return *e, true
	}
	return Entity{}, false
}

// Despawn removes an entity; inside a system, at the end of the stage. It ignores dead handles. On a client, an entity of
// the server that Simulate despawns leaves the scope, and returns under the same handle if the server disagrees. Despawn
// panics for the entity of a [Singleton].
func (w *World) Despawn(e Entity) {
	w.check.handlers.refuseWrite("Despawn")
	switch s := w.handles.at(e); {
	case s == nil:
	case w.setup.protocol.singletonOf(s.netID) != nil:
		panic(fmt.Sprintf("ecs: Despawn: %s is a singleton and cannot be despawned", w.setup.protocol.singletonOf(s.netID).Name))
	case w.deferred.depth > 0 && s.pending == 0:
		w.deferred.deferCommand(s, e, opDespawn)
	default:
		w.apply(command{op: opDespawn, entity: e})
	}
}

// Add gives e the component v. If e has the component already, Add sets its value immediately. Otherwise, inside a system,
// e gets the component at the end of the stage, in the order of the Add and Remove calls. On a client, Simulate can only
// change the components of entities that the client simulates.
//
// Add panics if e is dead or T is not registered. If e dies before the end of the stage, Add has no effect.
func Add[T any](w *World, e Entity, v T) {
	w.check.handlers.refuseWrite("Add")
	s := w.handles.mustAt(e, "Add")
	c := w.setup.protocol.needAddable(reflect.TypeFor[T](), "Add")
	if p := w.pointer(s, c); p != nil && w.deferred.waiting(s, c) == opNone {
		*(*T)(p) = v
		return
	}
	w.assignNetIDFor(e, c)
	held := w.deferred.values.allocate(c.size)
	*(*T)(held) = v
	w.apply(command{op: opAdd, entity: e, first: w.deferred.part(c, held, 0)})
}

// Remove removes the component T from e; inside a system, at the end of the stage. It does nothing if e has no T. It panics
// if e is dead or T is not registered.
func Remove[T any](w *World, e Entity) {
	w.check.handlers.refuseWrite("Remove")
	s := w.handles.mustAt(e, "Remove")
	c := w.setup.protocol.needAddable(reflect.TypeFor[T](), "Remove")
	if was := w.deferred.waiting(s, c); was == opAdd || was == opNone && w.pointer(s, c) != nil {
		w.apply(command{op: opRemove, entity: e, first: w.deferred.part(c, nil, 0)})
	}
}

// Get returns a pointer to the component T of e, or nil if e has no T or is dead. The pointer is valid until the next
// structural change; inside a system, until the end of the stage. Do not keep it.
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

// find returns the component of a type that an entity has and that is visible now, or nil.
func find(w *World, e Entity, t reflect.Type) (unsafe.Pointer, *Component) {
	w.check.handlers.refuseRead("Get")
	s := w.handles.at(e)
	if s == nil || w.predicted.hides(s) {
		return nil, nil
	}
	c := w.setup.protocol.need(t)
	return w.pointer(s, c), c
}

// pointer returns the component of a stored or pending entity, or nil.
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
