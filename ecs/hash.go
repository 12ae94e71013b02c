package ecs

import "unsafe"

// Hash is a hash of all networked entities: per entity over NetID and the
// fields (not the padding) of its replicated components, summed, so that
// storage order does not matter. Worlds in the same state hash alike on any
// peer.
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
