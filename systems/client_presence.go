package systems

import (
	"github.com/tactusgo/tactus/components"
)

// Presence is what a client knows of the whereabouts of an entity. That it is not in
// the world can mean different things.
type Presence uint8

const (
	// NotLoaded: this client was never told of it, or long ago, or has not joined
	// yet; or it left its place, and where it is now has not been told.
	NotLoaded Presence = iota
	// Present: the newest snapshot told of it.
	Present
	// Stale: it is in the world as it was in an earlier snapshot. The newest one did
	// not speak of it, because of the byte budget or because a packet was lost.
	Stale
	// OutOfInterest: the server no longer shows it to this client.
	OutOfInterest
	// Destroyed: the server despawned it, or gave it other components while it went out
	// of this client's sight.
	Destroyed
)

// String is the name of the constant.
func (p Presence) String() string {
	names := [...]string{"NotLoaded", "Present", "Stale", "OutOfInterest", "Destroyed"}
	if int(p) < len(names) {
		return names[p]
	}
	return "Presence(?)"
}

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
func (k toldEntities) Presence(id components.NetID) Presence {
	c := k.c
	r := c.mirror.byID[uint32(id)]
	switch {
	case r == nil:
		return c.mirror.tombstones.of(uint32(id))
	case r.Removed.Tick != 0 && r.Removed.Hidden:
		return OutOfInterest
	case r.Removed.Tick != 0 && r.Entity.IsZero() && c.mirror.decided(r):
		return Destroyed
	case r.Entity.IsZero():
		return NotLoaded
	case r.Removed.Tick != 0:
		return Stale // it may turn up in another slot
	case c.mirror.groups[r.At.Group].Told[r.At.Slot] >= c.mirror.newestSend:
		return Present
	}
	return Stale
}

// StateTick is the tick of that snapshot.
func (k toldEntities) StateTick(id components.NetID) (tick uint32, ok bool) {
	c := k.c
	r := c.mirror.byID[uint32(id)]
	if r == nil || r.Removed.Tick != 0 || r.Entity.IsZero() {
		return 0, false
	}
	x := c.mirror.groups[r.At.Group]
	if st := x.At(x.Told[r.At.Slot]); st != nil {
		return st.Tick, true
	}
	return 0, false
}

// maxAbsent is how many entities that are gone a client remembers.
const maxAbsent = 1 << 12

// tombstones remembers why entities are not there.
type tombstones struct {
	why  map[uint32]Presence
	ring []uint32 // ids in the order in which they left
	next int
}

func (a *tombstones) add(id uint32, hidden bool) {
	if a.why == nil {
		a.why = make(map[uint32]Presence)
	}
	if _, known := a.why[id]; !known {
		if len(a.ring) < maxAbsent {
			a.ring = append(a.ring, id)
		} else {
			delete(a.why, a.ring[a.next])
			a.ring[a.next] = id
			a.next = (a.next + 1) % maxAbsent
		}
	}
	a.why[id] = Destroyed
	if hidden {
		a.why[id] = OutOfInterest
	}
}

func (a *tombstones) of(id uint32) Presence { return a.why[id] }
