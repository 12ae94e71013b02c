package ecs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Confirm is for the netcode: the server has spawned the entity id under a key.
// Where this client predicted it, that entity becomes the server's: under the same
// handle, which is returned, it gets the NetID, and no replay removes it any more.
// It stays out of scope when Simulate ended it since; then [Netcode.Discard] or
// [Netcode.Revive] has the last word.
//
// It reports false, and does nothing, when no such spawn waits for its
// confirmation or the NetID is known already. It panics when id is 0 or a running
// system is spawning the entity.
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

// Revive is for the netcode: the server's state after it consumed an input shows
// the entity id. When Simulate ended it here in that input or before, it comes
// back into scope under the same handle, with the values that it had: take over
// the server's. It reports whether that happened.
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

// SettleInput is for the netcode, once for each state of the server that is newer
// than the last: it holds what followed from the owner's inputs up to this one.
// Confirmed spawns up to it are now like any entity. One that no state has
// confirmed for long leaves the scope, and in the end the world: half a second of
// inputs and at least 8 states later, and 4 seconds and at least 64 states. As long
// as its handle lives, [Netcode.Confirm] brings it back under that.
func (n *Netcode) SettleInput(input uint32) { n.predicted.settle(input) }

// settle is [Netcode.SettleInput].
func (p *predictions) settle(input uint32) {
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

// RejectSpawns is for the netcode: the server's state after it consumed an input names no
// entity that is unknown here, so what was spawned up to that input and waits for
// its confirmation leaves the scope at once. It can be confirmed all the same, as
// after [Netcode.SettleInput].
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

// doubt suspends a spawn that the server does not seem to have made.
func (p *predictions) doubt(s *slot) {
	w := p.w
	m := s.table.mask
	m.clear(w.setup.protocol.core.predicted.index)
	m.set(w.setup.protocol.core.suspended.index)
	w.move(s, m)
	s.suspended = true
}

// PlacePredicted makes or reshapes, at once, the predicted spawn of a key, with the
// replicated components of mask, as [Netcode.Replica] does for what has a NetID:
// for a world that shows what another predicts. Between [Netcode.BeginReplay] and
// [Netcode.EndReplay] it says which spawns stay. Values start at zero.
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
