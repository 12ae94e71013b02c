package explain

import "github.com/tactusgo/tactus/systems/internal/interest"

// Reason says why the server sent an entity to a client at a send, or did not.
type Reason uint8

// Reasons.
const (
	// Unknown means that the stored data do not answer the question: nobody watched this entity at that send.
	Unknown Reason = iota
	// Told means that a packet of the send contained the entity.
	Told
	// Waits means that the snapshot had no room, and other entities went first.
	Waits
	// Hidden means that ServerConfig.Snapshots.Interest hides the entity from the client.
	Hidden
	// TooBig means that the entity fits into no snapshot of the client and is omitted for a while.
	TooBig
	// Joining means that the client is joining, and other parts of its first state went first.
	Joining
	// Current means that the client already has the current state of the entity, and other entities went first.
	Current
	// Absent means that the entity does not exist.
	Absent
	// Everywhere means that every peer simulates everything, so the server sends no state.
	Everywhere
)

var reasons = [...]string{"unknown", "told", "waits", "hidden", "too big", "joining", "current", "absent", "everywhere"}

// String returns the name of the reason.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "?"
}

// Part is the result of one operand of an interest, a Grid, Same or Filter, for an entity and a client.
type Part = interest.Part

// Untold is a component of an entity that is hidden from a client, with the results of its interest.
type Untold = interest.Untold

// Decision explains why the server sent an entity to a client at a send, or did not.
type Decision struct {
	// Send is the send that the decision is about, and Tick the tick whose state it sent. Both are 0 before the first
	// send.
	Send, Tick uint32
	Reason     Reason
	// State is the send whose state was sent, 0 if none was. It is older than Send for parts of the first state of a
	// joining client.
	State uint32
	// Age is the number of sends between the baseline and State. It is 0 if the entity was sent in full, and negative
	// if the baseline is unknown. Second reports whether the send before the baseline was used too.
	Age    int
	Second bool
	// Own reports whether the client owns the entity. Owner state is sent separately; OwnTold reports whether it was
	// sent.
	Own, OwnTold bool
	// Gained is the priority that the entity, or its group, had accumulated when it had to wait. Last is the
	// accumulated priority of the last entity that was sent. Allowed is the maximum size of the snapshot in bytes.
	// They are 0 if unknown.
	Gained, Last float32
	Allowed      int
	Said
}

// Said holds the results of the interest.
type Said struct {
	// Parts are the results of the operands of the interest for a hidden entity, nil if unknown.
	Parts []Part
	// Untold lists the components of a visible entity that are hidden from the client, nil if unknown.
	Untold []Untold
}
