package ecs

import "slices"

// Hold leaves out an owner's entities from [Each] and [Chunks] until
// [World.ReleaseHolds]: the server's buffer for this client is filling, and its
// entities take no step. [All] still shows them.
func (w *World) Hold(owner uint32) {
	if !slices.Contains(w.held, owner) {
		w.held = append(w.held, owner)
	}
}

// ReleaseHolds ends all holds.
func (w *World) ReleaseHolds() { w.held = w.held[:0] }

// SimulateOnly runs Simulate for the entities of one owner alone, held or not,
// in addition to the tick's own run. It panics for owner 0, which is the server.
func (w *World) SimulateOnly(owner uint32) {
	if owner == 0 {
		panic("ecs: SimulateOnly needs a client's number; 0 is the server")
	}
	defer func(outer uint32) { w.only = outer }(w.only)
	w.only = owner
	w.simulate.Run(w)
}

// holds reports whether a hold leaves out the entities of owner.
func (w *World) holds(owner uint32) bool {
	return owner != 0 && slices.Contains(w.held, owner)
}

// holdsIn reports whether a table has rows of an owner on hold.
func (w *World) holdsIn(o *owners) bool {
	for _, owner := range w.held {
		if owner != 0 && o.first(owner) > 0 {
			return true
		}
	}
	return false
}
