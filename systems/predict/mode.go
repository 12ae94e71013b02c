package predict

// Mode says whether a client simulates an entity: ahead of the server, so that what the
// player does shows at once in whatever of it can touch, or not, so that it is shown as
// the server confirmed it a while ago, and never wrong. It is chosen by
// systems.ClientConfig.Scope and systems.Client.SetScope, under all policies with which the server sends
// states: with policy.Rollback and Lockstep every peer simulates everything.
//
// What a client simulates it simulates together, in each tick and in each replay, and
// ecs.Each yields it; so a ball that is co-simulated flies off in the tick in which the
// own player kicks it. Nobody's inputs but the client's own are known to it, see
// systems.ClientConfig.Assume.
//
// A co-simulated entity costs its part of Simulate in each tick, and a comparison in each
// snapshot. Where one of them was mispredicted the client takes the confirmed state of
// all that it simulates and simulates the inputs since again: a round trip, the buffer's
// depth and one tick, as for its own entities. The causes, beside what others do: what
// Simulate reads and snapshots do not carry; ticks that the server gave to others while
// it held this client's input; with policy.TimingArrival all jitter; random numbers drawn
// for other players' entities, which follow their inputs; and the rounding of the wire,
// which adds up until it is past the tolerance: with ecs.Protocol.QuantizeSteps there is
// none. What Simulate spawns for others comes with the server's word only.
//
// A snapshot that does not tell of an entity proves nothing about it: it stays as
// predicted until one does. One that comes later than newer own state counts from there
// on, because what the client's inputs did up to there is settled.
//
// Co-simulated entities are drawn in the present, so lag compensation has no part in
// hitting them: a player who aims at them sends no systems.Client.Claim. A client's own entity
// that it does not simulate has no prediction for policy.CorrectOnMismatch to agree with,
// so that its state is sent as under LocalSync, and comes back into scope a round trip
// after systems.Client.SetScope says so.
type Mode uint8

const (
	// ModeOwn leaves it to ownership: a client simulates its own entities, and others
	// where the policies say policy.RemotesCoSimulated. The default.
	ModeOwn Mode = iota
	// ModeCoSimulated simulates the entity, whoever owns it, as far as it has components
	// that are ecs.Predicted.
	ModeCoSimulated
	// ModeInterpolated does not simulate the entity, not even where the client owns it: a
	// vehicle on autopilot, say.
	ModeInterpolated
)

// String is the name of the constant.
func (m Mode) String() string {
	names := [...]string{"ModeOwn", "ModeCoSimulated", "ModeInterpolated"}
	if int(m) < len(names) {
		return names[m]
	}
	return "Mode(?)"
}
