package ecs

import (
	"cmp"
	"slices"
	"unsafe"
)

// SpawnKey identifies an entity that Simulate spawned for a client. It is the same on the server and on the client that
// predicts the spawn, before the client knows the NetID. An entity gets a key if it is spawned inside Simulate with a
// components.Owner whose client's inputs are simulated. The key is a component that games cannot add, change or remove.
//
// On a client that predicts only its own entities, a spawn keeps its handle while replays and the server decide about it. On a
// client that simulates the whole world (Rollback, Lockstep), handles are part of the state, and another order of spawns after a
// wrong prediction changes them: outside of systems, keep the key or the NetID instead of the handle.
//
// Nth counts the spawns of the owner in the order of the calls. A system that spawns for several entities of one owner in
// one tick must iterate over them with [EachInOrder], because storage order differs between peers.
type SpawnKey struct {
	Owner uint32 `net:"raw"` // the client
	Input uint32 `net:"raw"` // its input that was simulated
	Nth   uint16 `net:"raw"` // how many of its spawns came before, in the same input
}

// compare orders keys by input first, so that the spawns that a replay undoes are at the end.
func (k SpawnKey) compare(o SpawnKey) int {
	return cmp.Or(cmp.Compare(k.Input, o.Input), cmp.Compare(k.Owner, o.Owner), cmp.Compare(k.Nth, o.Nth))
}

// stream returns the number of the stream from which the entity draws its random numbers.
func (k SpawnKey) stream() uint64 {
	return mix64(mix64(uint64(k.Owner)<<32|uint64(k.Input)) + uint64(k.Nth))
}

// order returns a sort key that places entities without a NetID after all entities with one.
func (k SpawnKey) order() uint64 { return 1<<63 | uint64(k.Input)<<16 | uint64(k.Nth) }

// spawnCount is the number of spawns with a key for an owner's input.
type spawnCount struct {
	input uint32
	nth   uint16
}

// maxNth is the largest number of spawns with a key per owner and input.
const maxNth = 1<<16 - 1

// nextKey returns the key of the next spawn for an owner in the running Simulate, or false if it gets none.
func (in *inputs) nextKey(owner uint32) (SpawnKey, bool) {
	seq := in.byOwner.find(owner)
	if owner == 0 || seq == nil {
		return SpawnKey{}, false
	}
	input := *seq
	c := in.spawned.put(owner)
	if c.input != input {
		*c = spawnCount{input: input}
	}
	if c.nth == maxNth {
		return SpawnKey{}, false
	}
	c.nth++
	return SpawnKey{owner, input, c.nth - 1}, true
}

// spawnKeyed is [Spawn] for a row that gets a key. It returns false if the row gets none.
func (w *World) spawnKeyed(r *spawnRow, src unsafe.Pointer) (Entity, bool) {
	owner := uint32(0)
	for i := range r.fields[:r.own] {
		if f := &r.fields[i]; f.component == w.setup.protocol.core.owner {
			owner = *(*uint32)(f.in(src))
		}
	}
	key, ok := w.inputs.nextKey(owner)
	if !ok {
		return Entity{}, false
	}
	r = w.setup.keyedRow(r)
	e := w.predicted.handle(key)
	if r.named {
		w.handles.assignNetID(e, w.handles.nextNet)
	}
	r.spawn(w, e, src)
	*(*SpawnKey)(unsafe.Add(w.deferred.commands[w.handles.slots[e.id].pending-1].values, r.keyAt)) = key
	return e, true
}

// keyedRow returns the row struct extended by a key and, on a client, by the mark components.Predicted.
func (s *setup) keyedRow(r *spawnRow) *spawnRow {
	if r.keyed == nil {
		k := *r
		k.table = nil
		k.keyAt = (k.size + 7) &^ 7
		k.size = k.keyAt + s.protocol.core.key.size
		k.mask.set(s.protocol.core.key.index)
		k.fields = append(slices.Clone(r.fields), spawnField{s.protocol.core.key, k.keyAt})
		if mark := s.protocol.core.predicted; s.config.Client && !k.mask.has(mark.index) {
			k.mask.set(mark.index)
			k.fields = append(k.fields, spawnField{mark, 0})
		}
		r.keyed = &k
	}
	return r.keyed
}

// claim returns the handle for a spawn and adds the key if the spawn gets one.
func (w *World) claim(spawn *command) Entity {
	if w.clock.simulating == 0 {
		return w.handles.allocate()
	}
	owner, found := w.deferred.find(spawn, w.setup.protocol.core.owner)
	if !found {
		return w.handles.allocate()
	}
	key, ok := w.inputs.nextKey(*(*uint32)(owner))
	if !ok {
		return w.handles.allocate()
	}
	held := w.deferred.values.allocate(w.setup.protocol.core.key.size)
	*(*SpawnKey)(held) = key
	spawn.first = w.deferred.part(w.setup.protocol.core.key, held, spawn.first)
	if _, marked := w.deferred.find(spawn, w.setup.protocol.core.predicted); w.setup.config.Client && !marked {
		spawn.first = w.deferred.part(w.setup.protocol.core.predicted, unsafe.Pointer(&nothing), spawn.first)
	}
	return w.predicted.handle(key)
}

// handle returns the handle for a spawn with a key. On a client that replays the input, it is the previous handle.
func (p *predictions) handle(key SpawnKey) Entity {
	w := p.w
	if e, known := p.spawned(key); known && p.repeats(w.handles.at(e)) {
		return e
	}
	return w.handles.allocate()
}

// unspawn undoes a deferred spawn before Simulate runs again.
func (p *predictions) unspawn(c *command, s *slot) {
	w := p.w
	if key, keyed := w.deferred.find(c, w.setup.protocol.core.key); keyed {
		w.inputs.spawned.find((*SpawnKey)(key).Owner).nth--
	}
	if s.table == nil {
		w.handles.release(c.entity)
		s.gen-- // spawned again, it gets the handle again
		return
	}
	s.pending, s.last = 0, c.before
}
