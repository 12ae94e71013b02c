package mmsg

import "time"

// clock turns the kernel's stamps, which are wall clock time, into times like the now of a Poll, which holds a
// reading of the same clock: an arrival is as much older as the difference says. Should the wall clock be set
// in between, bounds that do not depend on it hold still: what arrives did so after the Poll that last found
// the socket empty, after what was delivered before it, and not after now.
type clock struct {
	floor time.Time // no later arrival is before this
	now   time.Time // of the Poll
	wall  int64     // the same in nanoseconds since 1970
}

func (c *clock) begin(now time.Time) { c.now, c.wall = now, now.UnixNano() }

// arrival is the time of a stamp; without one it is now.
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

// drained notes that nothing is left of what arrived before now.
func (c *clock) drained() {
	if c.now.After(c.floor) {
		c.floor = c.now
	}
}
