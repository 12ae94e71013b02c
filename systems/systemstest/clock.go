package systemstest

import "time"

// clock is the clock of a client or of the server, which may run fast or slow and may be set.
type clock struct {
	since time.Time     // time of the crowd
	ahead time.Duration // how far it was ahead then; negative: behind
	drift float64       // seconds per second
}

// gained returns how far the clock is ahead at a time of the crowd.
func (c *clock) gained(at time.Time) time.Duration {
	return c.ahead + time.Duration(c.drift*float64(at.Sub(c.since)))
}

// reads returns what the clock shows at a time of the crowd.
func (c *clock) reads(at time.Time) time.Time { return at.Add(c.gained(at)) }

// when returns the first time of the crowd at which the clock shows at least a time.
func (c *clock) when(shown time.Time) time.Time {
	if c.drift == 0 {
		return shown.Add(-c.ahead)
	}
	// The gain changes very little within a time as short as the gain, so that this converges.
	at := shown.Add(-c.gained(shown))
	for range 3 {
		at = shown.Add(-c.gained(at))
	}
	for c.reads(at).Before(shown) {
		at = at.Add(time.Nanosecond)
	}
	return at
}

// SetDrift makes the client's clock run fast from now on. share is the drift in seconds per second: positive is
// fast, negative is slow. Clocks of real machines drift by up to 0.0001. SetDrift panics if share is not within
// ±0.1.
func (k *Client) SetDrift(share float64) {
	if !(share >= -0.1 && share <= 0.1) {
		panic("systemstest: SetDrift: share is not within -0.1 and 0.1")
	}
	now := k.crowd.now
	k.clock = clock{since: now, ahead: k.clock.gained(now), drift: share}
}

// StepClock sets the client's clock forward by d, or back if d is negative, as an administrator does.
func (k *Client) StepClock(d time.Duration) {
	k.clock.ahead += d
	if k.running() {
		k.tick()
	}
}

// StepClock sets the server's clock forward by d, or back if d is negative, as an administrator does.
func (c *Crowd) StepClock(d time.Duration) {
	c.clock.ahead += d
	c.serve()
}

// Now returns the time of the client's own clock.
func (k *Client) Now() time.Time { return k.clock.reads(k.crowd.now) }

// next returns the crowd's time at which the client has something to do.
func (k *Client) next() time.Time { return k.clock.when(k.Next()) }
