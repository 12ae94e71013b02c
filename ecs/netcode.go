package ecs

import "github.com/tactusgo/tactus/components"

// Netcode is a world as the netcode and tools see it: the calls that keep a world in step
// with another peer's. Rules of a game need none of them. It is the world itself; see
// [World.Netcode].
type Netcode World

// Netcode is the world for the netcode. It costs nothing.
func (w *World) Netcode() *Netcode { return (*Netcode)(w) }

// SetTick is for the netcode: it says which tick the next Simulate is.
func (n *Netcode) SetTick(t uint32) {
	w := (*World)(n)
	w.clock.tick = t
	w.clock.newest = max(w.clock.newest, t)
}

// SetInputSequence is for the netcode: it says which of an owner's inputs the
// next Simulate consumes. Randomness on owned entities follows it.
func (n *Netcode) SetInputSequence(owner, seq uint32) {
	w := (*World)(n)
	*w.inputs.byOwner.put(owner), w.inputs.newest = seq, seq
}

// ForgetInputs is for the netcode, when a client has left for good: what
// [Netcode.SetInputSequence] said of it holds no more, and its entities draw their
// random numbers by tick.
func (n *Netcode) ForgetInputs(owner uint32) {
	w := (*World)(n)
	w.inputs.byOwner.drop(owner)
	w.inputs.spawned.drop(owner)
}

// SimulateStage is the nested list of the game's systems, which the server's
// tick, Predict and Reconcile's replays all run.
func (n *Netcode) SimulateStage() *Stage {
	w := (*World)(n)
	return w.setup.simulate
}

// BeginReplay is for the netcode, before it restores the state after an input
// and simulates the inputs since: what was spawned by those leaves the scope until
// it is spawned again, what was despawned by them is back. Handles stay alive.
// The input is the sequence of all owners that this client simulates.
func (n *Netcode) BeginReplay(input uint32) { n.predicted.beginReplay(input) }

// EndReplay ends what [Netcode.BeginReplay] began: predicted spawns that were not
// spawned again disappear and their handles die. Those that the server has
// confirmed meanwhile stay.
func (n *Netcode) EndReplay() { n.predicted.endReplay() }

// Confirm is for the netcode: the server has spawned the entity id under a key.
// Where this client predicted it, that entity becomes the server's: under the same
// handle, which is returned, it gets the NetID, and no replay removes it any more.
// It stays out of scope when Simulate ended it since; then [Netcode.Discard] or
// [Netcode.Revive] has the last word.
//
// It reports false, and does nothing, when no such spawn waits for its
// confirmation or the NetID is known already. It panics when id is 0 or a running
// system is spawning the entity.
func (n *Netcode) Confirm(key SpawnKey, id components.NetID) (Entity, bool) {
	return n.predicted.confirm(key, id)
}

// Revive is for the netcode: the server's state after it consumed an input shows
// the entity id. When Simulate ended it here in that input or before, it comes
// back into scope under the same handle, with the values that it had: take over
// the server's. It reports whether that happened.
func (n *Netcode) Revive(id components.NetID, input uint32) bool {
	return n.predicted.revive(id, input)
}

// SettleInput is for the netcode, once for each state of the server that is newer
// than the last: it holds what followed from the owner's inputs up to this one.
// Confirmed spawns up to it are now like any entity. One that no state has
// confirmed for long leaves the scope, and in the end the world: half a second of
// inputs and at least 8 states later, and 4 seconds and at least 64 states. As long
// as its handle lives, [Netcode.Confirm] brings it back under that.
func (n *Netcode) SettleInput(input uint32) { n.predicted.settle(input) }

// RejectSpawns is for the netcode: the server's state after it consumed an input names no
// entity that is unknown here, so what was spawned up to that input and waits for
// its confirmation leaves the scope at once. It can be confirmed all the same, as
// after [Netcode.SettleInput].
func (n *Netcode) RejectSpawns(input uint32) { n.predicted.reject(input) }

// PlacePredicted makes or reshapes, at once, the predicted spawn of a key, with the
// replicated components of mask, as [Netcode.Replica] does for what has a NetID:
// for a world that shows what another predicts. Between [Netcode.BeginReplay] and
// [Netcode.EndReplay] it says which spawns stay. Values start at zero.
func (n *Netcode) PlacePredicted(key SpawnKey, mask uint64) Entity {
	return n.predicted.place(key, mask)
}
