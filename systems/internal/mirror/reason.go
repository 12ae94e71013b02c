package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Reason is why an entity comes into the world of a client, or leaves it.
type Reason uint8

// See the constants of the same names in package systems.
const (
	Joined Reason = iota
	Spawned
	CameIntoSight
	Despawned
	WentOutOfSight
	LeftBehind
)

// String is the name of the constant.
func (r Reason) String() string {
	names := [...]string{"Joined", "Spawned", "CameIntoSight", "Despawned", "WentOutOfSight", "LeftBehind"}
	if int(r) < len(names) {
		return names[r]
	}
	return "Reason(?)"
}

// Enters reports whether the entity comes; otherwise it leaves.
func (r Reason) Enters() bool { return r <= CameIntoSight }

// PresenceChange is that an entity comes into the world of a client, or leaves it.
type PresenceChange struct {
	// ID is its number, the same on the server.
	ID components.NetID
	// Entity is the entity. As one leaves it is in the world for the last time, with what it had; it is zero where it
	// had to leave the world before it was clear why.
	Entity ecs.Entity
	// Why is the reason.
	Why Reason
	// Tick is that of the server's state which told of it.
	Tick uint32
}

// came tells of an entity that has come, by a state.
func came(m *Mirror, r *Replica, st *State, k int) {
	why := CameIntoSight
	switch {
	case !m.join.loaded || m.join.placing:
		why = Joined
	case st.Born>>k&1 != 0:
		why = Spawned
	}
	r.announced = true
	m.config.tell(r, why, st.Tick)
}

// went tells of one that is gone.
func went(m *Mirror, r *Replica) {
	why := Despawned
	if r.Removed.Hidden || r.Removed.Away {
		why = WentOutOfSight
	}
	r.announced = false
	m.config.tell(r, why, r.Removed.Tick)
}

// Leave tells of all that were there that the client leaves them behind. The mirror is of no use after that.
func Leave(m *Mirror) {
	for _, r := range m.Entities.list {
		if r.announced {
			r.announced = false
			m.config.tell(r, LeftBehind, m.Newest.Tick)
		}
	}
}

func (c *Config) tell(r *Replica, why Reason, tick uint32) {
	if c.Presence != nil {
		c.Presence(c.World, PresenceChange{components.NetID(r.ID), r.Entity, why, tick})
	}
}
