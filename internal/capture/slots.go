package capture

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

const allSlots = 1<<delta.GroupSize - 1

// restSends is the number of sends for which a slot stays empty after its entity is gone. The receivers then know
// that it is empty, and have finished drawing the entity, before another one uses the slot.
const restSends = 8

// slots assigns entities to the slots of groups. All entities of a group have the same components.
type slots struct {
	places map[variantID]place
	groups []group
	byPlan map[*plan]int32 // the first group of a plan; group.next is the next one
	empty  []int32         // groups that were empty at the start of the send, ascending
	taken  int             // number of empty groups that were tried
	moved  []Move          // in the sends whose frames are stored, oldest first
	send   uint32
}

// variantID is an entity with some of its restricted sets.
type variantID struct {
	id         components.NetID
	restricted uint8
}

// group is the state of one group.
type group struct {
	plan  *plan // of its entities, or of the last ones in an empty group
	next  int32 // next group of the plan, -1 for none
	alive uint64
	seen  uint64 // alive slots that the world still has
	idle  uint64 // free slots that must not be reused yet
	ids   [delta.GroupSize]components.NetID
	rows  [delta.GroupSize]rowRef // rows of the seen slots
	moves Moves
	lines []line // by slot, then by field
	bends []bend // by slot, then by set
}

// rowRef is the index of a table and a row.
type rowRef struct{ table, row int32 }

// startSend starts a send.
func (s *slots) startSend(send uint32) {
	s.send, s.empty, s.taken = send, s.empty[:0], 0
	if n := len(s.moved) - len(s.movedSince(max(send, Kept)-Kept)); n > len(s.moved)/2 {
		s.moved = append(s.moved[:0], s.moved[n:]...)
	}
	for i := range s.groups {
		g := &s.groups[i]
		g.seen = 0
		for m := g.idle; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros64(m); send-g.moves.at[k] >= restSends {
				g.idle &^= 1 << k
			}
		}
		if g.alive|g.idle != 0 {
			continue
		}
		s.empty = append(s.empty, int32(i))
	}
}

// holds reports whether place p still belongs to the entity of p.
func (s *slots) holds(p place, of *plan) bool {
	if int(p.group) >= len(s.groups) {
		return false
	}
	g := &s.groups[p.group]
	return g.plan == of && g.alive>>p.slot&1 != 0 && g.ids[p.slot] == p.id
}

// markSeen records the row of the entity of p.
func (s *slots) markSeen(p place, table, row int) {
	g := &s.groups[p.group]
	g.seen |= 1 << p.slot
	g.rows[p.slot] = rowRef{int32(table), int32(row)}
}

// movedSince returns the moves after a send.
func (s *slots) movedSince(after uint32) []Move {
	n, _ := slices.BinarySearchFunc(s.moved, after+1, func(m Move, send uint32) int { return cmp.Compare(m.Send, send) })
	return s.moved[n:]
}

// free removes an entity from its slot because it has moved or is gone.
func (s *slots) free(p place, moved bool) {
	g := &s.groups[p.group]
	if g.moves.recordLeave(int(p.slot), s.send, moved); moved {
		s.moved = append(s.moved, Move{p.id, int(p.group), int(p.slot), int(p.group), int(p.slot), s.send})
	}
	g.alive &^= 1 << p.slot
	g.idle |= 1 << p.slot
	delete(s.places, variantID{p.id, g.plan.restricted})
}

// assign assigns an entity to a slot: in the first group of its plan with a free slot, otherwise in the first empty
// group, otherwise in a new one.
func (s *slots) assign(a arrival, p *plan) place {
	at, ok := s.byPlan[p]
	for ok && s.groups[at].alive|s.groups[at].idle == allSlots {
		at, ok = s.groups[at].next, s.groups[at].next >= 0
	}
	if !ok {
		at = s.found(p)
	}
	g := &s.groups[at]
	slot := bits.TrailingZeros64(^(g.alive | g.idle))
	bit := uint64(1) << slot
	g.alive |= bit
	g.ids[slot] = a.id
	p.resetLines(g, slot)
	g.moves.recordEnter(slot, s.send, a.move > 0)
	if a.move > 0 {
		m := &s.moved[a.move-1]
		m.ToGroup, m.ToSlot = int(at), slot
	}
	to := place{a.id, at, int32(slot)}
	s.places[variantID{a.id, p.restricted}] = to
	return to
}

// found makes a group one of a plan.
func (s *slots) found(p *plan) (at int32) {
	for s.taken < len(s.empty) && s.groups[s.empty[s.taken]].alive != 0 {
		s.taken++
	}
	if s.taken < len(s.empty) {
		at = s.empty[s.taken]
		s.unlist(at)
	} else {
		at = int32(len(s.groups))
		s.groups = reuse.Longer(s.groups, int(at)+1)
	}
	g := &s.groups[at]
	g.plan, g.moves = p, Moves{}
	g.lines = reuse.Longer(g.lines, delta.GroupSize*p.lines)
	g.bends = reuse.Longer(g.bends, delta.GroupSize*len(p.sets))
	before, first := s.before(p, at)
	if before < 0 {
		if g.next = first; first == at {
			g.next = -1
		}
		s.byPlan[p] = at
	} else {
		g.next, s.groups[before].next = s.groups[before].next, at
	}
	return at
}

// before returns the last group of a plan before another one, -1 for none, and the first of the plan, or at if there is none.
// Groups are ordered by number.
func (s *slots) before(p *plan, at int32) (last, first int32) {
	first, ok := s.byPlan[p]
	if !ok {
		return -1, at
	}
	last = -1
	for i := first; i >= 0 && i < at; i = s.groups[i].next {
		last = i
	}
	return last, first
}

// unlist removes a group from the list of its plan.
func (s *slots) unlist(at int32) {
	g := &s.groups[at]
	switch before, _ := s.before(g.plan, at); {
	case before >= 0:
		s.groups[before].next = g.next
	case g.next >= 0:
		s.byPlan[g.plan] = g.next
	default:
		delete(s.byPlan, g.plan)
	}
}

// endSend frees the slots of entities that the world no longer has, or not with these restricted sets.
func (s *slots) endSend(restricted int) {
	for i := range s.groups {
		g := &s.groups[i]
		for m := g.alive &^ g.seen; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			s.free(place{g.ids[k], int32(i), int32(k)}, restricted > 0 && s.sees(g.ids[k], restricted))
		}
	}
}

// sees reports whether the world has an entity.
func (s *slots) sees(id components.NetID, restricted int) bool {
	for v := range 1 << restricted {
		if p, ok := s.places[variantID{id, uint8(v)}]; ok && s.groups[p.group].seen>>p.slot&1 != 0 {
			return true
		}
	}
	return false
}
