package ecs

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/components"
)

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
	serial  uint64 // raised by each capture into this place
	tick    uint32
	input   uint32
	nextNet components.NetID
	handles uint64 // the World.handles for which gens and free are
	gens    []uint32
	free    []uint32
	inputs  keyed[uint32]
	counts  keyed[spawnCount]
	held    []uint32
	spawns  []predictedSpawn
	ended   []predictedEnd
	indexed bool
	index   []indexed // by handle, when indexed
}

// NewWorldHistory makes a ring that holds the last ticks captures of w, one for
// each tick of the time that the game wants to go back. It panics unless ticks is
// positive.
func NewWorldHistory(w *World, ticks int) *WorldHistory {
	if ticks <= 0 {
		panic("ecs: NewWorldHistory needs room for at least one tick")
	}
	all := func(c *Component) bool { return c != w.setup.protocol.selfC && c != w.setup.protocol.netIDC }
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
	s.indexed = false
	s.tick, s.input, s.nextNet = w.clock.tick, w.inputs.newest, w.handles.nextNet
	if s.handles != w.handles.settled {
		s.handles = w.handles.settled
		s.gens = s.gens[:0]
		for i := range w.handles.slots {
			s.gens = append(s.gens, w.handles.slots[i].gen)
		}
		s.free = append(s.free[:0], w.handles.free...)
	}
	s.inputs.set(&w.inputs.byOwner)
	s.counts.set(&w.inputs.spawned)
	s.held = append(s.held[:0], w.owners.skipped...)
	s.spawns = append(s.spawns[:0], w.predicted.spawns...)
	s.ended = append(s.ended[:0], w.predicted.ended...)
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
	w.clock.tick, w.inputs.newest, w.handles.nextNet = s.tick, s.input, s.nextNet
	w.inputs.byOwner.set(&s.inputs)
	w.inputs.spawned.set(&s.counts)
	w.owners.skipped = append(w.owners.skipped[:0], s.held...)
	w.predicted.spawns = append(w.predicted.spawns[:0], s.spawns...)
	w.predicted.ended = append(w.predicted.ended[:0], s.ended...)
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
