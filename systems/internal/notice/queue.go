package notice

import (
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// Rate is the number of notices per second that a client can cause.
	Rate = 10
	// Burst is the maximum number of such notices at once.
	Burst = 16
)

// Queue sends notices to one client, in order.
type Queue struct {
	Channels *channel.Endpoint // of the client's session; nil: there is none

	message []byte         // scratch
	untold  uint64         // notices that were dropped by the limits
	limited allowance.Rate // by ticks
}

// Untold returns the number of notices that were dropped because there were too many.
func (q *Queue) Untold() uint64 { return q.untold }

// AddLimited sends a notice that the client can cause often. Beyond [Rate] it only counts the notice.
func (q *Queue) AddLimited(n *wire.Notice, tickRate int, tick uint32) {
	const each = time.Second / Rate
	now := time.Duration(tick) * time.Second / time.Duration(tickRate)
	if q.limited.Wait(now, each, Burst*each) > 0 || !q.Add(n) {
		q.untold++
		return
	}
	q.limited.Use(now, each)
}

// Add sends a notice. It returns false if too many notices are unacknowledged, or without a session.
func (q *Queue) Add(n *wire.Notice) bool {
	q.message = n.Append(q.message[:0])
	return q.Channels != nil && q.Channels.Send(channel.Control, q.message) == nil
}
