package baseline

import (
	"math/bits"
	"slices"
)

// Records are what is known of a client by group: of each group that it was told of or is to be
// told of, none of others. Neighbours of which the same is known have one record together: who is told of the
// whole world at once has one, in one cache line, where one for each of 20 groups would be 15 lines to be
// walked for each acknowledgement and each send. A *Group is good until records come or go, and may be that of
// others besides: who changes it asks for a record of its own, see alone.
//
// The zero value has none.
type Records struct {
	all []record // ascending
}

// record is of a group, or of several that follow one another.
type record struct {
	first, count uint32
	Group
}

// end is the number of the group behind those of a record.
func (x *record) end() uint32 { return x.first + x.count }

// continues reports whether the same is known of the groups of x as of those right before them.
func (x *record) continues(before *record) bool {
	return before.end() == x.first && before.Group == x.Group && x.perSlot == nil
}

// Len is how many records there are.
func (r *Records) Len() int { return len(r.all) }

// Nth is a record by its place among them, ascending, and the groups that it is of: so many from the first on.
func (r *Records) Nth(i int) (first, count uint32, h *Group) {
	x := &r.all[i]
	return x.first, x.count, &x.Group
}

// Of is the record of a group that has one, and the groups that it is of.
func (r *Records) Of(g uint32) (first, count uint32, h *Group) { return r.Nth(r.find(g)) }

// At is the record of a group, nil where there is none.
func (r *Records) At(g uint32) *Group {
	if i := r.find(g); i < len(r.all) && r.all[i].first <= g {
		return &r.all[i].Group
	}
	return nil
}

// find is the place of a group's record, or of the next one behind it.
func (r *Records) find(g uint32) int {
	if len(r.all) > 0 && g < r.all[0].end() {
		return 0
	}
	low, high := 0, len(r.all)
	for low < high {
		if mid := int(uint(low+high) / 2); r.all[mid].end() <= g {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// Grow makes records of all groups up to a number, of which the client is told from the first send on.
func (r *Records) Grow(groups int) {
	first := uint32(0)
	if n := len(r.all); n > 0 {
		first = r.all[n-1].end()
	}
	if int(first) < groups {
		r.all = append(r.all, record{first: first, count: uint32(groups) - first})
		r.join(len(r.all)-1, len(r.all))
	}
}

// Tell makes a record of a group of which the client is told from a send on, which holds nothing, where there is
// none.
func (r *Records) Tell(g, send uint32) {
	if i := r.find(g); i == len(r.all) || r.all[i].first > g {
		r.all = slices.Insert(r.all, i, record{first: g, count: 1, Group: Group{since: send}})
	}
}

// alone is the record of a group that has one, and of no other group: it may be changed.
func (r *Records) alone(g uint32) *Group {
	from, _ := r.within(g, 1)
	return &r.all[from].Group
}

// within are the places of the records of the groups from one on, so many. They are of no other groups.
func (r *Records) within(first, count uint32) (from, to int) {
	from = r.cut(first)
	return from, r.cut(first + min(count, ^first))
}

// cut is the place of the first record behind the groups before g, none of which has it too.
func (r *Records) cut(g uint32) int {
	i := r.find(g)
	if i == len(r.all) || r.all[i].first >= g {
		return i
	}
	r.all = slices.Insert(r.all, i+1, r.all[i])
	a, b := &r.all[i], &r.all[i+1]
	a.count = g - a.first
	b.first, b.count = g, b.count-a.count
	return i + 1
}

// apart gives each group of a record one of its own, and returns how many there are.
func (r *Records) apart(i int) (n int) {
	x := r.all[i]
	if x.count == 1 {
		return 1
	}
	r.all = slices.Insert(r.all, i+1, make([]record, x.count-1)...)
	for k := range x.count {
		r.all[i+int(k)] = record{x.first + k, 1, x.Group}
	}
	return int(x.count)
}

// join makes one record of neighbours of which the same is known, of those from a place on up to another, and of
// the ones right before and behind.
func (r *Records) join(from, to int) {
	from, to = max(from, 1), min(to+1, len(r.all))
	kept := from
	for i := from; i < to; i++ {
		if x := &r.all[kept-1]; r.all[i].continues(x) {
			x.count += r.all[i].count
		} else {
			r.all[kept] = r.all[i]
			kept++
		}
	}
	if kept < to {
		r.all = slices.Delete(r.all, kept, to)
	}
}

// take takes away the records of which gone says so.
func (r *Records) take(gone func(*Group) bool) {
	r.all = slices.DeleteFunc(r.all, func(x record) bool { return gone(&x.Group) })
}

// baselineAges are the ages of baselines, in sends, that are used where a client holds them,
// youngest first. They are few, so that clients whose acknowledgements came at different
// times need the same bytes. Where a client holds none of these, any age does.
var baselineAges = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// Choose picks the baseline for slots of a send, no older than floor: its age,
// whether the client holds the send before it too where that is asked for, and
// which of the slots it serves. An age of 0 is none: full states.
//
// The youngest of the ages wins that serves most slots. A second baseline is worth
// a little age, not more.
func (h *Group) Choose(send, floor uint32, slots uint64, second bool, oldest uint32) (age uint32, two bool, serves uint64) {
	best := 0
	try := func(a uint32) bool {
		if a > oldest || a >= send || send-a < floor {
			return false
		}
		m := h.Holds(send-a) & slots
		n := bits.OnesCount64(m)
		if n == 0 || n < best {
			return false
		}
		pair := second && a < oldest && send-a > floor && m&^h.Holds(send-a-1) == 0
		if n == best && (two || !pair || a > 2*age+2) {
			return false
		}
		best, age, two, serves = n, a, pair, m
		return m == slots && (pair || !second)
	}
	for _, a := range baselineAges {
		if try(a) {
			return age, two, serves
		}
	}
	if best > 0 {
		return age, two, serves
	}
	for a := uint32(1); a <= oldest; a++ {
		if try(a) {
			break
		}
	}
	return age, two, serves
}
