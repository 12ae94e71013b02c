package predict

import (
	"cmp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Spawns matches predicted spawns and despawns with the server's.
type Spawns struct{ system *System }

// Match compares an entity in a snapshot with the predictions. A predicted spawn becomes the entity and keeps its
// handle. simulated reports whether this client simulates the entity. A predicted despawn is undone if the snapshot is not
// older than the input that caused it: the server did not despawn the entity. Match then reports revived. It reports stale
// if newer owner state has another entity under the same key: this one no longer exists.
func (p Spawns) Match(r *mirror.Replica, st *mirror.State, own, simulated bool) (revived, stale bool) {
	if p.system.parts.Off {
		return false, false
	}
	id, n := components.NetID(r.ID), p.system.world.Netcode()
	if key, ok := p.key(r, own); ok && !p.hasKey(r, key) {
		other, newer := p.compareOther(r, key)
		if newer < 0 {
			return false, true
		}
		if newer > 0 {
			p.separate(r, other)
			r.Entity, _ = n.Confirm(key, id, simulated)
		}
	}
	if input, ok := p.inputOf(r, st); ok {
		return n.Revive(id, input), false
	}
	return false, false
}

// hasKey reports whether an entity is in the world under a key.
func (p Spawns) hasKey(r *mirror.Replica, key ecs.SpawnKey) bool {
	have := ecs.Get[ecs.SpawnKey](p.system.world, r.Entity)
	return have != nil && *have == key
}

// compareOther returns the other entity that the world has under the key of r, if there is one, and compares their owner
// states: 1 if that of r is newer, so that the other one no longer has the key, -1 if it is older, and 0 if both are in the
// newest owner state. A server that simulates a tick again, in which another player now spawns something first, gives the
// spawns of the tick other NetIDs.
func (p Spawns) compareOther(r *mirror.Replica, key ecs.SpawnKey) (other *mirror.Replica, newer int) {
	m := p.system.parts.Mirror
	if e, known := p.system.world.Netcode().Spawned(key); known {
		other = m.Entities.Of(uint32(p.system.world.NetID(e)))
	}
	if other == nil || other == r {
		return nil, 1
	}
	return other, cmp.Compare(m.Own.NewestSend(r.ID), m.Own.NewestSend(other.ID))
}

// separate separates r from the spawn that had its NetID, and other, which may be nil, from the spawn that r is.
func (p Spawns) separate(r, other *mirror.Replica) {
	m := p.system.parts.Mirror
	if other != nil {
		m.Displace(other, m.Own.NewestSend(r.ID))
	}
	if !r.Entity.IsZero() {
		m.Replace(r)
		p.system.world.Netcode().Unconfirm(components.NetID(r.ID))
	}
}

// inputOf returns the input after which a state shows an entity.
func (p Spawns) inputOf(r *mirror.Replica, st *mirror.State) (input uint32, ok bool) {
	if r.CoSimulated() {
		return p.system.Numbering.After(st.Send)
	}
	tick, input := p.system.Numbering.Heard()
	return input, st.Tick >= tick
}

// IsFuture reports whether a new own entity is a spawn of an input that this client has not predicted yet.
func (p Spawns) IsFuture(r *mirror.Replica) bool {
	if !r.Entity.IsZero() || !p.system.parts.Stamped {
		return false
	}
	key, ok := p.key(r, true)
	return ok && key.Input > p.system.applied
}

// key returns the key under which the server spawned an entity for an input of this client, if the newest owner state
// contains one.
func (p Spawns) key(r *mirror.Replica, own bool) (key ecs.SpawnKey, ok bool) {
	if own {
		key, ok = p.system.parts.Mirror.Own.SpawnKey(p.system.world.Protocol(), r.ID)
	}
	return key, ok && key.Owner == p.system.parts.Client
}

// Settle tells the world which predicted spawns owner state confirms. Complete owner state contains all of the client's
// entities. Predicted spawns that are not among them are rejected. Those among them whose entity waits for the budget stay.
func (p Spawns) Settle(own mirror.OwnState) (revived bool) {
	s := p.system
	n := s.world.Netcode()
	n.SettleInput(own.Input)
	if !s.parts.Mirror.Own.Whole(own.Send) {
		return false
	}
	s.unknown = s.unknown[:0]
	comp := ecs.ComponentOf[ecs.SpawnKey](s.world.Protocol())
	s.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		if v.Component != comp {
			return
		}
		if _, known := s.world.ByNetID(components.NetID(v.ID)); !known {
			s.unknown = append(s.unknown, *(*ecs.SpawnKey)(v.Value))
		} else if n.Revive(components.NetID(v.ID), own.Input) {
			revived = true
		}
	})
	n.RejectSpawns(own.Input, s.unknown...)
	return revived
}
