package ecs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
)

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
	s := w.at(e)
	if _, known := w.ByNetID(id); known || s == nil {
		return Entity{}, false
	}
	if s.pending > 0 {
		panic(fmt.Sprintf("ecs: Confirm of NetID %d, which a system of this world is spawning", id))
	}
	p.spawns[i].confirmed = true
	w.name(e, id)
	if s.suspended && !p.spawns[i].awaited && p.ending(e) < 0 {
		p.resume(s) // it was doubted
		return e, true
	}
	w.move(s, s.table.mask) // to where NetIDs are a column
	return e, true
}

// revive is [Netcode.Revive].
func (p *predictions) revive(id components.NetID, input uint32) bool {
	w := p.w
	e, _ := w.ByNetID(id)
	s := w.at(e)
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

// settle is [Netcode.SettleInput].
func (p *predictions) settle(input uint32) {
	w := p.w
	if len(p.spawns)+len(p.ended) == 0 {
		return
	}
	rate := uint32(w.setup.config.TickRate)
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
			if 2*age >= rate && sp.states >= doubtStates && !s.suspended {
				p.doubt(s)
			}
		}
		kept = append(kept, sp)
	}
	p.spawns = kept
	p.ended = slices.DeleteFunc(p.ended, func(d predictedEnd) bool { return w.at(d.entity) == nil })
}

// reject is [Netcode.RejectSpawns].
func (p *predictions) reject(input uint32) {
	w := p.w
	for _, sp := range p.spawns {
		if sp.key.Input > input {
			break
		}
		s := w.at(sp.entity)
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
	m.clear(w.setup.protocol.predictedC.index)
	m.set(w.setup.protocol.suspendedC.index)
	w.move(s, m)
	s.suspended = true
}

// PendingPredictions is the number of predicted spawns and despawns that wait for the
// server's word.
func (w *World) PendingPredictions() (spawns, despawns int) {
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
// the server knows or will know: the simulated ones of [Netcode.Tables], and
// predicted spawns that have no NetID yet, whose NetIDs are nil.
func (n *Netcode) Simulated(yield func(Table) bool) {
	w := (*World)(n)
	p := w.setup.protocol
	for _, t := range w.storage.tables {
		if !w.simulates(t) || !t.mask.has(p.netIDC.index) && !t.mask.has(p.keyC.index) {
			continue
		}
		w.refresh(t)
		if t.n == 0 {
			continue
		}
		version := w.storage.version
		view := Table{Mask: t.replicated, Entities: w.entities(t), NetIDs: w.names(t), Simulated: true, t: t}
		if !yield(view) {
			return
		}
		if w.storage.version != version {
			panicMoved()
		}
	}
}

// Suspended reports whether e is out of scope and may come back: Simulate despawned
// it, or has not spawned it again, and the server has not spoken yet.
func (n *Netcode) Suspended(e Entity) bool {
	w := (*World)(n)
	s := w.at(e)
	return s != nil && s.suspended
}

// place is [Netcode.PlacePredicted].
func (p *predictions) place(key SpawnKey, mask uint64) Entity {
	w, known := p.w, p.w.setup.protocol
	m := w.replicaMask(mask)
	m.set(known.selfC.index)
	m.set(known.keyC.index)
	m.set(known.predictedC.index)
	i, found := p.find(key)
	if found {
		sp := &p.spawns[i]
		if s := w.at(sp.entity); s != nil {
			sp.awaited, sp.states = false, 0
			w.move(s, m)
			s.suspended = false
			return sp.entity
		}
	} else {
		p.spawns = slices.Insert(p.spawns, i, predictedSpawn{})
	}
	e := w.allocate()
	s := &w.handles.slots[e.id]
	w.place(e, s, w.tableOf(m))
	for _, c := range s.table.comps {
		if c != known.selfC {
			w.zero(s, c)
		}
	}
	*(*SpawnKey)(w.stored(s, known.keyC)) = key
	p.spawns[i] = predictedSpawn{key: key, entity: e}
	return e
}
