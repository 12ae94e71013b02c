package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/clock"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// maxUnwatched is the longest time between two polls that counts as the peer's silence. A process that was suspended, such as by a
// debugger or a closed laptop, did not listen.
const maxUnwatched = time.Second

// carrier is the state that all sessions of an endpoint share.
type carrier struct {
	lane     // of the goroutine that polls
	wire     Wire
	to       netip.AddrPort   // if valid, the destination of all datagrams
	schedule *sessionSchedule // of a server

	pollHandler Handler // during Poll, for all methods except Received and Acked

	clock       clock.Clock
	clockFrozen bool          // while workers use the sessions
	frozenAt    time.Duration // by the clock

	// How long the endpoint has listened, not counting time without polls: up to the latest Poll, and up to the one before.
	// polledAt is the time of the latest Poll, by the clock.
	// resumedAt is the time of the latest Poll that followed a time without polls.
	listened       time.Duration
	listenedBefore time.Duration
	polledAt       time.Duration
	resumedAt      time.Duration

	// Limits of every session.
	timeout      time.Duration // longest silence of a peer
	keepAlive    time.Duration
	maxMalformed int

	delivering     *session // the session whose channels are delivering messages
	deliverMessage func(number int, message []byte)
}

func newCarrier(w Wire, room *[netcode.MaxPayload]byte) *carrier {
	c := &carrier{wire: w}
	c.sender, c.buf = &oneSender{Wire: w}, room
	c.deliverMessage = func(number int, message []byte) {
		if s := c.delivering; s.state == connected {
			c.pollHandler.Message(c.now, s, number, message)
		}
	}
	return c
}

// at returns a time by the clock.
func (c *carrier) at(now time.Time) time.Duration {
	if c.clockFrozen {
		return c.frozenAt
	}
	return c.clock.At(now)
}

// send sends a datagram for netcode.
func (c *carrier) send(to netip.AddrPort, datagram []byte) error {
	if c.to.IsValid() {
		to = c.to
	}
	return c.lane.send(to, datagram)
}

// startPoll starts a Poll, at a time by the clock.
func (c *carrier) startPoll(at time.Duration) {
	c.listenedBefore = c.listened
	if at-c.polledAt > maxUnwatched {
		c.resumedAt = at
	}
	c.listened += min(at-c.polledAt, maxUnwatched)
	c.polledAt = at
}
