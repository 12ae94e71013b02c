package systemstest

import "time"

// clock is what a client takes for the time: that of the crowd, unless it runs fast or slow.
type clock struct {
	since time.Time     // of the crowd
	ahead time.Duration // what it was fast by then; below 0: slow
	drift float64       // seconds a second
}

// gained is by how much it is fast, at a time of the crowd.
func (c *clock) gained(at time.Time) time.Duration {
	return c.ahead + time.Duration(c.drift*float64(at.Sub(c.since)))
}

// reads is what it shows at a time of the crowd.
func (c *clock) reads(at time.Time) time.Time { return at.Add(c.gained(at)) }

// when is the time of the crowd at which it shows a time, or has just passed it.
func (c *clock) when(shown time.Time) time.Time {
	if c.drift == 0 {
		return shown.Add(-c.ahead)
	}
	// What it has gained changes by next to nothing within what it has gained.
	at := shown.Add(-c.gained(shown))
	for range 3 {
		at = shown.Add(-c.gained(at))
	}
	for c.reads(at).Before(shown) {
		at = at.Add(time.Nanosecond)
	}
	return at
}

// SetDrift makes the client's clock run fast from now on, by so many seconds a second, slow
// where it is below 0; those of real machines by up to 0.0001. It panics beyond ±0.1.
func (k *Client) SetDrift(share float64) {
	if !(share >= -0.1 && share <= 0.1) {
		panic("systemstest: SetDrift: a clock is fast or slow by 0.1 at most")
	}
	now := k.crowd.now
	k.clock = clock{since: now, ahead: k.clock.gained(now), drift: share}
}

// Now is the time by the client's own clock.
func (k *Client) Now() time.Time { return k.clock.reads(k.crowd.now) }

// next is when the client has something to do, by the crowd's time.
func (k *Client) next() time.Time { return k.clock.when(k.Next()) }
