package channel

import "time"

// maxPartial is how many messages of one channel are in pieces at a time: the sender of a reliable channel begins
// no more, so much of which can be under way in one round trip, and a receiver puts no more together. On an
// unreliable channel it is as many as jitter mixes up, one each tick for a quarter of a second.
const maxPartial = 16

// arriving is a message of which some pieces came.
type arriving struct {
	used  bool
	id    uint64
	count int
	left  int   // pieces that are missing
	size  int   // of the message, 0 until its last piece came
	held  int32 // blocks that it takes
	since uint64
	heard time.Duration // when its last piece came
	table []int32       // the block of each piece
}

// begin makes a the place of a message of count pieces.
func (a *arriving) begin(id uint64, count int, serial uint64) {
	if cap(a.table) < count {
		a.table = make([]int32, count)
	}
	*a = arriving{used: true, id: id, count: count, left: count, since: serial, table: a.table[:count]}
	for i := range a.table {
		a.table[i] = none
	}
}

// put takes the pieces of a record that are new, and returns how many these were.
func (a *arriving) put(s *store, r *record, at time.Duration) (fresh int) {
	b := r.data
	for i := r.first; i < r.first+r.run; i++ {
		n := min(len(b), s.size)
		if a.table[i] == none {
			a.table[i] = s.take(b[:n])
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

// missing returns how many pieces of a record are new.
func (a *arriving) missing(r *record) (n int) {
	for _, block := range a.table[r.first : r.first+r.run] {
		if block == none {
			n++
		}
	}
	return n
}

// finish chains the pieces of a complete message and frees its place.
func (a *arriving) finish(s *store) (first int32, size int) {
	for i := 1; i < a.count; i++ {
		s.next[a.table[i-1]] = a.table[i]
	}
	a.used = false
	return a.table[0], a.size
}

// abandon frees what came of a message, and its place.
func (a *arriving) abandon(s *store) {
	for _, block := range a.table {
		if block != none {
			s.drop(block)
		}
	}
	a.used = false
}

// leaving is a message that is being sent in pieces, reliably.
type leaving struct {
	used   bool
	id     uint64
	count  int
	left   int  // pieces that are not acknowledged
	low    int  // no piece before this one can be sent
	acked  bits // pieces that arrived
	flying bits // pieces in a packet whose fate is not known
}

func (l *leaving) begin(id uint64, count int) {
	n := (count + 63) / 64
	if cap(l.acked) < n {
		l.acked, l.flying = make(bits, n), make(bits, n)
	}
	*l = leaving{used: true, id: id, count: count, left: count, acked: l.acked[:n], flying: l.flying[:n]}
	clear(l.acked)
	clear(l.flying)
}

// next returns a run of at most most pieces to send; n is 0 when all are under way.
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
