package systems

// LeavePolicy says what becomes of the entities of a client that left.
type LeavePolicy uint8

const (
	// DespawnOwned removes them.
	DespawnOwned LeavePolicy = iota
	// KeepOwned leaves them in the world with a neutral input, still owned by
	// the client number that is gone.
	KeepOwned
)
