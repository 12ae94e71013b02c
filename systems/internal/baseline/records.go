package baseline

import (
	"math/bits"
	"slices"
)

// Records holds the records of one client, for each group that the client was sent or will be sent. Neighbouring groups with
// equal records share one record. A client that receives the whole world at once has one record, in one cache line. Separate
// records of 20 groups would be 15 cache lines to read for each acknowledgement and each send.
//
// A *Group is valid until records are added or removed. It may be shared with other groups: call alone before changing it.
//
// The zero value is empty.
type Records struct {
	all []record // in order of groups
}

// record is the record of one group, or of several neighbouring ones.
type record struct {
	first, count uint32
	Group
}

// end returns the number of the group after those of the record.
func (x *record) end() uint32 { return x.first + x.count }

// continues reports whether x directly follows the record before and equals it, so that one record can replace both.
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

// Of returns the record of a group, and the groups of that record. The group must have a record.
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

// Grow adds records for all groups below the given number. The client will be sent all slots of these groups.
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

// within returns the index of the first record of count groups from first on, and the index after the last one. It splits
// these records from other groups.
func (r *Records) within(first, count uint32) (from, to int) {
	from = r.cut(first)
	return from, r.cut(first + min(count, ^first))
}

// cut returns the index of the first record of g or a later group. If g shares a record with earlier groups, cut splits it.
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

// apart replaces record i by one record for each of its groups, and returns their number.
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

// join merges equal records of neighbouring groups: the records with indexes from from to to-1, and the records directly before
// and after them.
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

// Ages are the preferred ages of baselines, in sends, youngest first. The list is short: clients with different acknowledgements
// then often use the same baseline and share encoded blocks. A client without a baseline of these ages uses any other.
var Ages = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// Choose returns the age of the baseline for slots at a send, and the slots of which the client has that baseline. The
// baseline is not older than send floor, and its age is at most oldest. Age 0 means that the slots need full states. If second is true,
// two reports whether the client has the send before the baseline too, as a second baseline.
//
// Choose prefers the age that serves most slots, then the youngest one. For a second baseline it accepts a somewhat greater age.
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
