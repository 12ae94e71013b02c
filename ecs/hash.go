package ecs

import (
	"iter"
	"unsafe"
)

// Hash is a hash of all networked entities: per entity over NetID and the
// fields (not the padding) of its replicated components, summed, so that
// storage order does not matter. Worlds in the same state hash alike on any
// peer. [World.HashOf] tells which component is to blame when they do not, and
// [World.Trace] after which system.
func (w *World) Hash() uint64 {
	var sum uint64
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			h := mix(mix(uint64(id)) ^ t.Mask)
			for _, c := range w.setup.protocol.replicated {
				if c.Words > 0 && t.Mask&(1<<c.replicated) != 0 {
					h = mix(h ^ c.Schema.Hash64(unsafe.Add(t.Column(c), uintptr(i)*c.size)))
				}
			}
			sum += h
		}
	}
	return sum
}

// HashOf is a hash of one component over all entities that have it and a NetID,
// summed as in [World.Hash]: of its replicated fields, or of all that a local
// component holds. It covers what Hash leaves out: inputs and local components,
// which peers that simulate the same have alike as well. Peers that exchange it for
// each of [Protocol.Components] know which one differs, and of that [World.HashFields]
// tells the field. Handles of entities, other than NetIDs, are alike only on peers that
// have gone the same way from the start.
func (w *World) HashOf(c *Component) uint64 {
	var sum uint64
	for t := range w.Netcode().Tables {
		if !t.t.mask.has(c.index) {
			continue
		}
		for i, id := range t.NetIDs {
			h := mix(uint64(id))
			if c.size > 0 {
				h ^= c.hash64(unsafe.Add(t.Column(c), uintptr(i)*c.size))
			}
			sum += mix(h)
		}
	}
	return sum
}

// HashFields yields, value by value in order of memory, the path of each that the
// component c consists of and a hash of it over the entities that [World.HashOf]
// covers: peers that exchange them know in which field they differ. All differ
// where an entity has c on one peer alone. Replicated values outside the range of
// their field count as its end. It allocates: it is for when HashOf differs.
func (w *World) HashFields(c *Component) iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		sums, words := make([]uint64, len(c.leaves)), make([]uint64, c.size/8+1)
		for t := range w.Netcode().Tables {
			if !t.t.mask.has(c.index) || c.size == 0 {
				continue
			}
			for i, id := range t.NetIDs {
				p := unsafe.Add(t.Column(c), uintptr(i)*c.size)
				if c.Schema != nil {
					// What does not count is zero in a copy by way of the wire.
					clean := unsafe.Pointer(&words[0])
					if _, err := c.Schema.ReadRaw(c.Schema.AppendRaw(nil, p), clean); err == nil {
						p = clean
					}
				}
				for k := range sums {
					sums[k] += mix(mix(uint64(id)) ^ c.leaves[k].bits(p))
				}
			}
		}
		for k, sum := range sums {
			if !yield(c.pathOf(&c.leaves[k]), sum) {
				return
			}
		}
	}
}

// Trace has f called after each system of every Simulate, with the system's name,
// until it is called with nil. Structural changes that the systems asked for are
// carried out later. It is for peers that compare hashes system by system, to find
// the first that makes their worlds differ.
func (w *World) Trace(f func(system string)) { w.check.trace = f }
