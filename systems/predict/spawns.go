package predict

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Spawns is what was predicted to be spawned and despawned.
type Spawns struct{ system *System }

// Match finds what this client foretold of an entity that a snapshot tells of. A
// spawn that it predicted becomes the entity, under the same handle; a despawn
// that it predicted is undone when the snapshot is not older than the input which
// it followed from, because then the server did not despawn. It reports that as revived.
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
	if input, ok := p.proves(r, st); ok {
		return p.system.world.Netcode().Revive(id, input)
	}
	return false
}

// proves returns the input after which a state shows an entity.
func (p Spawns) proves(r *mirror.Replica, st *mirror.State) (input uint32, ok bool) {
	if r.CoSimulated() {
		return p.system.Numbering.After(st.Send)
	}
	tick, input := p.system.Numbering.Heard()
	return input, st.Tick >= tick
}

// Later reports whether an own entity that is new here is one that this client spawns
// by an input that it has not come to.
func (p Spawns) Later(r *mirror.Replica) bool {
	if !r.Entity.IsZero() || !p.system.parts.Stamped {
		return false
	}
	key, ok := p.key(r)
	return ok && key.Owner == p.system.parts.Client && key.Input > p.system.applied
}

// key is the key under which the server spawned an entity, if the newest own state has one.
func (p Spawns) key(r *mirror.Replica) (ecs.SpawnKey, bool) {
	return p.system.parts.Mirror.Own.SpawnKey(p.system.world.Protocol(), r.ID)
}

// Settle tells the world what own state proves of predicted
// spawns. Own state names all of the client's entities, so when it knows each of
// them there is none that a spawn could become. Where own state took several
// packets and one was lost that is a mistake, which confirmation undoes.
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
