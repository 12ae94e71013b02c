package mmsg

import "time"

// clock converts the kernel's time stamps, which are wall clock time, to times comparable with the now of a Poll. An
// arrival is older than now by the difference between its stamp and the wall clock reading of now. If the wall clock is set
// in between, three bounds still hold: a datagram arrives after the last Poll that emptied the socket, not before the
// datagram delivered before it, and not after now.
type clock struct {
	floor time.Time // no later arrival is before this
	now   time.Time // of the Poll
	wall  int64     // the same in nanoseconds since 1970
}

func (c *clock) startPoll(now time.Time) { c.now, c.wall = now, now.UnixNano() }

// arrival converts a stamp. ok is false for a datagram without a stamp; its time is now.
func (c *clock) arrival(nanos int64, ok bool) time.Time {
	at := c.now
	if ok {
		at = c.now.Add(time.Duration(nanos - c.wall))
	}
	if at.Before(c.floor) {
		at = c.floor
	}
	if at.After(c.now) {
		at = c.now
	}
	if at.After(c.floor) {
		c.floor = at
	}
	return at
}

// drained records that every datagram that arrived before now was read.
func (c *clock) drained() {
	if c.now.After(c.floor) {
		c.floor = c.now
	}
}
