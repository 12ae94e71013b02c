package snapshot

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 4: the order in which parts of the difference get room, if not all of it fits.
//
// Waiting groups and entities accumulate priority with each send and lose it when they are sent. The difference is divided
// into candidates, and the candidate that waits most urgently goes first (see fitCandidates). Two kinds of units can
// accumulate:
//
//   - By default whole groups accumulate the weight of their class and are visited in rounds that all clients share (see
//     priority_rounds.go), so that blocks serve many clients. Entities of a group accumulate too if the group fits no
//     datagram.
//   - With Config.Priority each entity accumulates what the game returns for it, and a candidate is a block of
//     entities of one group that have accumulated about the same.
//
// Owner state is ranked by entity, each with the same priority.

// leastPriority keeps entities without priority from waiting forever, and firstPriority puts an entity before all others.
const (
	leastPriority = 1.0 / 16
	firstPriority = 1 << 20
)

// band is the largest ratio between the accumulated priorities of the entities of one candidate.
const band = 4

// refreshed is the number of sends after which a group is sent again although it is empty or the client has its current state.
const refreshed = 64

// candidate is a part of the difference that competes for room: a block of entities of source.blocks, or a whole group.
type candidate struct {
	order    uint64  // sort key, smallest first, unique; the turn of a group
	priority float32 // accumulated
	block    int32   // index of the block, wholeGroup for a group
	sent     bool    // at least a part of it was packed
}

const wholeGroup = -1

// ranking holds the candidates of one client.
type ranking struct {
	candidates []candidate
	slots      []int // of the entities of a block that is cut
}

// accumulated holds the priorities that groups and entities have accumulated since they were last sent.
type accumulated struct {
	groups []groupPriority // by the client's numbers of groups
}

// groupPriority is the accumulated priority of a group and of its entities.
type groupPriority struct {
	group float32
	slots *[64]float32 // nil: nothing
}

// grow returns the priorities of at least n groups.
func (a *accumulated) grow(n int) []groupPriority {
	for len(a.groups) < n {
		a.groups = append(a.groups, groupPriority{})
	}
	return a.groups
}

// ofSlots returns the priorities of the entities of a group.
func (a *accumulated) ofSlots(g uint32) *[64]float32 {
	x := &a.grow(int(g) + 1)[g]
	if x.slots == nil {
		x.slots = new([64]float32)
	}
	return x.slots
}

// get returns the priority of an entity, with that of its group.
func (a *accumulated) get(g, slot int) (v float32) {
	if g < len(a.groups) {
		if v = a.groups[g].group; a.groups[g].slots != nil {
			v += a.groups[g].slots[slot]
		}
	}
	return v
}

// clear resets a group and its entities.
func (a *accumulated) clear(g uint32) {
	x := &a.grow(int(g) + 1)[g]
	if x.group = 0; x.slots != nil {
		clear(x.slots[:])
	}
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

// clearSlots resets all entities.
func (a *accumulated) clearSlots() {
	for i := range a.groups {
		if x := &a.groups[i]; x.slots != nil {
			clear(x.slots[:])
		}
	}
}

// gain returns the priority that an entity accumulates per send.
func (c *Config) gain(w *ecs.World, f *capture.Frame, client uint32, g, k int) float32 {
	if c.Priority == nil {
		return 1
	}
	if v := c.Priority(w, f.Entity(g, k), client); v > leastPriority {
		return v // false for NaN
	}
	return leastPriority
}

// rankWorld divides the difference of the world into candidates.
func (d *draft) rankWorld(src *source) {
	if d.sys.config.Priority == nil {
		d.rankGroups(src)
		return
	}
	for g := range uint32(src.count) {
		slots, alive := d.c.accumulated.ofSlots(g), src.groups[g].Alive
		for m := alive | src.held.At(g).EverSent(); m != 0; m &= m - 1 {
			if k := bits.TrailingZeros64(m); m&-m&alive != 0 {
				slots[k] += d.sys.config.gain(d.w, d.f, d.c.sight, int(g), k)
			} else {
				slots[k]++ // the client may not know that the entity is gone
			}
		}
	}
	d.rankEntities(src, &d.c.accumulated)
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

// rankGroups makes each group a candidate. Groups whose current state the client has come last.
func (d *draft) rankGroups(src *source) {
	x, rounds, seen := &d.ranking, &d.sys.shared.rounds, d.sys.config.Interest
	x.candidates = x.candidates[:0]
	waiting := d.c.accumulated.grow(src.count)
	for g := range uint32(src.count) {
		if !d.c.join.has(g) {
			continue
		}
		held, class := src.held.At(g), uint8(0)
		if seen != nil {
			class = d.c.set.Class(seen, int(g), 0)
		}
		weight := 1 / float32(uint32(1)<<class)
		if waiting[g].group += weight; d.isSkipped(src, g) {
			continue
		}
		v := waiting[g].group
		order := rounds.turn(v, weight, class, g, uint32(len(src.groups)))
		if rounds.send == src.send && v < refreshed*weight && held.HeldSince(rounds.changed[g]) {
			order |= unchanged
		}
		x.candidates = append(x.candidates, candidate{order: uint64(order), priority: v, block: wholeGroup})
	}
}

// rankEntities makes candidates of entities that have accumulated about the same.
func (d *draft) rankEntities(src *source, acc *accumulated) {
	d.ranking.candidates, src.blocks = d.ranking.candidates[:0], src.blocks[:0]
	for g := range uint32(src.count) {
		switch {
		case !d.isDue(src, g):
		case src.group(g).Alive == 0 && src.held.At(g).Whole() && src.withheldSlots(g) == 0:
			d.rankEmptyGroup(src, g, acc)
		default:
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
	if age > 0 && age < refreshed && d.stateAt(src, src.send-age)[g].Alive == 0 {
		clear(slots[:])
		return
	}
	if held.EverSent() == 0 {
		slots[0]++ // no entity was ever there to accumulate anything
	}
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
	d.addBlock(src, wire.BlockHead{Own: src.own, First: g, Count: 1, Slots: wire.AllSlots}, most)
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
	if h.Age == 0 {
		news |= src.held.At(h.First).EverSent()
	} else {
		news |= d.stateAt(src, src.send-h.Age)[h.First].Alive
	}
	for m := h.Slots & news; m != 0; m &= m - 1 {
		most = max(most, slots[bits.TrailingZeros64(m)])
	}
	return most
}
