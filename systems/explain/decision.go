package explain

import "github.com/tactusgo/tactus/systems/internal/interest"

// Reason is why a client was, or was not, told of an entity at a send.
type Reason uint8

// Reasons.
const (
	// Unknown is that nothing which is kept of that send says it: nobody asked about this entity then.
	Unknown Reason = iota
	// Told is that a packet of the send told of it.
	Told
	// Waits is that the snapshot did not hold all, and others went first.
	Waits
	// Hidden is that ServerConfig.Interest keeps it from the client.
	Hidden
	// TooBig is that it fits no snapshot of the client, and is left out for a while.
	TooBig
	// Joining is that it belongs to the state with which the client joins, of which other parts went first.
	Joining
	// Current is that the client is known to hold it as it was, and others went first.
	Current
	// Absent is that there was no such entity.
	Absent
	// Everywhere is that every peer simulates everything, so that no state is sent.
	Everywhere
)

var reasons = [...]string{"unknown", "told", "waits", "hidden", "too big", "joining", "current", "absent", "everywhere"}

// String is the reason in a word or two.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "?"
}

// Part is what one operand of an interest said of an entity to a client: a Grid, a Same or a Filter.
type Part = interest.Part

// Untold is a component of an entity of which a client is not told, and what its interest said.
type Untold = interest.Untold

// Decision is why a client was, or was not, told of an entity at a send.
type Decision struct {
	// Send is the send that is answered for, and Tick the tick whose state it told. They are 0 where there was none yet.
	Send, Tick uint32
	Reason     Reason
	// State is the send whose state was told, 0 where none was. It is older than Send in parts of a state that the client
	// joins with.
	State uint32
	// Age is how many sends before State the state was that the difference was told from, 0 where the entity was told in full, and
	// negative where that is not kept. Second says that the send before that one served too.
	Age    int
	Second bool
	// Own says that the entity is the client's own. What it predicts of that, and what is for it alone, travels beside the rest:
	// OwnTold says that it did.
	Own, OwnTold bool
	// Gained is what the entity, or its group where groups take turns, had accrued of its priority when it had to wait, and Last what the
	// last had accrued that was told of. Allowed is how many bytes the snapshot might have. They are 0 where that is not kept.
	Gained, Last float32
	Allowed      int
	Said
}

// Said is what interest said.
type Said struct {
	// Parts are what the parts of the interest said of an entity that is hidden; they are nil where that is not kept.
	Parts []Part
	// Untold are the components that the entity has and the client may not know, where it sees the entity; nil where that is not kept.
	Untold []Untold
}
