package ecs

// Shuffle puts the entities of each archetype into another storage order, which
// follows from seed. Values, handles and NetIDs stay, and so must every result
// of the game: a test that shuffles finds systems that depend on the order. It
// panics while a system runs.
func (w *World) Shuffle(seed uint64) {
	if w.deferred.depth > 0 {
		panic("ecs: Shuffle while a system runs; call it between stages")
	}
	w.shuffle(seed)
}

func (w *World) shuffle(seed uint64) {
	r := Rand{key: mix(seed)}
	var order []Entity
	for _, t := range w.storage.tables[:len(w.storage.tables):len(w.storage.tables)] {
		w.refresh(t)
		order = append(order[:0], w.entities(t)...)
		for i := len(order) - 1; i > 0; i-- {
			k := r.IntN(i + 1)
			order[i], order[k] = order[k], order[i]
		}
		// What leaves a table and comes back stands at its end. The way leads
		// through a table that differs by a marker without fields.
		m := t.mask
		m[w.setup.protocol.interpolatedC.index>>6] ^= 1 << (w.setup.protocol.interpolatedC.index & 63)
		for _, e := range order {
			s := w.at(e)
			w.move(s, m)
			w.move(s, t.mask)
		}
	}
}
