package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// match finds what this client foretold of an entity that a snapshot tells of. A
// spawn that it predicted becomes the entity, under the same handle; a despawn
// that it predicted is undone when the snapshot is not older than the input which
// it followed from, because then the server did not despawn.
func (c *Client) match(r *mirror.Replica, st *mirror.State) {
	if !c.stages.predicting {
		return
	}
	if r.Entity.IsZero() {
		if key, ok := c.spawnKey(r.ID); ok && key.Owner == c.link.id {
			r.Entity, _ = c.world.Netcode().Confirm(key, netID(r.ID))
		}
	}
	if input, ok := c.proves(r, st); ok && c.world.Netcode().Revive(netID(r.ID), input) {
		if c.reconciler.records.Of(r).takeServerState = r.CoSimulated(); !r.CoSimulated() {
			c.reconciler.takeServerState = true
		}
	}
}

// spawnKey is the key under which the server spawned an entity, if the newest own
// state has one: nobody else may know it.
func (c *Client) spawnKey(id uint32) (key ecs.SpawnKey, ok bool) {
	comp := ecs.ComponentOf[ecs.SpawnKey](c.protocol)
	c.eachOwn(c.own.state.send, func(own uint32, of *ecs.Component, _ unsafe.Pointer, raw []byte) {
		if own == id && of == comp {
			_, err := comp.Schema.ReadRaw(raw, unsafe.Pointer(&key))
			ok = err == nil
		}
	})
	return key, ok
}

// unnamed reports whether an own entity that is new here must wait: under which key
// it was spawned is told in own state, which may come later, or be lost and come
// with another send; and it may be one that this client spawns by an input that it has
// not come to.
func (c *Client) unnamed(r *mirror.Replica, st *mirror.State) bool {
	if !r.Entity.IsZero() {
		return false
	}
	if r.WaitsSince == 0 {
		r.WaitsSince = st.Send
	}
	for _, x := range c.mirror.ownGroups {
		if own := x.At(c.own.state.send); own != nil && own.Find(r.ID) >= 0 {
			key, ok := c.spawnKey(r.ID)
			return ok && c.model.stamped && key.Owner == c.link.id && key.Input > c.model.numbering.Applied()
		}
	}
	return (c.own.newest < st.Send || !c.ownWhole(c.own.newest)) && c.mirror.newestSend < r.WaitsSince+moveSends
}

// settleSpawns tells the world what own state proves of predicted
// spawns. Own state names all of the client's entities, so when it knows each of
// them there is none that a spawn could become. Where own state took several
// packets and one was lost that is a mistake, which confirmation undoes.
func (c *Client) settleSpawns(w *ecs.World, own ownState) {
	w.Netcode().SettleInput(own.input)
	unknown := !c.ownWhole(own.send)
	c.eachOwn(own.send, func(id uint32, _ *ecs.Component, _ unsafe.Pointer, _ []byte) {
		_, known := w.ByNetID(netID(id))
		unknown = unknown || !known
	})
	if !unknown {
		w.Netcode().RejectSpawns(own.input)
	}
}
