package inflight

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

const (
	// Waiting is how many entries of a [List] may wait to be acknowledged.
	Waiting = 32
	// listRoom is how many bytes a packet of a list has at most, but for one entry that is longer.
	listRoom = 1000
	// leastWait is the least time after which a list is sent again.
	leastWait = 100 * time.Millisecond
)

// List is what the other end is to hear, in order, each entry until a packet that had it is acknowledged. Its packets
// are
//
//	kind u8 | number of the first entry, varint, from 1 | entries
//
// with all that were not acknowledged, from the oldest on, as far as they fit. The zero value is
// ready to use.
type List[T any] struct {
	done    uint32     // number of the last that was acknowledged
	waiting []entry[T] // a ring, of as many as there were at a time
	head, n int        // in waiting
	fresh   bool
	at      time.Time // of the last packet
	packets []listed  // the newest of them, a ring once there are Waiting
	packet  int
}

// entry is one that was not acknowledged, and its bytes.
type entry[T any] struct {
	is    T
	bytes []byte
}

// listed is a packet that went out, with entries up to a number.
type listed struct {
	live bool
	seq  uint16
	last uint32
}

// Waiting is how many entries were not acknowledged yet.
func (l *List[T]) Waiting() int { return l.n }

// Add adds an entry, whose bytes write appends; it reports false where there is no room.
func (l *List[T]) Add(is T, write func(dst []byte) []byte) bool {
	if l.n == Waiting {
		return false
	}
	if l.n == len(l.waiting) {
		grown := make([]entry[T], min(max(2*l.n, 2), Waiting))
		for i := range grown[:l.n] {
			grown[i] = l.waiting[(l.head+i)%l.n]
		}
		l.waiting, l.head = grown, 0
	}
	x := &l.waiting[(l.head+l.n)%len(l.waiting)]
	x.is, x.bytes = is, write(x.bytes[:0])
	l.n++
	l.fresh = true
	return true
}

// Due reports whether there is something to be sent: what never was at once, the rest after wait, when it
// should have been acknowledged.
func (l *List[T]) Due(now time.Time, wait time.Duration) bool {
	return l.n > 0 && (l.fresh || now.Sub(l.at) >= max(wait, leastWait))
}

// Send appends a packet of a kind to dst, which is empty, and sends it. send reports false where the
// packet did not go out.
func (l *List[T]) Send(dst []byte, kind byte, now time.Time, send func([]byte) (seq uint16, ok bool)) []byte {
	dst = codec.AppendUvarint(append(dst, kind), uint64(l.done)+1)
	last := l.done
	for i := range l.n {
		b := l.waiting[(l.head+i)%len(l.waiting)].bytes
		if last > l.done && len(dst)+len(b) > listRoom {
			break
		}
		dst = append(dst, b...)
		last++
	}
	l.fresh, l.at = false, now
	if seq, ok := send(dst); ok {
		if len(l.packets) < Waiting {
			l.packets = append(l.packets, listed{})
		}
		l.packets[l.packet%Waiting] = listed{true, seq, last}
		l.packet++
	}
	return dst
}

// Acked takes in that a packet of the session arrived, which may have had entries. The other end has
// heard of each that is handed to received.
func (l *List[T]) Acked(seq uint16, received func(*T)) {
	for i := range l.packets {
		x := &l.packets[i]
		if !x.live || x.seq != seq {
			continue
		}
		x.live = false
		for l.n > 0 && l.done < x.last {
			received(&l.waiting[l.head].is)
			l.head = (l.head + 1) % len(l.waiting)
			l.n--
			l.done++
			l.fresh = l.fresh || l.n > 0 && l.done == x.last // those that had no room
		}
	}
}
