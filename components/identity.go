package components

// NetID names an entity on the wire, in recordings and in hashes. The server
// hands them out in increasing order from 1 and never uses one twice in a
// world's life; 0 means "none". Storage handles (ecs.Entity) differ between
// peers, NetIDs do not.
type NetID uint32

// Owner is the client whose inputs drive an entity. Clients are numbered from
// 1 in the order they joined; 0 means the server owns it. Rules may write it: from
// the next tick on the entity has the new owner's inputs, or the neutral one when that
// has no client.
type Owner struct {
	Client uint32 `net:"raw"`
}

// Predicted marks, on a client, an entity that this client simulates ahead of
// the server. It is set by the netcode and never replicated.
type Predicted struct{}

// Interpolated marks, on a client, an entity that is drawn between two
// confirmed states of the server. It is set by the netcode and never
// replicated.
type Interpolated struct{}
