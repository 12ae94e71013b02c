package ecs

import (
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
)

// A client predicts spawns and despawns in Simulate, for owners whose inputs it simulates. The server may contradict each of
// them, and a handle that the game keeps must stay valid. So an entity that may return is not removed but suspended: it stays
// in storage, in a table with a hidden component. Walks, captures and hashes skip such tables.
//
// Invariant: an entity is suspended for exactly one of three reasons. A replay undid its spawn and has not repeated the spawn
// yet. Simulate despawned the entity, and it is in ended. Or the spawn is in doubt, and the entity has lost the mark
// components.Predicted.
//
// A spawn is in doubt if a replay did not repeat it; a later replay may, because a newer state corrects what an older one
// changed. It is also in doubt if the server did not confirm it half a second of the owner's inputs and doubtStates states after
// its input was consumed. That does not prove that the server did not spawn the entity, because the packet may be lost. A spawn
// in doubt is removed for good forgetSeconds and forgetStates after its input was consumed. A replay that repeats it or a
// confirmation before then restores it under the same handle. A despawn is undone only by a state of the entity that is at
// least as new as the input that despawned it.

// suspended marks an entity that is out of scope and may return.
type suspended struct{}

const (
	doubtStates   = 8
	forgetStates  = 64
	forgetSeconds = 4
)

// predictions are the spawns and despawns that a client predicted.
type predictions struct {
	w      *World
	spawns []predictedSpawn // in order of their keys
	ended  []predictedEnd
}

type predictedSpawn struct {
	key       SpawnKey
	entity    Entity
	confirmed bool   // has its NetID; kept while a replay may spawn it again, and the server may give it another NetID
	awaited   bool   // suspended until the current replay spawns it again
	states    uint16 // number of server states since the server consumed the input
}

// predictedEnd is the predicted despawn of an entity by an input.
type predictedEnd struct {
	entity Entity
	input  uint32
}

func (p *predictions) find(key SpawnKey) (int, bool) {
	if n := len(p.spawns); n == 0 || p.spawns[n-1].key.compare(key) < 0 {
		return n, false
	}
	return slices.BinarySearchFunc(p.spawns, key, func(s predictedSpawn, key SpawnKey) int { return s.key.compare(key) })
}

// repeats reports whether a replay may spawn the stored entity of a spawn again: it has its key, and not another owner since.
func (p *predictions) repeats(s *slot) bool {
	return s != nil && s.pending == 0 && s.table.mask.has(p.w.setup.protocol.core.key.index)
}

// ending returns the index of an entity in ended, or −1.
func (p *predictions) ending(e Entity) int {
	return slices.IndexFunc(p.ended, func(d predictedEnd) bool { return d.entity == e })
}

// suspend takes an entity out of scope.
func (p *predictions) suspend(s *slot) {
	w := p.w
	m := s.table.mask
	m.set(w.setup.protocol.core.suspended.index)
	w.move(s, m)
	s.suspended = true
}

// resume brings an entity back into scope with its previous values.
func (p *predictions) resume(s *slot) {
	w := p.w
	m := s.table.mask
	m.clear(w.setup.protocol.core.suspended.index)
	w.move(s, m)
	s.suspended = false
}

// spawn records a spawn of Simulate on a client. It ignores spawns without a key.
func (p *predictions) spawn(c *command, s *slot) {
	w := p.w
	value, keyed := w.deferred.find(c, w.setup.protocol.core.key)
	again := s.table != nil
	switch {
	case again && c.op == opCancelled:
		s.pending = 0 // it stays suspended
		return
	case !keyed || c.op == opCancelled:
		w.handles.release(c.entity)
		return
	}
	key := *(*SpawnKey)(value)
	i, found := p.find(key)
	if !found {
		p.spawns = reuse.Insert(p.spawns, i, predictedSpawn{})
	}
	sp := &p.spawns[i]
	*sp = predictedSpawn{key: key, entity: c.entity, confirmed: again && sp.confirmed}
	if !again {
		w.place(c.entity, s, w.target(s, c))
		w.write(s, c)
		return
	}
	s.pending, s.suspended = 0, false
	if k := p.ending(c.entity); k >= 0 {
		p.ended = slices.Delete(p.ended, k, k+1)
	}
	if !sp.confirmed {
		w.move(s, w.target(s, c).mask)
		w.write(s, c)
		return
	}
	// The server's states have already set its components, and the values that are not predicted.
	p.resume(s)
	if !w.simulates(s.table) {
		return
	}
	for _, comp := range s.table.comps {
		if comp.Mode&Predicted == 0 || comp.size == 0 {
			continue
		}
		if value, found := w.deferred.find(c, comp); found {
			move(w.storage.stored(s, comp), value, comp.size)
		}
	}
}

// despawn suspends an entity that Simulate on a client despawned.
func (p *predictions) despawn(e Entity, s *slot) {
	w := p.w
	input := w.inputs.newest
	if p := w.pointer(s, w.setup.protocol.core.owner); p != nil {
		if seq := w.inputs.byOwner.find(*(*uint32)(p)); seq != nil {
			input = *seq
		}
	}
	p.suspend(s)
	p.ended = append(p.ended, predictedEnd{e, input})
}

// awaitsServer reports whether the server decides about the existence of a stored entity.
func (p *predictions) awaitsServer(s *slot) bool {
	w := p.w
	return s.netID != 0 || s.table.mask.has(w.setup.protocol.core.key.index)
}

// BeginReplay prepares a replay, before the netcode restores the state after an input and simulates the later inputs.
// Entities spawned by the later inputs leave the scope until they are spawned again. Entities despawned by them return.
// Handles stay alive. input is the sequence number for all owners that this client simulates.
func (n *Netcode) BeginReplay(input uint32) { n.predicted.beginReplay(input) }

// beginReplay is [Netcode.BeginReplay].
func (p *predictions) beginReplay(input uint32) {
	w := p.w
	ended := p.ended[:0]
	for _, d := range p.ended {
		switch s := w.handles.at(d.entity); {
		case s == nil:
		case d.input > input:
			p.resume(s)
		default:
			ended = append(ended, d)
		}
	}
	p.ended = ended
	for i := len(p.spawns) - 1; i >= 0 && p.spawns[i].key.Input > input; i-- {
		if s := w.handles.at(p.spawns[i].entity); p.repeats(s) {
			p.suspend(s)
			p.spawns[i].awaited = true
		}
	}
}

// EndReplay ends a replay. Predicted spawns that were not repeated leave the scope, unless the server confirmed them meanwhile.
// A later replay that repeats a spawn restores it under its handle, until [Netcode.SettleInput] removes it.
func (n *Netcode) EndReplay() { n.predicted.endReplay() }

// endReplay is [Netcode.EndReplay].
func (p *predictions) endReplay() {
	w := p.w
	kept := p.spawns[:0]
	for _, sp := range p.spawns {
		s := w.handles.at(sp.entity)
		if s == nil {
			continue
		}
		if sp.awaited {
			sp.awaited = false
			if sp.confirmed {
				p.resume(s)
			} else {
				p.doubt(s)
			}
		}
		kept = append(kept, sp)
	}
	p.spawns = kept
}

// hides reports whether a handle looks dead: within Simulate, rules must see the same as on the server.
func (p *predictions) hides(s *slot) bool {
	return s.suspended && p.w.clock.simulating > 0 && s.pending == 0
}

// Suspended reports whether e is out of scope and may return: Simulate despawned it, or has not spawned it again, and the
// server has not decided yet.
func (n *Netcode) Suspended(e Entity) bool {
	w := (*World)(n)
	s := w.handles.at(e)
	return s != nil && s.suspended
}

// PendingPredictions returns the numbers of predicted spawns and despawns that the server has not confirmed yet, with those that
// the newest replay did not repeat.
func (w *World) PendingPredictions() (spawns, despawns int) {
	for _, sp := range w.predicted.spawns {
		if !sp.confirmed && w.handles.at(sp.entity) != nil {
			spawns++
		}
	}
	for _, d := range w.predicted.ended {
		if w.handles.at(d.entity) != nil {
			despawns++
		}
	}
	return spawns, despawns
}
