package ecs

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// History is a ring of captures of what this peer simulates: the components
// registered as [Predicted], of the entities that [Each] yields, by key: on a
// client the sequence of the input that led there. It brings back values and no
// structure, which is what reconciling needs; [WorldHistory] brings back all of a
// world. Capturing into a ring that has gone round once allocates nothing unless
// tables grew.
type History struct{ ring }

// NewHistory makes a ring of n captures. It panics unless n is positive.
func NewHistory(w *World, n int) *History {
	if n <= 0 {
		panic("ecs: NewHistory needs room for at least one capture")
	}
	return &History{newRing(w, n, false, func(c *Component) bool { return c.Mode&Predicted != 0 })}
}

// Capture copies the present state under key, in place of the capture that is
// the ring's length older. Entities that a running system is spawning are not in
// it yet.
func (h *History) Capture(key uint32) { h.capture(key) }

// Restore puts the captured values back into the entities that live and that
// this peer still simulates, and reports whether key was in the ring. It changes
// no structure: entities that died stay dead, entities and components that came
// since keep what they have.
func (h *History) Restore(key uint32) bool {
	if !h.Has(key) {
		return false
	}
	h.putValues(h.place(key))
	return true
}

// putValues restores the values of what is still there.
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

// putEntities restores the rows of a table by handle.
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

// Value is the captured component c of e under key, or nil when there is none:
// the key has left the ring, c is not registered as [Predicted] or has no
// fields, e was not simulated or had no c. It points into the ring: read it
// before the next Capture.
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

// rowIn is the row that e had in a captured table, or −1. It is the row that e
// has now when the table did not change since.
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

// ErrNoHistory is returned by [WorldHistory.Restore] and [WorldHistory.At] for a
// tick that was never captured, or so long ago that another has taken its place.
// Capture every tick, and make the ring longer than the furthest way back.
var ErrNoHistory = errors.New("that tick is not in the history")

// WorldHistory is a ring of captures of all of a world by tick: the entities
// and every component that they have, and what else decides how a simulation goes
// on: the tick, the next NetID, the handles in use, the owners' input sequences,
// holds, and what a client predicts to come and go. Resources are the game's own
// and no part of it.
//
// A capture costs one copy of all columns; names and handles are copied when they
// are not what they were a ring's length ago. For each of its ticks and each
// entity the ring takes the size of the entity's components and 16 bytes for
// handle and NetID, and up to half as much again to spare. What counts is the
// largest number of entities that each archetype has had, so a game in which all
// entities change archetype together pays for each. Owners of inputs take up to 112
// bytes each. A tick that was looked into by handle, by [Past.Pointer] or [GetAt],
// keeps an index of 8 bytes for each entity. Once there is room, capturing,
// restoring and looking allocate nothing.
//
// Capture and Restore belong between ticks: they panic while structural changes
// wait for the end of a stage, and inside Simulate.
type WorldHistory struct {
	ring
	states []worldState // by place
	gone   []Entity     // scratch of Restore
}

// worldState is what a capture holds beside tables.
type worldState struct {
	serial    uint64 // raised by each capture into this place
	tick      uint32
	handles   handleState
	inputs    inputState
	skipped   []uint32
	predicted predictionState
	index     pastIndex
}

// handleState is which names are given out next.
type handleState struct {
	nextNet components.NetID
	settled uint64 // that of the handles for which gens and free are
	gens    []uint32
	free    []uint32
}

// inputState is which inputs the tick consumes.
type inputState struct {
	newest  uint32
	byOwner keyedTable[uint32]
	spawned keyedTable[spawnCount]
}

// predictionState is what a client foretells.
type predictionState struct {
	spawns []predictedSpawn
	ended  []predictedEnd
}

// NewWorldHistory makes a ring that holds the last ticks captures of w, one for
// each tick of the time that the game wants to go back. It panics unless ticks is
// positive.
func NewWorldHistory(w *World, ticks int) *WorldHistory {
	if ticks <= 0 {
		panic("ecs: NewWorldHistory needs room for at least one tick")
	}
	all := func(c *Component) bool { return c != w.setup.protocol.core.self && c != w.setup.protocol.core.netID }
	return &WorldHistory{ring: newRing(w, ticks, true, all), states: make([]worldState, ticks)}
}

// Capture copies the state of the world under tick, in place of the one that is
// the ring's length older. Which moment the tick names is the caller's choice, the
// same each time: most let it be the state before the tick is simulated.
func (h *WorldHistory) Capture(tick uint32) {
	h.between("Capture")
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

// Restore makes the world what it was when tick was captured, at once: what was
// spawned since is gone, what was despawned is back under its handle and NetID,
// and components are where and what they were. What is spawned from then on gets
// the handles and NetIDs that it would have got then; so a simulation that goes
// as before names its entities as before, and a handle from the time undone may
// come to name another entity when it goes differently.
//
// All is undone, what was done outside Simulate too: a caller that simulates
// again repeats joins and the like in their ticks. Later captures stay in the
// ring until they are overwritten, so it is possible to restore one of those.
//
// When no structure changed in between this is one copy of all columns; else the
// archetypes concerned are rebuilt row by row. It returns [ErrNoHistory] when the
// tick is not in the ring.
func (h *WorldHistory) Restore(tick uint32) error {
	h.between("Restore")
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

// between panics in the middle of a tick, where a world is in no state that could
// be kept or taken over.
func (h *WorldHistory) between(call string) {
	switch {
	case h.w.clock.simulating > 0:
		panic(fmt.Sprintf("ecs: WorldHistory.%s inside Simulate; call it between ticks", call))
	case len(h.w.deferred.commands) > 0:
		panic(fmt.Sprintf("ecs: WorldHistory.%s while structural changes wait for the end of a stage; call it in another stage", call))
	}
}
