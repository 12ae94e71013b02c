package clock

import "time"

// late is the largest step backwards that counts as a delayed time stamp, for example of a datagram that arrived before the
// current call. A larger step means that the system clock was set.
const late = time.Second

// Clock measures the time since the first call of At. The zero value is ready.
type Clock struct {
	latest  time.Time
	passed  time.Duration
	started bool
}

// At returns how long the clock has run at now. The result never decreases. It stands still while now is up to a second
// before the latest now. If now is further back, the system clock was set: the clock continues from there, and the unknown
// time between the two counts as zero.
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
