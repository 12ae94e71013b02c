package notice

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// maxWaiting is how many notices may wait for their acknowledgement.
	maxWaiting = 32
	// packetRoom is how many bytes a packet of notices has at most.
	packetRoom = 1000
	// Rate is how often a second a client is told of what it can bring about as often as
	// it likes.
	Rate = 10
	// Burst is how often at once.
	Burst = 16
	// leastWait is the least time after which notices are sent again.
	leastWait = 100 * time.Millisecond
)

// Queue is what one client is to be told, in order, each until it is acknowledged.
type Queue struct {
	done    uint32 // number of the last that was acknowledged
	waiting [maxWaiting]waiting
	head, n int // in waiting
	fresh   bool
	at      time.Time // of the last packet
	packets [maxWaiting]packet
	packet  int

	untold  uint64 // notices that were not sent, for want of tokens or room
	spent   int64  // tokens gone, in parts of which a token has TickRate
	refresh uint32 // tick in which spent was counted
}

// waiting is a notice that was not acknowledged, and its bytes.
type waiting struct {
	wire.Notice
	bytes []byte
}

// packet is one that went out, with notices up to a number.
type packet struct {
	live bool
	seq  uint16
	last uint32
}

// Waiting is how many notices were not acknowledged yet.
func (q *Queue) Waiting() int { return q.n }

// Untold is how many notices the client was not told of, because there were too many.
func (q *Queue) Untold() uint64 { return q.untold }

// Tell adds a notice that the client may bring about often; beyond [Rate] it is only
// counted.
func (q *Queue) Tell(n *wire.Notice, tickRate int, tick uint32) {
	q.spent = max(0, q.spent-int64(tick-q.refresh)*Rate)
	q.refresh = tick
	if q.spent+int64(tickRate) > Burst*int64(tickRate) || !q.Add(n, nil, nil) {
		q.untold++
		return
	}
	q.spent += int64(tickRate)
}

// Add adds a notice, with a value where it has one; it reports false where there is no
// room.
func (q *Queue) Add(n *wire.Notice, words []int32, t *schema.Table) bool {
	if q.n == maxWaiting {
		return false
	}
	x := &q.waiting[(q.head+q.n)%maxWaiting]
	x.Notice = *n
	x.bytes = n.Append(x.bytes[:0], words, t)
	q.n++
	q.fresh = true
	return true
}

// Sender sends clients what they have not heard.
type Sender struct{ packet []byte }

// Send sends a client its notices: those that it was never sent at once, others when they
// should have been acknowledged. send reports false where the packet did not go out.
func (s *Sender) Send(q *Queue, session netsys.Session, now time.Time, send func([]byte) (seq uint16, ok bool)) {
	if q.n == 0 {
		return
	}
	if !q.fresh {
		st := session.Stats()
		if now.Sub(q.at) < max(st.RTT+2*st.Jitter, leastWait) {
			return
		}
	}
	s.packet = codec.AppendUvarint(append(s.packet[:0], wire.KindNotices), uint64(q.done)+1)
	last := q.done
	for i := range q.n {
		b := q.waiting[(q.head+i)%maxWaiting].bytes
		if len(s.packet)+len(b) > packetRoom {
			break
		}
		s.packet = append(s.packet, b...)
		last++
	}
	q.fresh, q.at = false, now
	if seq, ok := send(s.packet); ok {
		q.packets[q.packet%maxWaiting] = packet{true, seq, last}
		q.packet++
	}
}

// Acked takes in that a packet of the session arrived, which may have had notices. The
// client has heard of each that is handed to received.
func (q *Queue) Acked(seq uint16, received func(*wire.Notice)) {
	for i := range q.packets {
		x := &q.packets[i]
		if !x.live || x.seq != seq {
			continue
		}
		x.live = false
		for q.n > 0 && q.done < x.last {
			received(&q.waiting[q.head].Notice)
			q.head = (q.head + 1) % maxWaiting
			q.n--
			q.done++
			q.fresh = q.fresh || q.n > 0 && q.done == x.last // those that had no room
		}
	}
}
