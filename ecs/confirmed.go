package ecs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Confirm tells the world that the server has spawned the entity id under a key. If this client predicted the spawn,
// Confirm gives that entity the NetID and returns its handle; replays no longer remove it. If Simulate despawned it since,
// it stays out of scope until [Netcode.Discard] or [Netcode.Revive].
//
// Confirm returns false and does nothing if no such spawn waits for confirmation, or the NetID is known already. It panics
// if id is 0 or a running system is spawning the entity.
func (n *Netcode) Confirm(key SpawnKey, id components.NetID) (Entity, bool) {
	return n.predicted.confirm(key, id)
}

// confirm is [Netcode.Confirm].
func (p *predictions) confirm(key SpawnKey, id components.NetID) (Entity, bool) {
	w := p.w
	if id == 0 {
		panic("ecs: Confirm needs a NetID")
	}
	i, found := p.find(key)
	if !found || p.spawns[i].confirmed {
		return Entity{}, false
	}
	e := p.spawns[i].entity
	s := w.handles.at(e)
	if _, known := w.ByNetID(id); known || s == nil {
		return Entity{}, false
	}
	if s.pending > 0 {
		panic(fmt.Sprintf("ecs: Confirm of NetID %d, which a system of this world is spawning", id))
	}
	p.spawns[i].confirmed = true
	w.handles.assignNetID(e, id)
	if s.suspended && !p.spawns[i].awaited && p.ending(e) < 0 {
		p.resume(s) // it was doubted
		return e, true
	}
	w.move(s, s.table.mask) // to where NetIDs are a column
	return e, true
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
// newer state. Confirmed spawns of these inputs become normal entities. An unconfirmed spawn leaves the scope half a second
// of inputs and at least 8 states later, and is removed 4 seconds and at least 64 states later. Until then,
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
			if sp.confirmed {
				continue
			}
			sp.states += min(1, ^uint16(0)-sp.states)
			age := input - sp.key.Input
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

// RejectSpawns tells the world that the server's state after input contains no entity that is unknown here. Spawns up to
// that input that wait for confirmation leave the scope immediately. They can still be confirmed, as after
// [Netcode.SettleInput].
func (n *Netcode) RejectSpawns(input uint32) { n.predicted.reject(input) }

// reject is [Netcode.RejectSpawns].
func (p *predictions) reject(input uint32) {
	w := p.w
	for _, sp := range p.spawns {
		if sp.key.Input > input {
			break
		}
		s := w.handles.at(sp.entity)
		if s == nil || sp.confirmed {
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
	i, found := p.find(key)
	if found {
		sp := &p.spawns[i]
		if s := w.handles.at(sp.entity); s != nil {
			sp.awaited, sp.states = false, 0
			w.move(s, m)
			s.suspended = false
			return sp.entity
		}
	} else {
		p.spawns = reuse.Insert(p.spawns, i, predictedSpawn{})
	}
	e := w.handles.allocate()
	s := &w.handles.slots[e.id]
	w.place(e, s, w.tableOf(m))
	for _, c := range s.table.comps {
		if c != known.core.self {
			w.storage.zero(s, c)
		}
	}
	*(*SpawnKey)(w.storage.stored(s, known.core.key)) = key
	p.spawns[i] = predictedSpawn{key: key, entity: e}
	return e
}
