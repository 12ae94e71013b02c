package inflight

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

const (
	// Waiting is the maximum number of unacknowledged entries of a [List].
	Waiting = 32
	// listRoom is the maximum size of a packet of a list in bytes, unless a single entry is longer.
	listRoom = 1000
	// minResendWait is the minimum time after which a list is sent again.
	minResendWait = 100 * time.Millisecond
)

// List delivers entries to the other end in order, repeating each until a packet with it is acknowledged. Its packets
// are
//
//	kind u8 | number of the first entry, varint, from 1 | entries
//
// with all unacknowledged entries that fit, from the oldest on. The zero value is
// ready to use.
type List struct {
	done    uint32   // number of the last acknowledged entry
	waiting [][]byte // ring of unacknowledged entries
	head, n int      // index and number of entries in waiting
	fresh   bool
	at      time.Time    // time of the last packet
	packets []sentPacket // the newest packets, a ring once there are Waiting
	packet  int
}

// sentPacket is a packet with entries up to last.
type sentPacket struct {
	live bool
	seq  uint16
	last uint32
}

// Waiting returns the number of unacknowledged entries.
func (l *List) Waiting() int { return l.n }

// Add adds an entry. write appends its encoding. Add returns false if there is no room.
func (l *List) Add(write func(dst []byte) []byte) bool {
	if l.n == Waiting {
		return false
	}
	if l.n == len(l.waiting) {
		grown := make([][]byte, min(max(2*l.n, 2), Waiting))
		for i := range grown[:l.n] {
			grown[i] = l.waiting[(l.head+i)%l.n]
		}
		l.waiting, l.head = grown, 0
	}
	x := &l.waiting[(l.head+l.n)%len(l.waiting)]
	*x = write((*x)[:0])
	l.n++
	l.fresh = true
	return true
}

// Due reports whether to send a packet: at once for new entries, or after wait, when an acknowledgement is overdue.
func (l *List) Due(now time.Time, wait time.Duration) bool {
	return l.n > 0 && (l.fresh || now.Sub(l.at) >= max(wait, minResendWait))
}

// Send appends a packet of a kind to dst, which must be empty, and sends it. send returns false if the packet was
// not sent.
func (l *List) Send(dst []byte, kind byte, now time.Time, send func([]byte) (seq uint16, ok bool)) []byte {
	dst = codec.AppendUvarint(append(dst, kind), uint64(l.done)+1)
	last := l.done
	for i := range l.n {
		b := l.waiting[(l.head+i)%len(l.waiting)]
		if last > l.done && len(dst)+len(b) > listRoom {
			break
		}
		dst = append(dst, b...)
		last++
	}
	l.fresh, l.at = false, now
	if seq, ok := send(dst); ok {
		if len(l.packets) < Waiting {
			l.packets = append(l.packets, sentPacket{})
		}
		l.packets[l.packet%Waiting] = sentPacket{true, seq, last}
		l.packet++
	}
	return dst
}

// Acked processes the acknowledgement of a packet of the session.
func (l *List) Acked(seq uint16) {
	for i := range l.packets {
		x := &l.packets[i]
		if !x.live || x.seq != seq {
			continue
		}
		x.live = false
		for l.n > 0 && l.done < x.last {
			l.head = (l.head + 1) % len(l.waiting)
			l.n--
			l.done++
			l.fresh = l.fresh || l.n > 0 && l.done == x.last // entries that had no room
		}
	}
}
