package systems

import "github.com/tactusgo/tactus/ecs"

// location is where an entity stands: a group, and a slot of it.
type location struct{ group, slot int32 }

// replica is an entity of the server as a client knows it. What rooms keep of one besides
// lies under its index.
type replica struct {
	id         uint32
	index      index
	entity     ecs.Entity // in the client's world; zero until confirmed state came
	at         location
	before     location // where it stood before, when moved
	moved      bool
	newest     uint32 // newest send that told of it
	private    uint64 // components that only this client may see
	removed    removal
	waitsSince uint32 // send since which own state must tell of it first; 0: none
	simulated  bool   // here
	own        bool   // it belongs to this client, which predicts
}

// removal says since when an entity is gone.
type removal struct {
	tick   uint32 // 0: it lives
	hidden bool   // it is gone from sight, not from the world
}

// predicted reports whether it is one of the client's own that are simulated here.
func (r *replica) predicted() bool { return r.simulated && r.own && !r.entity.IsZero() }

// coSimulated reports whether it is simulated here and not the client's own.
func (r *replica) coSimulated() bool { return r.simulated && !r.own }
