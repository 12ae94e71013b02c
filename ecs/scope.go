package ecs

import "slices"

// Hold leaves out an owner's entities from [Each] and [Chunks] until
// [Netcode.ReleaseHolds]: the server's buffer for this client is filling, and its
// entities take no step. [All] still shows them.
func (n *Netcode) Hold(owner uint32) {
	w := (*World)(n)
	if !slices.Contains(w.owners.skipped, owner) {
		w.owners.skipped = append(w.owners.skipped, owner)
	}
}

// ReleaseHolds ends all holds.
func (n *Netcode) ReleaseHolds() {
	w := (*World)(n)
	w.owners.skipped = w.owners.skipped[:0]
}

// SimulateOnly runs Simulate for the entities of one owner alone, held or not,
// in addition to the tick's own run. It panics for owner 0, which is the server.
func (n *Netcode) SimulateOnly(owner uint32) {
	w := (*World)(n)
	if owner == 0 {
		panic("ecs: SimulateOnly needs a client's number; 0 is the server")
	}
	defer func(outer uint32) { w.owners.only = outer }(w.owners.only)
	w.owners.only = owner
	w.setup.simulate.Run(w)
}

// holds reports whether a hold leaves out the entities of owner.
func (w *World) holds(owner uint32) bool {
	return owner != 0 && slices.Contains(w.owners.skipped, owner)
}

// holdsIn reports whether a table has rows of an owner on hold.
func (w *World) holdsIn(o *owners) bool {
	for _, owner := range w.owners.skipped {
		if owner != 0 && o.first(owner) > 0 {
			return true
		}
	}
	return false
}
