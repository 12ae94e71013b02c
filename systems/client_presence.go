package systems

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Presence is what a client knows of the whereabouts of an entity. That it is not in
// the world can mean different things.
type Presence = mirror.Presence

const (
	// NotLoaded: this client was never told of it, or long ago, or has not joined
	// yet; or it left its place, and where it is now has not been told.
	NotLoaded = mirror.NotLoaded
	// Present: the newest snapshot told of it.
	Present = mirror.Present
	// Stale: it is in the world as it was in an earlier snapshot. The newest one did
	// not speak of it, because of the byte budget or because a packet was lost.
	Stale = mirror.Stale
	// OutOfInterest: the server no longer shows it to this client.
	OutOfInterest = mirror.OutOfInterest
	// Destroyed: the server despawned it, or gave it other components while it went out
	// of this client's sight.
	Destroyed = mirror.Destroyed
)

// Presence says what this client knows of the whereabouts of an entity. Of those
// that are gone it remembers the newest 4,096.
func (c *Client) Presence(id components.NetID) Presence {
	if c.world == nil {
		return NotLoaded
	}
	return c.model.known.Presence(id)
}

// StateTick returns the server tick of the newest state of an entity that has
// arrived, for entities that are [Present] or [Stale].
func (c *Client) StateTick(id components.NetID) (tick uint32, ok bool) {
	if c.world == nil {
		return 0, false
	}
	return c.model.known.StateTick(id)
}

// toldEntities are entities as snapshots tell of them.
type toldEntities struct{ c *Client }

// Presence goes by the newest snapshot that told of an entity.
func (k toldEntities) Presence(id components.NetID) Presence { return k.c.mirror.Presence(uint32(id)) }

// StateTick is the tick of that snapshot.
func (k toldEntities) StateTick(id components.NetID) (tick uint32, ok bool) {
	return k.c.mirror.StateTick(uint32(id))
}
