package snapshot

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Owner state that does not fit is ranked by entity: waiting entities accumulate priority with each send and lose it when they are
// sent. The difference is divided into candidates, blocks of entities of one group that have accumulated about the same, and the
// candidate that waits most urgently goes first (see fitCandidates).

// band is the largest ratio between the accumulated priorities of the entities of one candidate.
const band = 4

// refreshed is the number of sends after which a group is sent again although it is empty or the client has its current state.
const refreshed = 64

// candidate is a part of the difference that competes for room: a block of entities of source.blocks.
type candidate struct {
	order    uint64  // sort key, smallest first, unique
	priority float32 // accumulated
	block    int32   // index of the block
}

// ranking holds the candidates of one client.
type ranking struct {
	candidates []candidate
	slots      []int // of the entities of a block that is cut
}

// accumulated holds the priorities that entities have accumulated since they were last sent.
type accumulated struct {
	groups []*[64]float32 // by group; nil: nothing
}

// ofSlots returns the priorities of the entities of a group.
func (a *accumulated) ofSlots(g uint32) *[64]float32 {
	for len(a.groups) <= int(g) {
		a.groups = append(a.groups, nil)
	}
	if a.groups[g] == nil {
		a.groups[g] = new([64]float32)
	}
	return a.groups[g]
}

// clearBlock resets the entities of a block.
func (a *accumulated) clearBlock(h *wire.BlockHead) {
	for g := h.First; g < h.First+h.Count; g++ {
		slots := a.ofSlots(g)
		for m := h.Slots; m != 0; m &= m - 1 {
			slots[bits.TrailingZeros64(m)] = 0
		}
	}
}

// rankOwner divides the difference of owner state into candidates.
func (d *draft) rankOwner(src *source) {
	for g := range src.groups {
		slots := d.c.ownerAccumulated.ofSlots(uint32(g))
		for m := src.groups[g].Alive; m != 0; m &= m - 1 {
			slots[bits.TrailingZeros64(m)]++
		}
	}
	d.rankEntities(src, &d.c.ownerAccumulated)
}

// rankEntities makes candidates of entities that have accumulated about the same.
func (d *draft) rankEntities(src *source, acc *accumulated) {
	d.ranking.candidates, src.blocks = d.ranking.candidates[:0], src.blocks[:0]
	for g := range uint32(src.count) {
		if src.group(g).Alive == 0 && src.held.At(g).Whole() {
			d.rankEmptyGroup(src, g, acc)
		} else {
			d.rankEntitiesOf(src, g, acc)
		}
	}
}

// rankEntitiesOf divides the entities of a group into candidates.
func (d *draft) rankEntitiesOf(src *source, g uint32, acc *accumulated) {
	slots, alive := acc.ofSlots(g), src.group(g).Alive
	from := len(src.blocks)
	src.appendBlocks(g)
	for i, to := from, len(src.blocks); i < to; i++ {
		h := src.blocks[i]
		for rest := h.Slots; rest != 0; rest &^= h.Slots {
			h.Slots = rest
			most := d.mostAccumulated(src, &h, slots)
			for m := rest & alive; m != 0; m &= m - 1 {
				if slots[bits.TrailingZeros64(m)]*band < most {
					h.Slots &^= m & -m
				}
			}
			d.addBlock(src, h, most)
		}
	}
}

// rankEmptyGroup makes a group without entities a candidate, unless the client has learned lately that it is empty.
// Neighbouring empty groups are one candidate.
func (d *draft) rankEmptyGroup(src *source, g uint32, acc *accumulated) {
	slots, held := acc.ofSlots(g), src.held.At(g)
	age, _, _ := held.Choose(src.send, src.floor, wire.AllSlots, false, src.oldest)
	if age > 0 && age < refreshed && d.ownerAt(src.send - age)[g].Alive == 0 {
		clear(slots[:])
		return
	}
	slots[0]++ // no entity may have been there to accumulate anything
	most := slices.Max(slots[:])
	if n := len(d.ranking.candidates) - 1; n >= 0 {
		u := &d.ranking.candidates[n]
		h := &src.blocks[u.block]
		if h.Age == 0 && h.Slots == wire.AllSlots && src.group(h.First).Alive == 0 && h.First+h.Count == g {
			h.Count++
			u.priority = max(u.priority, most)
			u.order = entityOrder(u.priority, h)
			return
		}
	}
	d.addBlock(src, wire.BlockHead{Own: true, First: g, Count: 1, Slots: wire.AllSlots}, most)
}

// addBlock adds a block of entities to the candidates.
func (d *draft) addBlock(src *source, h wire.BlockHead, priority float32) {
	d.ranking.candidates = append(d.ranking.candidates, candidate{order: entityOrder(priority, &h), priority: priority, block: int32(len(src.blocks))})
	src.blocks = append(src.blocks, h)
}

// entityOrder returns the order of a block of entities: the highest priority first, then by group and age of the baseline.
func entityOrder(priority float32, h *wire.BlockHead) uint64 {
	return uint64(^math.Float32bits(priority))<<32 | uint64(h.First)<<8 | uint64(h.Age)
}

// mostAccumulated returns the highest priority that an entity of a block has accumulated. An entity that is gone counts until
// the client is known to have learned of it.
func (d *draft) mostAccumulated(src *source, h *wire.BlockHead, slots *[64]float32) (most float32) {
	news := src.group(h.First).Alive
	if h.Age > 0 {
		news |= d.ownerAt(src.send - h.Age)[h.First].Alive
	}
	for m := h.Slots & news; m != 0; m &= m - 1 {
		most = max(most, slots[bits.TrailingZeros64(m)])
	}
	return most
}
