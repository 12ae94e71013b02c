package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/clock"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// maxUnwatched is how much of the time between two polls counts as the peer's silence. A process that was held, by a
// debugger or a laptop's lid, did not listen meanwhile.
const maxUnwatched = time.Second

// carrier is what all sessions of an endpoint have in common.
type carrier struct {
	lane     // of the goroutine that polls
	wire     Wire
	to       netip.AddrPort   // when valid, everything is sent there
	schedule *sessionSchedule // of a server

	pollHandler Handler // during Poll, for all but Received and Acked

	clock       clock.Clock
	clockFrozen bool          // while workers have the sessions
	frozenAt    time.Duration // by the clock

	// For how long the endpoint has listened, without time in which nobody polled it: up to the latest Poll, and up to the
	// one before. polledAt is the time of the latest Poll, by the clock.
	listened       time.Duration
	listenedBefore time.Duration
	polledAt       time.Duration

	// Limits of every session.
	timeout      time.Duration // of a peer's silence
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
	c.listened += min(at-c.polledAt, maxUnwatched)
	c.polledAt = at
}
