package ecs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
)

// Confirm is for the netcode: the server has spawned the entity id under a key.
// Where this client predicted it, that entity becomes the server's: under the same
// handle, which is returned, it gets the NetID, and no replay removes it any more.
// It stays out of scope when Simulate ended it since; then [World.Discard] or
// [World.Revive] has the last word.
//
// It reports false, and does nothing, when no such spawn waits for its
// confirmation or the NetID is known already. It panics when id is 0 or a running
// system is spawning the entity.
func (w *World) Confirm(key SpawnKey, id components.NetID) (Entity, bool) {
	if id == 0 {
		panic("ecs: Confirm needs a NetID")
	}
	i, found := w.predicted.find(key)
	if !found || w.predicted.spawns[i].confirmed {
		return Entity{}, false
	}
	e := w.predicted.spawns[i].entity
	s := w.at(e)
	if _, known := w.ByNetID(id); known || s == nil {
		return Entity{}, false
	}
	if s.pending > 0 {
		panic(fmt.Sprintf("ecs: Confirm of NetID %d, which a system of this world is spawning", id))
	}
	w.predicted.spawns[i].confirmed = true
	w.name(e, id)
	if s.parked && !w.predicted.spawns[i].awaited && w.predicted.ending(e) < 0 {
		w.unpark(s) // it was doubted
		return e, true
	}
	w.move(s, s.table.mask) // to where NetIDs are a column
	return e, true
}

// Revive is for the netcode: the server's state after it consumed an input shows
// the entity id. When Simulate ended it here in that input or before, it comes
// back into scope under the same handle, with the values that it had: take over
// the server's. It reports whether that happened.
func (w *World) Revive(id components.NetID, input uint32) bool {
	e, _ := w.ByNetID(id)
	s := w.at(e)
	if s == nil || !s.parked {
		return false
	}
	i := w.predicted.ending(e)
	if i < 0 || w.predicted.ended[i].input > input {
		return false
	}
	w.predicted.ended = slices.Delete(w.predicted.ended, i, i+1)
	w.unpark(s)
	return true
}

// SettleInput is for the netcode, once for each state of the server that is newer
// than the last: it holds what followed from the owner's inputs up to this one.
// Confirmed spawns up to it are now like any entity. One that no state has
// confirmed for long leaves the scope, and in the end the world: half a second of
// inputs and at least 8 states later, and 4 seconds and at least 64 states. As long
// as its handle lives, [World.Confirm] brings it back under that.
func (w *World) SettleInput(input uint32) {
	p := &w.predicted
	if len(p.spawns)+len(p.ended) == 0 {
		return
	}
	rate := uint32(w.config.TickRate)
	kept := p.spawns[:0]
	for _, sp := range p.spawns {
		s := w.at(sp.entity)
		if s == nil {
			continue
		}
		if sp.key.Input <= input {
			if sp.confirmed {
				continue
			}
			sp.states += min(1, ^uint16(0)-sp.states)
			age := input - sp.key.Input
			if age >= forgetSeconds*rate && sp.states >= forgetStates {
				w.carryOut(&command{op: opDespawn, entity: sp.entity})
				continue
			}
			if 2*age >= rate && sp.states >= doubtStates && !s.parked {
				w.doubt(s)
			}
		}
		kept = append(kept, sp)
	}
	p.spawns = kept
	p.ended = slices.DeleteFunc(p.ended, func(d predictedEnd) bool { return w.at(d.entity) == nil })
}

// Deny is for the netcode: the server's state after it consumed an input names no
// entity that is unknown here, so what was spawned up to that input and waits for
// its confirmation leaves the scope at once. It can be confirmed all the same, as
// after [World.SettleInput].
func (w *World) Deny(input uint32) {
	for _, sp := range w.predicted.spawns {
		if sp.key.Input > input {
			break
		}
		s := w.at(sp.entity)
		if s == nil || sp.confirmed {
			continue
		}
		if !s.parked {
			w.doubt(s)
		} else if i := w.predicted.ending(sp.entity); i >= 0 && w.predicted.ended[i].input > input {
			w.predicted.ended = slices.Delete(w.predicted.ended, i, i+1) // no replay leads to its end
		}
	}
}

// doubt parks a spawn that the server does not seem to have made.
func (w *World) doubt(s *slot) {
	m := s.table.mask
	m.clear(w.protocol.predictedC.index)
	m.set(w.protocol.parkedC.index)
	w.move(s, m)
	s.parked = true
}

// Foretold is the number of predicted spawns and despawns that wait for the
// server's word.
func (w *World) Foretold() (spawns, despawns int) {
	for _, sp := range w.predicted.spawns {
		if !sp.confirmed && w.at(sp.entity) != nil {
			spawns++
		}
	}
	for _, d := range w.predicted.ended {
		if w.at(d.entity) != nil {
			despawns++
		}
	}
	return spawns, despawns
}

// Simulated yields each non-empty table of what this peer simulates and of which
// the server knows or will know: the simulated ones of [World.Tables], and
// predicted spawns that have no NetID yet, whose NetIDs are nil.
func (w *World) Simulated(yield func(Table) bool) {
	p := w.protocol
	for _, t := range w.tables {
		if !w.simulates(t) || !t.mask.has(p.netIDC.index) && !t.mask.has(p.keyC.index) {
			continue
		}
		w.refresh(t)
		if t.n == 0 {
			continue
		}
		version := w.version
		view := Table{Mask: t.replicated, Entities: w.entities(t), NetIDs: w.names(t), Simulated: true, t: t}
		if !yield(view) {
			return
		}
		if w.version != version {
			panicMoved()
		}
	}
}

// Parked reports whether e is out of scope and may come back: Simulate despawned
// it, or has not spawned it again, and the server has not spoken yet.
func (w *World) Parked(e Entity) bool {
	s := w.at(e)
	return s != nil && s.parked
}

// Foresee makes or reshapes, at once, the predicted spawn of a key, with the
// replicated components of mask, as [World.Replica] does for what has a NetID:
// for a world that shows what another predicts. Between [World.BeginReplay] and
// [World.EndReplay] it says which spawns stay. Values start at zero.
func (w *World) Foresee(key SpawnKey, mask uint64) Entity {
	p := w.protocol
	m := w.replicaMask(mask)
	m.set(p.selfC.index)
	m.set(p.keyC.index)
	m.set(p.predictedC.index)
	i, found := w.predicted.find(key)
	if found {
		sp := &w.predicted.spawns[i]
		if s := w.at(sp.entity); s != nil {
			sp.awaited, sp.states = false, 0
			w.move(s, m)
			s.parked = false
			return sp.entity
		}
	} else {
		w.predicted.spawns = slices.Insert(w.predicted.spawns, i, predictedSpawn{})
	}
	e := w.allocate()
	s := &w.slots[e.id]
	w.place(e, s, w.tableOf(m))
	for _, c := range s.table.comps {
		if c != p.selfC {
			w.zero(s, c)
		}
	}
	*(*SpawnKey)(w.stored(s, p.keyC)) = key
	w.predicted.spawns[i] = predictedSpawn{key: key, entity: e}
	return e
}
