package clock

import "time"

// late is how far before the latest time another may be and be no more than late news, as that of a datagram that
// arrived before the call in which it is looked at.
const late = time.Second

// Clock is how long it has been since it was first asked. The zero value is ready.
type Clock struct {
	latest  time.Time
	passed  time.Duration
	started bool
}

// At returns how long the clock has run at now, never less than before. For a now up to a second before the latest one
// time stands still. One further back means that somebody set the clock: time goes on from there, and what passed
// between the two is not known and counts as nothing.
func (c *Clock) At(now time.Time) time.Duration {
	switch d := now.Sub(c.latest); {
	case !c.started || d < -late:
		c.latest, c.started = now, true
	case d > 0:
		c.latest = now
		c.passed += d
	}
	return c.passed
}
