package ecs

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// History is a ring of captures of the simulated values: the components registered as [Predicted] of the entities that
// [Each] yields. Each capture has a key; on a client it is the sequence number of the input that led to the state. History
// restores values, not structure, as reconciling needs; [WorldHistory] restores a whole world. Once the ring is full,
// Capture allocates only if tables grew.
type History struct{ ring }

// NewHistory returns a ring of n captures. It panics unless n is positive.
func NewHistory(w *World, n int) *History {
	if n <= 0 {
		panic("ecs: NewHistory needs room for at least one capture")
	}
	return &History{newRing(w, n, false, func(c *Component) bool { return c.Mode&Predicted != 0 })}
}

// Capture stores the current state under key, replacing the capture with the key that is the length of the ring lower. It
// does not include entities that a running system spawned.
func (h *History) Capture(key uint32) { h.capture(key) }

// Restore restores the captured values of entities that are alive and simulated by this peer. It returns false if key is
// not in the ring. It does not change structure: dead entities stay dead, and newer entities and components keep their
// values.
func (h *History) Restore(key uint32) bool {
	if !h.Has(key) {
		return false
	}
	h.putValues(h.place(key))
	return true
}

// putValues restores the values of entities and components that still exist.
func (h *ring) putValues(c *capture) {
	for i := range c.tables {
		switch tc := &c.tables[i]; {
		case tc.n == 0:
		case tc.version == tc.t.version:
			h.putColumns(tc)
		default:
			h.putEntities(tc)
		}
	}
}

// putEntities restores the rows of a table entity by entity.
func (h *ring) putEntities(tc *tableCapture) {
	for r, e := range tc.entities[:tc.n] {
		s := h.w.handles.at(e)
		if s == nil || s.pending > 0 || !h.w.simulates(s.table) {
			continue
		}
		for k, comp := range h.comps {
			if tc.t.mask.has(comp.index) && s.table.mask.has(comp.index) {
				src := unsafe.Add(tc.columns[k].base(), uintptr(r)*comp.size)
				copy(unsafe.Slice((*byte)(h.w.pointer(s, comp)), comp.size), unsafe.Slice((*byte)(src), comp.size))
			}
		}
	}
}

// Value returns the captured component c of e under key. It returns nil if key is not in the ring, c is not registered as
// [Predicted] or has no fields, or e was not simulated or had no c. The pointer points into the ring and is valid until the
// next Capture.
func (h *History) Value(key uint32, e Entity, c *Component) unsafe.Pointer {
	if c == nil || h.at[c.index] < 0 || !h.Has(key) {
		return nil
	}
	tables := h.place(key).tables
	for i := range tables {
		tc := &tables[i]
		if tc.n == 0 || !tc.t.mask.has(c.index) {
			continue
		}
		if r := h.rowIn(tc, e); r >= 0 {
			return h.value(tc, r, c)
		}
	}
	return nil
}

// rowIn returns the row of e in a captured table, or −1. If the table did not change since, it is the current row.
func (h *History) rowIn(tc *tableCapture, e Entity) int {
	if tc.version == tc.t.version {
		s := h.w.handles.at(e)
		if s == nil || s.table != tc.t {
			return -1
		}
		return h.w.rowNow(s)
	}
	for r, at := range tc.entities[:tc.n] {
		if at == e {
			return r
		}
	}
	return -1
}

// ErrNoHistory means that a tick was never captured, or that a later capture replaced it. Capture every tick, and make the
// ring longer than the longest time to go back. [WorldHistory.Restore] and [WorldHistory.At] return it.
var ErrNoHistory = errors.New("that tick is not in the history")

// WorldHistory is a ring of captures of a whole world by tick: the entities, all their components, and all other state of
// the simulation, which is the tick, the next NetID, the handles in use, the input sequences of owners, the skipped owners, and
// the spawns and despawns that a client predicts. Resources are not included.
//
// A capture copies all columns once. It copies handles only if they changed since the capture that it replaces. For each
// captured tick and each entity, the ring needs the size of the entity's components plus 16 bytes for handle and NetID, and
// up to half as much again as reserve. The largest number of entities that each archetype ever had counts: a game in which
// all entities change archetype together pays for each archetype. Each owner of inputs takes up to 112 bytes. A tick that
// was read by handle, with [Past.Pointer] or [GetAt], keeps an index of 8 bytes per entity. In steady state, capturing,
// restoring and reading allocate nothing.
//
// Call Capture and Restore between ticks. They panic inside Simulate and while structural changes wait for the end of a
// stage.
type WorldHistory struct {
	ring
	states []worldState // by place
	gone   []Entity     // scratch of Restore
}

// worldState is the part of a capture outside of tables.
type worldState struct {
	serial    uint64 // incremented by each capture into this place
	tick      uint32
	handles   handleState
	inputs    inputState
	skipped   []uint32
	predicted predictionState
	index     pastIndex
}

// clone returns a copy of the state that shares no memory with it, without the index.
func (s *worldState) clone() worldState {
	x := *s
	x.handles.gens, x.handles.free, x.skipped = slices.Clone(s.handles.gens), slices.Clone(s.handles.free), slices.Clone(s.skipped)
	x.inputs.byOwner, x.inputs.spawned = keyedTable[uint32]{}, keyedTable[spawnCount]{}
	x.inputs.byOwner.copyFrom(&s.inputs.byOwner)
	x.inputs.spawned.copyFrom(&s.inputs.spawned)
	x.predicted, x.index = predictionState{}, pastIndex{}
	return x
}

// handleState determines the next handles and NetIDs.
type handleState struct {
	nextNet components.NetID
	settled uint64 // handles.settled of gens and free
	gens    []uint32
	free    []uint32
}

// inputState determines the inputs that the tick consumes.
type inputState struct {
	newest  uint32
	byOwner keyedTable[uint32]
	spawned keyedTable[spawnCount]
}

// predictionState has the predicted spawns and despawns of a client.
type predictionState struct {
	spawns []predictedSpawn
	ended  []predictedEnd
}

// NewWorldHistory returns a ring of the last ticks captures of w. ticks is the number of ticks that the game needs to go
// back. NewWorldHistory panics unless ticks is positive.
func NewWorldHistory(w *World, ticks int) *WorldHistory {
	if ticks <= 0 {
		panic("ecs: NewWorldHistory needs room for at least one tick")
	}
	all := func(c *Component) bool { return c != w.setup.protocol.core.self && c != w.setup.protocol.core.netID }
	return &WorldHistory{ring: newRing(w, ticks, true, all), states: make([]worldState, ticks)}
}

// Capture copies the state of the world under tick, replacing the capture that is the length of the ring older. The caller
// decides which moment the tick means, always the same one, usually the state before the tick is simulated.
func (h *WorldHistory) Capture(tick uint32) {
	h.checkBetweenTicks("Capture")
	w := h.w
	h.capture(tick)
	s := &h.states[tick%uint32(len(h.states))]
	s.serial++
	s.index.made = false
	s.tick, s.inputs.newest, s.handles.nextNet = w.clock.tick, w.inputs.newest, w.handles.nextNet
	if s.handles.settled != w.handles.settled {
		s.handles.settled = w.handles.settled
		s.handles.gens = s.handles.gens[:0]
		for i := range w.handles.slots {
			s.handles.gens = append(s.handles.gens, w.handles.slots[i].gen)
		}
		s.handles.free = append(s.handles.free[:0], w.handles.free...)
	}
	s.inputs.byOwner.copyFrom(&w.inputs.byOwner)
	s.inputs.spawned.copyFrom(&w.inputs.spawned)
	s.skipped = append(s.skipped[:0], w.owners.skipped...)
	s.predicted.spawns = append(s.predicted.spawns[:0], w.predicted.spawns...)
	s.predicted.ended = append(s.predicted.ended[:0], w.predicted.ended...)
}

// Restore restores the world to the state that was captured under tick: entities spawned since are removed, despawned
// entities return with their handle and NetID, and components are as they were. Later spawns get the same handles and
// NetIDs as they would have got then. So a simulation with the same inputs gives entities the same names. If it differs, a
// handle from the undone time may refer to a different entity.
//
// Restore also undoes changes outside of Simulate. A caller that simulates again must repeat them, such as joins, in their
// ticks. Later captures stay in the ring until they are replaced, and can be restored too.
//
// If no structure changed since the capture, Restore copies all columns once. Otherwise it rebuilds the changed archetypes
// row by row. It returns [ErrNoHistory] if the tick is not in the ring.
func (h *WorldHistory) Restore(tick uint32) error {
	h.checkBetweenTicks("Restore")
	if !h.Has(tick) {
		return fmt.Errorf("ecs: Restore of tick %d: %w", tick, ErrNoHistory)
	}
	w := h.w
	s := &h.states[tick%uint32(len(h.states))]
	h.rebuild(h.place(tick), s)
	w.clock.tick, w.inputs.newest, w.handles.nextNet = s.tick, s.inputs.newest, s.handles.nextNet
	w.inputs.byOwner.copyFrom(&s.inputs.byOwner)
	w.inputs.spawned.copyFrom(&s.inputs.spawned)
	w.Netcode().SkipNobody()
	for _, owner := range s.skipped {
		w.Netcode().SkipOwner(owner)
	}
	w.predicted.spawns = append(w.predicted.spawns[:0], s.predicted.spawns...)
	w.predicted.ended = append(w.predicted.ended[:0], s.predicted.ended...)
	return nil
}

// checkBetweenTicks panics in the middle of a tick, when the state of the world is incomplete.
func (h *WorldHistory) checkBetweenTicks(call string) {
	switch {
	case h.w.clock.simulating > 0:
		panic(fmt.Sprintf("ecs: WorldHistory.%s inside Simulate; call it between ticks", call))
	case len(h.w.deferred.commands) > 0:
		panic(fmt.Sprintf("ecs: WorldHistory.%s while structural changes wait for the end of a stage; call it in another stage", call))
	}
}
