package ecs

import "slices"

// SkipOwner leaves out an owner's entities from [Each] and [Chunks] until
// [Netcode.SkipNobody]: the server's buffer for this client is filling, and its
// entities take no step. [All] still shows them.
func (n *Netcode) SkipOwner(owner uint32) {
	w := (*World)(n)
	if !slices.Contains(w.owners.skipped, owner) {
		w.owners.skipped = append(w.owners.skipped, owner)
	}
}

// SkipNobody ends what [Netcode.SkipOwner] began, for all owners.
func (n *Netcode) SkipNobody() {
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

// skips reports whether Each leaves out the entities of owner.
func (w *World) skips(owner uint32) bool {
	return owner != 0 && slices.Contains(w.owners.skipped, owner)
}

// skipsIn reports whether a table has rows of an owner that Each leaves out.
func (w *World) skipsIn(o *owners) bool {
	for _, owner := range w.owners.skipped {
		if owner != 0 && o.first(owner) > 0 {
			return true
		}
	}
	return false
}
