package timeline

// sums tell a replay where the recorded match had another world. They are the low bytes of the numbers of a digest without fields: one
// for the set of entities and their components, and one for each replicated component with values.
type sums struct {
	digest digest // nil components: no sums are kept
	kept   []byte // by tick, as the hashes
}

// KeepSums makes the timeline keep sums of the ticks whose hashes it keeps, from now on. They cost about as much as the hashes.
func (t *Timeline) KeepSums() {
	if s := &t.sums; s.digest.components == nil {
		s.digest = newDigest(t, false)
		s.kept = make([]byte, len(t.hashes)*len(s.digest.sums))
	}
}

// keepSums keeps the sums of the world after a tick, as those with number n.
func (t *Timeline) keepSums(n int, tick int64) {
	s := &t.sums
	if s.digest.components == nil {
		return
	}
	clear(s.digest.sums)
	_ = t.addTables(&s.digest, tick) // the hash of this tick was just made
	kept := s.kept[n*len(s.digest.sums):][:len(s.digest.sums)]
	for i, sum := range s.digest.sums {
		kept[i] = byte(sum)
	}
}

// Sums returns the sums of the world after a final tick: those of peers with equal worlds are equal. It returns false for a tick whose
// sums are not kept. The result is valid until the next tick.
func (t *Timeline) Sums(tick uint32) ([]byte, bool) {
	n := len(t.sums.digest.sums)
	if _, ok := t.Hash(tick); !ok || n == 0 {
		return nil, false
	}
	at := int(int64(tick) % int64(len(t.hashes)))
	return t.sums.kept[at*n:][:n], true
}

// SumName returns where worlds differ whose sums differ in their i-th byte: a component, or "entities".
func (t *Timeline) SumName(i int) string {
	for k, start := range t.sums.digest.starts {
		if c := t.sums.digest.components[k]; c.Words > 0 && start == i {
			return c.Name
		}
	}
	return "entities"
}
