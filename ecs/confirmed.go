package ecs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Confirm tells the world that the server has spawned the entity id under a key, and returns the entity; replays no longer
// remove it. If this client predicted the spawn, that entity gets the NetID and keeps its handle. If Simulate despawned it
// since, it stays out of scope until [Netcode.Discard] or [Netcode.Revive]. A server that simulates the tick of the spawn again
// spawns a new entity under the key; Confirm then replaces the NetID of the first one by id. If no spawn of the key is known,
// Confirm creates an entity without other components, simulated by this client if predicted is true, and a replay that spawns
// under the key gets its handle.
//
// Confirm returns false and does nothing if the NetID is known already. It panics if id is 0 or a running system is spawning
// the entity.
func (n *Netcode) Confirm(key SpawnKey, id components.NetID, predicted bool) (Entity, bool) {
	return n.predicted.confirm(key, id, predicted)
}

// confirm is [Netcode.Confirm].
func (p *predictions) confirm(key SpawnKey, id components.NetID, predicted bool) (Entity, bool) {
	w := p.w
	if id == 0 {
		panic("ecs: Confirm needs a NetID")
	}
	if _, known := w.ByNetID(id); known {
		return Entity{}, false
	}
	e, known := p.spawned(key)
	if !known {
		core := &w.setup.protocol.core
		var m mask
		m.set(core.self.index)
		m.set(core.key.index)
		if predicted {
			m.set(core.predicted.index)
		} else {
			m.set(core.interpolated.index)
		}
		e = p.store(key, m)
	}
	i, _ := p.find(key)
	s := w.handles.at(e)
	if s.pending > 0 {
		panic(fmt.Sprintf("ecs: Confirm of NetID %d, which a system of this world is spawning", id))
	}
	doubted := s.suspended && !p.spawns[i].confirmed && !p.spawns[i].awaited && p.ending(e) < 0
	p.spawns[i].confirmed = true
	w.handles.removeNetID(e, s.netID)
	w.handles.assignNetID(e, id)
	if doubted {
		p.resume(s)
	} else {
		w.move(s, s.table.mask) // to where NetIDs are a column
		w.writeNetID(s)
	}
	return e, true
}

// Spawned returns the entity that Simulate spawned under a key, or that the server has confirmed under it. It returns false
// if there is none, or the server has confirmed it so long ago that no replay can spawn it again.
func (n *Netcode) Spawned(key SpawnKey) (Entity, bool) { return n.predicted.spawned(key) }

// spawned is [Netcode.Spawned].
func (p *predictions) spawned(key SpawnKey) (Entity, bool) {
	if i, found := p.find(key); found {
		e := p.spawns[i].entity
		return e, p.w.handles.at(e) != nil
	}
	return Entity{}, false
}

// store creates the entity of a key in the table of m. Its components are zero.
func (p *predictions) store(key SpawnKey, m mask) Entity {
	w, core := p.w, &p.w.setup.protocol.core
	e := w.handles.allocate()
	s := &w.handles.slots[e.id]
	w.place(e, s, w.tableOf(m))
	for _, c := range s.table.comps {
		if c != core.self {
			w.storage.zero(s, c)
		}
	}
	*(*SpawnKey)(w.storage.stored(s, core.key)) = key
	i, found := p.find(key)
	if !found {
		p.spawns = reuse.Insert(p.spawns, i, predictedSpawn{})
	}
	p.spawns[i] = predictedSpawn{key: key, entity: e}
	return e
}

// Unconfirm tells the world that the server has given the NetID of an entity to another one, because it has simulated the
// tick of the spawn again. A spawn that this client knows under a key waits for confirmation again. Another entity is
// removed.
func (n *Netcode) Unconfirm(id components.NetID) { n.predicted.unconfirm(id) }

// unconfirm is [Netcode.Unconfirm].
func (p *predictions) unconfirm(id components.NetID) {
	w := p.w
	e, _ := w.ByNetID(id)
	i := slices.IndexFunc(p.spawns, func(sp predictedSpawn) bool { return sp.entity == e })
	s := w.handles.at(e)
	if s == nil || i < 0 {
		(*Netcode)(w).Discard(id)
		return
	}
	p.spawns[i].confirmed, p.spawns[i].states = false, 0
	w.handles.removeNetID(e, id)
	s.netID = 0
	m := s.table.mask
	m.clear(w.setup.protocol.core.netID.index)
	w.move(s, m)
}

// Revive tells the world that the server's state after input contains the entity id. If Simulate despawned the entity in
// that input or an earlier one, it returns into scope under the same handle with its previous values, and Revive returns
// true. Then apply the server's values.
func (n *Netcode) Revive(id components.NetID, input uint32) bool {
	return n.predicted.revive(id, input)
}

// revive is [Netcode.Revive].
func (p *predictions) revive(id components.NetID, input uint32) bool {
	w := p.w
	e, _ := w.ByNetID(id)
	s := w.handles.at(e)
	if s == nil || !s.suspended {
		return false
	}
	i := p.ending(e)
	if i < 0 || p.ended[i].input > input {
		return false
	}
	p.ended = slices.Delete(p.ended, i, i+1)
	p.resume(s)
	return true
}

// SettleInput tells the world that a new state of the server includes the owner's inputs up to input. Call it once per
// newer state. A confirmed spawn of these inputs is a normal entity 4 seconds later. An unconfirmed spawn leaves the scope
// half a second of inputs and at least 8 states later, and is removed 4 seconds and at least 64 states later. Until then,
// [Netcode.Confirm] restores it under its handle.
func (n *Netcode) SettleInput(input uint32) { n.predicted.settleInput(input) }

// settleInput implements [Netcode.SettleInput].
func (p *predictions) settleInput(input uint32) {
	w := p.w
	if len(p.spawns)+len(p.ended) == 0 {
		return
	}
	rate := uint32(w.setup.config.TickRate)
	kept := p.spawns[:0]
	for _, sp := range p.spawns {
		s := w.handles.at(sp.entity)
		if s == nil {
			continue
		}
		if sp.key.Input <= input {
			age := input - sp.key.Input
			if sp.confirmed {
				if age < forgetSeconds*rate {
					kept = append(kept, sp)
				}
				continue
			}
			sp.states += min(1, ^uint16(0)-sp.states)
			if age >= forgetSeconds*rate && sp.states >= forgetStates {
				w.carryOut(&command{op: opDespawn, entity: sp.entity})
				continue
			}
			if 2*age >= rate && sp.states >= doubtStates && !s.suspended {
				p.doubt(s)
			}
		}
		kept = append(kept, sp)
	}
	p.spawns = kept
	p.ended = slices.DeleteFunc(p.ended, func(d predictedEnd) bool { return w.handles.at(d.entity) == nil })
}

// RejectSpawns tells the world that the server's state after input contains, of the entities that are unknown here, only
// those with the given keys. Other spawns up to that input that wait for confirmation leave the scope immediately. They can
// still be confirmed, as after [Netcode.SettleInput].
func (n *Netcode) RejectSpawns(input uint32, except ...SpawnKey) { n.predicted.reject(input, except) }

// reject is [Netcode.RejectSpawns].
func (p *predictions) reject(input uint32, except []SpawnKey) {
	w := p.w
	for i := range p.spawns {
		sp := &p.spawns[i]
		if sp.key.Input > input {
			break
		}
		s := w.handles.at(sp.entity)
		if s == nil || sp.confirmed {
			continue
		}
		if slices.Contains(except, sp.key) {
			sp.states = 0
			continue
		}
		if !s.suspended {
			p.doubt(s)
		} else if i := p.ending(sp.entity); i >= 0 && p.ended[i].input > input {
			p.ended = slices.Delete(p.ended, i, i+1) // no replay leads to its end
		}
	}
}

// doubt suspends a spawn that the server seems not to have made.
func (p *predictions) doubt(s *slot) {
	w := p.w
	m := s.table.mask
	m.clear(w.setup.protocol.core.predicted.index)
	m.set(w.setup.protocol.core.suspended.index)
	w.move(s, m)
	s.suspended = true
}

// PlacePredicted immediately creates or changes the predicted spawn of a key, with the replicated components of mask, as
// [Netcode.Replica] does for entities with a NetID. It is for a world that shows the predictions of another world. Between
// [Netcode.BeginReplay] and [Netcode.EndReplay] it also marks the spawn to stay. New components are zero.
func (n *Netcode) PlacePredicted(key SpawnKey, mask uint64) Entity {
	return n.predicted.place(key, mask)
}

// place is [Netcode.PlacePredicted].
func (p *predictions) place(key SpawnKey, mask uint64) Entity {
	w, known := p.w, p.w.setup.protocol
	m := known.maskOf(mask)
	m.set(known.core.self.index)
	m.set(known.core.key.index)
	m.set(known.core.predicted.index)
	e, found := p.spawned(key)
	if !found {
		return p.store(key, m)
	}
	i, _ := p.find(key)
	p.spawns[i].awaited, p.spawns[i].states = false, 0
	s := w.handles.at(e)
	w.move(s, m)
	s.suspended = false
	return e
}
