package channel

import "time"

// maxPartial is the largest number of incomplete messages per channel. The sender of a reliable channel starts no more,
// because a round trip covers no more, and a receiver assembles no more. On an unreliable channel it covers the reordering
// by jitter: one message per tick for 250 ms.
const maxPartial = 16

// arriving is an incomplete message at the receiver.
type arriving struct {
	used  bool
	id    uint64
	count int
	left  int   // missing fragments
	size  int   // of the message; 0 until its last fragment arrived
	held  int32 // used blocks
	since uint64
	heard time.Duration // when the latest fragment arrived
	table []int32       // block of each fragment
}

// reset resets a for a message of count fragments.
func (a *arriving) reset(id uint64, count int, serial uint64) {
	if cap(a.table) < count {
		a.table = make([]int32, count)
	}
	*a = arriving{used: true, id: id, count: count, left: count, since: serial, table: a.table[:count]}
	for i := range a.table {
		a.table[i] = none
	}
}

// storeNew stores the new fragments of a record and returns their number.
func (a *arriving) storeNew(s *store, r *record, at time.Duration) (fresh int) {
	b := r.data
	for i := r.first; i < r.first+r.run; i++ {
		n := min(len(b), s.size)
		if a.table[i] == none {
			a.table[i] = s.allocate(b[:n])
			fresh++
			if i == a.count-1 {
				a.size = i*s.size + n
			}
		}
		b = b[n:]
	}
	if fresh > 0 {
		a.left -= fresh
		a.held += int32(fresh)
		a.heard = at
	}
	return fresh
}

// missing returns the number of new fragments in a record.
func (a *arriving) missing(r *record) (n int) {
	for _, block := range a.table[r.first : r.first+r.run] {
		if block == none {
			n++
		}
	}
	return n
}

// finish links the blocks of a complete message and frees a.
func (a *arriving) finish(s *store) (first int32, size int) {
	for i := 1; i < a.count; i++ {
		s.next[a.table[i-1]] = a.table[i]
	}
	a.used = false
	return a.table[0], a.size
}

// abandon frees the blocks of an incomplete message, and a.
func (a *arriving) abandon(s *store) {
	for _, block := range a.table {
		if block != none {
			s.drop(block)
		}
	}
	a.used = false
}

// leaving is a reliable message that is being sent in fragments.
type leaving struct {
	used   bool
	id     uint64
	count  int
	left   int  // unacknowledged fragments
	low    int  // every earlier fragment is acknowledged or in flight
	acked  bits // acknowledged fragments
	flying bits // fragments in flight
}

func (l *leaving) reset(id uint64, count int) {
	n := (count + 63) / 64
	if cap(l.acked) < n {
		l.acked, l.flying = make(bits, n), make(bits, n)
	}
	*l = leaving{used: true, id: id, count: count, left: count, acked: l.acked[:n], flying: l.flying[:n]}
	clear(l.acked)
	clear(l.flying)
}

// next returns a run of at most most fragments to send. n is 0 if no fragment waits.
func (l *leaving) next(most int) (first, n int) {
	for l.low < l.count && !l.waits(l.low) {
		if l.low%64 == 0 && l.acked[l.low/64]|l.flying[l.low/64] == ^uint64(0) {
			l.low += 64
		} else {
			l.low++
		}
	}
	first = l.low
	for first+n < l.count && n < most && l.waits(first+n) {
		n++
	}
	return first, n
}

func (l *leaving) waits(i int) bool { return !l.acked.has(i) && !l.flying.has(i) }
