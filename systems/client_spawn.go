package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// match finds what this client foretold of an entity that a snapshot tells of. A
// spawn that it predicted becomes the entity, under the same handle; a despawn
// that it predicted is undone when the snapshot is not older than the input which
// it followed from, because then the server did not despawn.
func (c *Client) match(r *replica, rec *record) {
	if !c.predicting {
		return
	}
	if r.entity.IsZero() {
		if key, ok := c.spawnKey(rec); ok && key.Owner == c.id {
			r.entity, _ = c.world.Confirm(key, netID(r.id))
		}
	}
	if rec.tick >= c.own.tick && c.world.Revive(netID(r.id), c.own.input) {
		c.adopt = true
	}
}

// spawnKey is the key under which the server spawned an entity, if it has one
// that this client may know.
func (c *Client) spawnKey(rec *record) (key ecs.SpawnKey, ok bool) {
	comp := ecs.ComponentOf[ecs.SpawnKey](c.protocol)
	if rec.mask&(1<<comp.Replicated()) == 0 {
		return key, false
	}
	at := c.layout.Offset(rec.mask, comp.Replicated())
	comp.Schema.Dequantize(unsafe.Pointer(&key), rec.words[at:], comp.Words, 1)
	return key, true
}
