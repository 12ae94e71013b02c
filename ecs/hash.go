package ecs

import "unsafe"

// Hash is a hash of all networked entities: per entity over NetID and the
// fields (not the padding) of its replicated components, summed, so that
// storage order does not matter. Worlds in the same state hash alike on any
// peer. [World.HashOf] tells which component is to blame when they do not, and
// [World.Trace] after which system.
func (w *World) Hash() uint64 {
	var sum uint64
	for t := range w.Tables {
		for i, id := range t.NetIDs {
			h := mix(mix(uint64(id)) ^ t.Mask)
			for _, c := range w.protocol.replicated {
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
// each of [Protocol.Components] know which one differs.
func (w *World) HashOf(c *Component) uint64 {
	var sum uint64
	for t := range w.Tables {
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

// Trace has f called after each system of every Simulate, with the system's name,
// until it is called with nil. Structural changes that the systems asked for are
// carried out later. It is for peers that compare hashes system by system, to find
// the first that makes their worlds differ.
func (w *World) Trace(f func(system string)) { w.trace = f }
