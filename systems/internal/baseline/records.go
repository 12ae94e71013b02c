package baseline

import (
	"math/bits"
	"slices"
)

// Records are what is known of a client by group: of each group that it was sent or is to be
// sent. Neighbouring groups of which the same is known share one record: a client that is sent the whole world
// at once has one record in one cache line, where one for each of 20 groups would be 15 lines to
// read for each acknowledgement and each send. A *Group is valid until records are added or removed, and may be shared
// with other groups: before changing it, call alone.
//
// The zero value has none.
type Records struct {
	all []record // ascending
}

// record is the record of one group, or of several neighbouring ones.
type record struct {
	first, count uint32
	Group
}

// end returns the number of the group behind those of the record.
func (x *record) end() uint32 { return x.first + x.count }

// continues reports whether the same is known of the groups of x as of the groups immediately before them.
func (x *record) continues(before *record) bool {
	return before.end() == x.first && before.Group == x.Group && x.perSlot == nil
}

// Len returns the number of records.
func (r *Records) Len() int { return len(r.all) }

// Nth returns the i-th record, in order of groups, and its groups: count groups from first on.
func (r *Records) Nth(i int) (first, count uint32, h *Group) {
	x := &r.all[i]
	return x.first, x.count, &x.Group
}

// Of returns the record of a group that has one, and the groups of that record.
func (r *Records) Of(g uint32) (first, count uint32, h *Group) { return r.Nth(r.find(g)) }

// At returns the record of a group, nil if there is none.
func (r *Records) At(g uint32) *Group {
	if i := r.find(g); i < len(r.all) && r.all[i].first <= g {
		return &r.all[i].Group
	}
	return nil
}

// find returns the index of the record of a group, or of the next record.
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

// Grow adds records of all groups up to a number, which the client is sent from the first send on.
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

// alone returns the record of a group that has one, and makes it that of no other group, so that it may be changed.
func (r *Records) alone(g uint32) *Group {
	from, _ := r.within(g, 1)
	return &r.all[from].Group
}

// within returns the indexes of the records of count groups from first on. They are of no other groups.
func (r *Records) within(first, count uint32) (from, to int) {
	from = r.cut(first)
	return from, r.cut(first + min(count, ^first))
}

// cut returns the index of the first record of g or a later group. It divides a record that is of earlier groups too.
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

// apart gives each group of a record its own record, and returns how many there are.
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

// join merges neighbouring records of which the same is known: those between two indexes, and the ones immediately
// before and behind.
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

// Ages are the preferred ages of baselines, in sends, youngest first. They are
// few, so that clients whose acknowledgements came at different
// times need the same bytes. If a client holds none of these, any age is used.
var Ages = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// Choose returns the baseline for slots at a send, no older than floor: its age,
// whether the client holds the send before it too (if second is true), and
// which of the slots it serves. Age 0 means no baseline: full states.
//
// The youngest age that serves most slots wins. A second baseline is worth
// a little more age.
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
	for _, a := range Ages {
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
