package components

// NetID is the network id of an entity, the same on all peers, in recordings and in hashes. The server assigns ids in
// increasing order from 1 and never reuses an id in the same world. 0 means "none". Storage handles (ecs.Entity) differ
// between peers.
type NetID uint32

// Owner is the client whose inputs control an entity. Clients are numbered from 1 in the order in which they joined; 0
// means the server. Rules may write Owner: from the next tick on, the entity gets the inputs of the new owner, or the
// neutral input if that client does not exist.
type Owner struct {
	Client uint32 `net:"raw"`
}

// Predicted marks, on a client, an entity that this client simulates ahead of the server. The netcode sets it; it is never
// replicated.
type Predicted struct{}

// Interpolated marks, on a client, an entity that is drawn between two confirmed server states. The netcode sets it; it is
// never replicated.
type Interpolated struct{}
