package snapshot

import (
	"math"
	"math/bits"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 4: the order in which parts of the difference get room, if not all of it fits.
//
// Everything that waits accumulates priority with each send and loses it when it is sent. The difference is divided
// into candidates, and the candidate that waits most urgently goes first (see fitCandidates). There is one list of
// candidates and one pass over it; only the unit that accumulates differs:
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

// refreshed is after how many sends a group that the client holds unchanged, or that is empty, is sent again.
const refreshed = 64

// candidate is a part of the difference that competes for room.
type candidate struct {
	order    uint64  // least first; unique
	priority float32 // accumulated
	number   uint32  // of its first group, for the client
	from, to int32   // its blocks in source.blocks
	group    bool    // it is a whole group; otherwise one block of entities
	sent     bool    // at least a part of it got room
}

// ranking is the candidates of one client.
type ranking struct {
	candidates []candidate
	slots      []slotPriority // of a candidate that is cut
	last       float32        // accumulated priority of the last candidate of the world that was sent
}

// slotPriority is a slot and what its entity has accumulated.
type slotPriority struct {
	slot        int
	accumulated float32
}

// accumulated is the priority that groups and entities have accumulated since they were sent last, by the client's numbers of
// groups.
type accumulated struct {
	groups []float32
	slots  []*[64]float32 // nil: nothing
}

// grow returns the priorities of at least n groups.
func (a *accumulated) grow(n int) []float32 {
	for len(a.groups) < n {
		a.groups = append(a.groups, 0)
	}
	return a.groups
}

// ofSlots returns the priorities of the entities of a group.
func (a *accumulated) ofSlots(g int) *[64]float32 {
	for len(a.slots) <= g {
		a.slots = append(a.slots, nil)
	}
	if a.slots[g] == nil {
		a.slots[g] = new([64]float32)
	}
	return a.slots[g]
}

// get returns the priority of an entity, with that of its group.
func (a *accumulated) get(g, slot int) (v float32) {
	if g < len(a.groups) {
		v = a.groups[g]
	}
	if g < len(a.slots) && a.slots[g] != nil {
		v += a.slots[g][slot]
	}
	return v
}

// clear resets a group and its entities.
func (a *accumulated) clear(g int) {
	if g < len(a.groups) {
		a.groups[g] = 0
	}
	if g < len(a.slots) && a.slots[g] != nil {
		clear(a.slots[g][:])
	}
}

// clearSlots resets all entities.
func (a *accumulated) clearSlots() {
	for _, x := range a.slots {
		if x != nil {
			clear(x[:])
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

// rankWorld makes candidates of the difference of the world.
func (d *draft) rankWorld(src *source) {
	if d.sys.config.Priority == nil {
		d.rankGroups(src)
		return
	}
	for i := range src.changes {
		x := &src.changes[i]
		alive, slots := src.groups[x.place].Alive, d.c.accumulated.ofSlots(int(x.number))
		for m := alive | x.held.EverSent(); m != 0; m &= m - 1 {
			if k := bits.TrailingZeros64(m); m&-m&alive != 0 {
				slots[k] += d.sys.config.gain(d.w, d.f, d.c.id, int(x.place), k)
			} else {
				slots[k]++ // the client may not know that the entity is gone
			}
		}
	}
	d.rankEntities(src, &d.c.accumulated)
}

// rankOwner makes candidates of the difference of owner state.
func (d *draft) rankOwner(src *source) {
	for g := range src.groups {
		slots := d.c.ownerAccumulated.ofSlots(g)
		for m := src.groups[g].Alive; m != 0; m &= m - 1 {
			slots[bits.TrailingZeros64(m)]++
		}
	}
	d.rankEntities(src, &d.c.ownerAccumulated)
}

// rankGroups makes each group a candidate. Groups that the client holds as they are come last.
func (d *draft) rankGroups(src *source) {
	x, rounds, seen := &d.ranking, &d.sys.shared.rounds, d.sys.config.Interest
	x.candidates = x.candidates[:0]
	waiting := d.c.accumulated.grow(d.c.groups(d.f))
	for i := range src.changes {
		u := &src.changes[i]
		if u.pending {
			continue
		}
		class := uint8(0)
		if seen != nil {
			class = d.c.sight.Class(seen, u.place)
		}
		weight := 1 / float32(uint32(1)<<class)
		if waiting[u.number] += weight; u.skipped {
			continue
		}
		v := waiting[u.number]
		order := rounds.turn(v, weight, class, u.number, u.place, uint32(len(src.groups)))
		if src.view != nil { // the shared position would reveal something about what the client may not see
			order = newTurn(uint64(min(v, maxRounds)), 0, u.number)
		}
		if rounds.send == src.send && (src.view == nil || u.held.Whole()) && v < refreshed*weight && u.held.HeldSince(rounds.changed[u.place]) {
			order |= unchanged
		}
		x.candidates = append(x.candidates, candidate{order: uint64(order), priority: v, number: u.number, from: int32(u.from), to: int32(u.to), group: true})
	}
}

// rankEntities makes candidates of entities that have accumulated about the same.
func (d *draft) rankEntities(src *source, acc *accumulated) {
	d.ranking.candidates = d.ranking.candidates[:0]
	for i := range src.changes {
		switch x := &src.changes[i]; {
		case x.pending || x.skipped:
		case src.groups[x.place].Alive == 0 && x.held.Whole() && src.withheldSlots(int(x.number)) == 0:
			d.rankEmptyGroup(src, x, acc)
		default:
			d.rankEntitiesOf(src, x.number, x.from, x.to, acc)
		}
	}
}

// rankEntitiesOf makes candidates of the entities of a group, whose blocks are given.
func (d *draft) rankEntitiesOf(src *source, number uint32, from, to int, acc *accumulated) {
	slots, alive := acc.ofSlots(int(number)), src.group(number).Alive
	for i := from; i < to; i++ {
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

// rankEmptyGroup makes a candidate of a group without entities, unless the client has known for a short time that it is
// empty. Neighbouring empty groups are one candidate.
func (d *draft) rankEmptyGroup(src *source, x *change, acc *accumulated) {
	slots := acc.ofSlots(int(x.number))
	age, _, _ := x.held.Choose(src.send, src.floor, wire.AllSlots, false, src.oldest)
	if age > 0 && age < refreshed && d.stateAt(src, src.send-age)[x.place].Alive == 0 {
		clear(slots[:])
		return
	}
	if x.held.EverSent() == 0 {
		slots[0]++ // no entity was ever there to accumulate anything
	}
	most := float32(0)
	for _, v := range slots {
		most = max(most, v)
	}
	if n := len(d.ranking.candidates) - 1; n >= 0 && src.view == nil {
		u := &d.ranking.candidates[n]
		h := &src.blocks[u.from]
		if h.Age == 0 && h.Slots == wire.AllSlots && src.group(h.First).Alive == 0 && h.First+h.Count == x.number {
			h.Count++
			u.priority = max(u.priority, most)
			u.order = entityOrder(u.priority, h)
			return
		}
	}
	d.addBlock(src, wire.BlockHead{Own: src.own, First: x.number, Count: 1, Slots: wire.AllSlots}, most)
}

// addBlock adds a block of entities to the candidates.
func (d *draft) addBlock(src *source, h wire.BlockHead, priority float32) {
	at := int32(len(src.blocks))
	src.blocks = append(src.blocks, h)
	d.ranking.candidates = append(d.ranking.candidates, candidate{order: entityOrder(priority, &h), priority: priority, number: h.First, from: at, to: at + 1})
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
		news |= d.stateAt(src, src.send-h.Age)[src.place(h.First)].Alive
	}
	for m := h.Slots & news; m != 0; m &= m - 1 {
		most = max(most, slots[bits.TrailingZeros64(m)])
	}
	return most
}
