package capture

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

const allSlots = 1<<delta.GroupSize - 1

// rest is for how many sends a slot stays empty after its entity is gone. The
// receivers then know it empty, and have drawn the entity to its end, before
// another one stands there.
const rest = 8

// slots says which entity has which slot of which group. A group holds entities
// with the same components, so that its records are alike.
type slots struct {
	places map[components.NetID]place
	groups []group
	send   uint32
}

// group is the standing of one group.
type group struct {
	plan  *plan // of its entities; when it is empty, of those that it had
	alive uint64
	seen  uint64 // those that the world still has
	idle  uint64 // free slots that another entity may not have yet
	ids   [delta.GroupSize]components.NetID
	rows  [delta.GroupSize]rowRef // where the world has those seen
	freed [delta.GroupSize]uint32 // send at which a slot became free
	lines []line                  // by slot, then by field
	bends []bend                  // by slot, then by set
}

// rowRef is a row of a table, by their numbers.
type rowRef struct{ table, row int32 }

// begin starts a send.
func (s *slots) begin(send uint32) {
	s.send = send
	for i := range s.groups {
		g := &s.groups[i]
		g.seen = 0
		for m := g.idle; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros64(m); send-g.freed[k] >= rest {
				g.idle &^= 1 << k
			}
		}
	}
}

// holds reports whether the entity of p has the place p.
func (s *slots) holds(p place, kind *plan) bool {
	if int(p.group) >= len(s.groups) {
		return false
	}
	g := &s.groups[p.group]
	return g.plan == kind && g.alive>>p.slot&1 != 0 && g.ids[p.slot] == p.id
}

// see notes that the entity of p is there, and where.
func (s *slots) see(p place, table, row int) {
	g := &s.groups[p.group]
	g.seen |= 1 << p.slot
	g.rows[p.slot] = rowRef{int32(table), int32(row)}
}

// free takes an entity out of its slot.
func (s *slots) free(p place) {
	g := &s.groups[p.group]
	g.alive &^= 1 << p.slot
	g.idle |= 1 << p.slot
	g.freed[p.slot] = s.send
	delete(s.places, p.id)
}

// give gives an entity a slot: in the first group of its kind that has one, else
// in the first group that nobody is in, else in a new one.
func (s *slots) give(id components.NetID, kind *plan) place {
	at, empty := -1, -1
	for i := range s.groups {
		g := &s.groups[i]
		if g.plan == kind && g.alive|g.idle != allSlots {
			at = i
			break
		}
		if empty < 0 && g.alive|g.idle == 0 {
			empty = i
		}
	}
	if at < 0 {
		if at = empty; at < 0 {
			at = len(s.groups)
			s.groups = reuse.Longer(s.groups, at+1)
		}
		s.groups[at].become(kind)
	}
	g := &s.groups[at]
	slot := bits.TrailingZeros64(^(g.alive | g.idle))
	bit := uint64(1) << slot
	g.alive |= bit
	g.ids[slot] = id
	kind.start(g, slot)
	p := place{id, int32(at), int32(slot)}
	s.places[id] = p
	return p
}

// become makes an empty group one for entities of a kind.
func (g *group) become(kind *plan) {
	g.plan = kind
	g.lines = reuse.Longer(g.lines, delta.GroupSize*kind.lines)
	g.bends = reuse.Longer(g.bends, delta.GroupSize*len(kind.sets))
}

// end frees the slots of entities that the world no longer has.
func (s *slots) end() {
	for i := range s.groups {
		g := &s.groups[i]
		for m := g.alive &^ g.seen; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			s.free(place{g.ids[k], int32(i), int32(k)})
		}
	}
}
