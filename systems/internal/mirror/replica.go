package mirror

import "github.com/tactusgo/tactus/ecs"

// Location is where an entity stands: a group, and a slot of it.
type Location struct{ Group, Slot int32 }

// Replica is an entity of the server as a client knows it. What rooms keep of one besides
// lies under its index.
type Replica struct {
	ID         uint32
	Index      Index
	Entity     ecs.Entity // in the client's world; zero until confirmed state came
	At         Location
	Before     Location // where it stood before, if it has changed its place
	Moves      uint32   // how often it has changed its place
	Newest     uint32   // newest send that told of it
	Private    uint64   // components that only this client may see
	Removed    Removal
	WaitsSince uint32 // send since which own state must tell of it first; 0: none
	Simulated  bool   // here
	Own        bool   // it belongs to this client, which predicts
}

// Removal says since when an entity is gone.
type Removal struct {
	Tick   uint32 // 0: it lives
	Hidden bool   // it is gone from sight, not from the world
}

// Predicted reports whether it is one of the client's own that are simulated here.
func (r *Replica) Predicted() bool { return r.Simulated && r.Own && !r.Entity.IsZero() }

// CoSimulated reports whether it is simulated here and not the client's own.
func (r *Replica) CoSimulated() bool { return r.Simulated && !r.Own }
