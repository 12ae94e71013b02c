package predict

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Spawns matches predicted spawns and despawns with the server's.
type Spawns struct{ system *System }

// Match compares an entity in a snapshot with the predictions. A predicted spawn becomes the entity and keeps its
// handle. A predicted despawn is undone if the snapshot is not older than the input that caused it: the server did
// not despawn the entity. Match then returns true.
func (p Spawns) Match(r *mirror.Replica, st *mirror.State) (revived bool) {
	if p.system.parts.Off {
		return false
	}
	id := components.NetID(r.ID)
	if r.Entity.IsZero() {
		if key, ok := p.key(r); ok && key.Owner == p.system.parts.Client {
			r.Entity, _ = p.system.world.Netcode().Confirm(key, id)
		}
	}
	if input, ok := p.inputOf(r, st); ok {
		return p.system.world.Netcode().Revive(id, input)
	}
	return false
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
	key, ok := p.key(r)
	return ok && key.Owner == p.system.parts.Client && key.Input > p.system.applied
}

// key returns the key under which the server spawned an entity, if the newest owner state contains one.
func (p Spawns) key(r *mirror.Replica) (ecs.SpawnKey, bool) {
	return p.system.parts.Mirror.Own.SpawnKey(p.system.world.Protocol(), r.ID)
}

// Settle tells the world which predicted spawns owner state confirms. Owner state contains all of the client's
// entities, unless the budget does not suffice. If each of them is known, the remaining predicted spawns are rejected.
func (p Spawns) Settle(own mirror.OwnState) {
	n := p.system.world.Netcode()
	n.SettleInput(own.Input)
	unknown := !p.system.parts.Mirror.Own.Whole(own.Send)
	p.system.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		_, known := p.system.world.ByNetID(components.NetID(v.ID))
		unknown = unknown || !known
	})
	if !unknown {
		n.RejectSpawns(own.Input)
	}
}
