package notice

import (
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// Rate is the number of notices per second that a client can cause.
	Rate = 10
	// Burst is the maximum number of such notices at once.
	Burst = 16
)

// Queue holds the unacknowledged notices of one client, in order.
type Queue struct {
	inflight.List

	untold  uint64         // notices that were dropped by the limits
	limited allowance.Rate // by ticks
}

// Untold returns the number of notices that were dropped because there were too many.
func (q *Queue) Untold() uint64 { return q.untold }

// AddLimited adds a notice that the client can cause often. Beyond [Rate] it only counts the notice.
func (q *Queue) AddLimited(n *wire.Notice, tickRate int, tick uint32) {
	const each = time.Second / Rate
	now := time.Duration(tick) * time.Second / time.Duration(tickRate)
	if q.limited.Wait(now, each, Burst*each) > 0 || !q.Add(n) {
		q.untold++
		return
	}
	q.limited.Use(now, each)
}

// Add adds a notice. It returns false if there is no room.
func (q *Queue) Add(n *wire.Notice) bool { return q.List.Add(n.Append) }

// Sender sends notices to clients.
type Sender struct{ packet []byte }

// Send sends a client its notices: new ones at once, others when their acknowledgement is overdue. send returns
// false if the packet was not sent.
func (s *Sender) Send(q *Queue, session netsys.Session, now time.Time, send func([]byte) (seq uint16, ok bool)) {
	if q.Waiting() == 0 {
		return
	}
	if st := session.Stats(); q.Due(now, st.RTT+2*st.Jitter) {
		s.packet = q.List.Send(s.packet[:0], wire.KindNotices, now, send)
	}
}
