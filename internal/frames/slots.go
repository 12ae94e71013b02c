package frames

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

const allSlots = 1<<delta.GroupSize - 1

// slots assigns entities to the slots of groups. An entity keeps its slot as long as it lives, whatever components it has.
type slots struct {
	places map[components.NetID]place
	groups []group
	full   int // groups before this one have no free slot
	send   uint32
}

// group is the state of one group.
type group struct {
	changes Changes
	alive   uint64
	seen    uint64 // alive slots that the world still has
	ids     [delta.GroupSize]components.NetID
	plans   [delta.GroupSize]*plan
	rows    [delta.GroupSize]rowRef // rows of the seen slots
	lines   [delta.GroupSize][]line // by slot, then by field
	bends   [delta.GroupSize][]bend // by slot, then by set
}

// rowRef is the index of a table and a row.
type rowRef struct{ table, row int32 }

// Changes says since when the slots of a group have their entities, and since when these have their components.
type Changes struct {
	// Newest is the newest send at which an entity came or changed its components; 0: none.
	Newest uint32

	came, changed [delta.GroupSize]uint32
}

// Came returns the slots, among the given ones, whose entity came after a send.
func (c *Changes) Came(slots uint64, after uint32) uint64 { return later(&c.came, slots, after) }

// Changed returns the slots, among the given ones, whose entity changed its components after a send.
func (c *Changes) Changed(slots uint64, after uint32) uint64 { return later(&c.changed, slots, after) }

func later(at *[delta.GroupSize]uint32, slots uint64, after uint32) (some uint64) {
	for s := slots; s != 0; s &= s - 1 {
		if k := bits.TrailingZeros64(s); at[k] > after {
			some |= 1 << k
		}
	}
	return some
}

// startSend starts a send.
func (s *slots) startSend(send uint32) {
	s.send = send
	for i := range s.groups {
		s.groups[i].seen = 0
	}
}

// holds reports whether place p still belongs to the entity of p.
func (s *slots) holds(p place) bool {
	if int(p.group) >= len(s.groups) {
		return false
	}
	g := &s.groups[p.group]
	return g.alive>>p.slot&1 != 0 && g.ids[p.slot] == p.id
}

// markSeen records the row of the entity of p.
func (s *slots) markSeen(p place, table, row int) {
	g := &s.groups[p.group]
	g.seen |= 1 << p.slot
	g.rows[p.slot] = rowRef{int32(table), int32(row)}
}

// assign assigns a new entity to the first free slot.
func (s *slots) assign(id components.NetID) place {
	for s.full < len(s.groups) && s.groups[s.full].alive == allSlots {
		s.full++
	}
	s.groups = reuse.Longer(s.groups, max(s.full+1, len(s.groups)))
	g := &s.groups[s.full]
	slot := bits.TrailingZeros64(^g.alive)
	g.alive |= 1 << slot
	g.ids[slot], g.plans[slot] = id, nil
	g.changes.Newest, g.changes.came[slot] = s.send, s.send
	to := place{id, int32(s.full), int32(slot)}
	s.places[id] = to
	return to
}

// endSend frees the slots of entities that the world no longer has.
func (s *slots) endSend() {
	for i := range s.groups {
		g := &s.groups[i]
		for m := g.alive &^ g.seen; m != 0; m &= m - 1 {
			delete(s.places, g.ids[bits.TrailingZeros64(m)])
			s.full = min(s.full, i)
		}
		g.alive &= g.seen
	}
}
