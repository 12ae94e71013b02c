package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Reason is the reason for an entity entering or leaving the world of a client.
type Reason uint8

// Package systems documents the constants.
const (
	Joined Reason = iota
	Spawned
	CameIntoSight
	Despawned
	WentOutOfSight
	LeftBehind
)

// String returns the name of the constant.
func (r Reason) String() string {
	names := [...]string{"Joined", "Spawned", "CameIntoSight", "Despawned", "WentOutOfSight", "LeftBehind"}
	if int(r) < len(names) {
		return names[r]
	}
	return "Reason(?)"
}

// Enters reports whether the entity enters; otherwise it leaves.
func (r Reason) Enters() bool { return r <= CameIntoSight }

// PresenceChange describes an entity that enters or leaves the world of a client.
type PresenceChange struct {
	// ID is the entity's number, the same as on the server.
	ID components.NetID
	// Entity is the entity in the client's world. When an entity leaves, its components can be read for the last
	// time. Entity is zero if the entity had to leave the world before the reason was known.
	Entity ecs.Entity
	// Why is the reason.
	Why Reason
	// Tick is the tick of the server's state with the change.
	Tick uint32
}

// came reports that an entity has entered with a state.
func came(m *Mirror, r *Replica, st *State, k int) {
	why := CameIntoSight
	switch {
	case !m.join.loaded || m.join.placing:
		why = Joined
	case st.Born>>k&1 != 0:
		why = Spawned
	}
	r.announced = true
	m.config.report(r, why, st.Tick)
}

// went reports that an entity has left.
func went(m *Mirror, r *Replica) {
	why := Despawned
	if r.Removed.Hidden {
		why = WentOutOfSight
	}
	r.announced = false
	m.config.report(r, why, r.Removed.Tick)
}

// Leave reports LeftBehind for all present entities. The mirror must not be used after that.
func Leave(m *Mirror) {
	for _, r := range m.Entities.list {
		if r.announced {
			r.announced = false
			m.config.report(r, LeftBehind, m.Newest.Tick)
		}
	}
}

func (c *Config) report(r *Replica, why Reason, tick uint32) {
	if c.Presence != nil {
		c.Presence(c.World, PresenceChange{components.NetID(r.ID), r.Entity, why, tick})
	}
}
