package notice

import (
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// Rate is how often a second a client is told of what it can bring about as often as
	// it likes.
	Rate = 10
	// Burst is how often at once.
	Burst = 16
)

// Queue is what one client is to be told, in order, each until it is acknowledged.
type Queue struct {
	inflight.List[wire.Notice]

	untold  uint64 // notices that were not sent, for want of tokens or room
	spent   int64  // tokens gone, in parts of which a token has TickRate
	refresh uint32 // tick in which spent was counted
}

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
	return q.List.Add(*n, func(b []byte) []byte { return n.Append(b, words, t) })
}

// Sender sends clients what they have not heard.
type Sender struct{ packet []byte }

// Send sends a client its notices: those that it was never sent at once, others when they
// should have been acknowledged. send reports false where the packet did not go out.
func (s *Sender) Send(q *Queue, session netsys.Session, now time.Time, send func([]byte) (seq uint16, ok bool)) {
	if q.Waiting() == 0 {
		return
	}
	if st := session.Stats(); q.Due(now, st.RTT+2*st.Jitter) {
		s.packet = q.List.Send(s.packet[:0], wire.KindNotices, now, send)
	}
}
