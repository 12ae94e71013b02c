package lagcomp

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Config configures a [Compensator]. The zero value suits a server with the default
// send rate.
type Config struct {
	// MaxRewind is the oldest that a state may be on which a shot is judged, up to
	// 2 s. Default (0): [DefaultMaxRewind]. Players whose view is older get the view of
	// that age, and must lead their targets by the rest; with less, fewer players are
	// hit when they believe to be in cover already.
	MaxRewind time.Duration
	// SendRate is that of the server, in sends a second; it must divide the tick
	// rate. Default (0): for ServerConfig.LagComp the server's; for [New] the largest such
	// number up to 20.
	SendRate int
	// Off makes every view the server's present, as without lag compensation: to
	// see what it is good for.
	Off bool
}

// DefaultMaxRewind is the bound where a configuration says 0. How old a view is when
// its shot is judged is the client's playback delay, the way up and the input buffer
// together, as measured in virtual time at 60 ticks and 20 sends a second:
//
//	round trip, jitter, loss   drawn, mean   older of the two states, 1 in 1,000   at most
//	50 ± 10 ms, 1 %            294 ms        400 ms                                450 ms
//	100 ± 20 ms, 2 %           397 ms        517 ms                                583 ms
//	200 ± 30 ms, 5 %           594 ms        750 ms                                833 ms
//	500 ± 84 ms, 5 %           996 ms        1150 ms                               1233 ms
//
// So it serves players up to the third line whole. 250 ms would serve none of these.
const DefaultMaxRewind = 850 * time.Millisecond

const maxMaxRewind = 2 * time.Second

// MaxLost is how many sends in a row may be missing between the two states that a
// client says it drew between. At 5 % loss more are missing once in three million.
const MaxLost = 4

// ErrConfig is wrapped by every error about a configuration.
var ErrConfig = errors.New("lagcomp: configuration")

// Validate reports what is wrong with c; it never changes it. The errors wrap
// [ErrConfig]. Whether SendRate divides the tick rate is seen by [New].
func (c Config) Validate() error {
	switch {
	case c.MaxRewind < 0 || c.MaxRewind > maxMaxRewind:
		return fmt.Errorf("%w: MaxRewind %v is not between 0 and %v (0: %v)", ErrConfig, c.MaxRewind, maxMaxRewind, DefaultMaxRewind)
	case c.SendRate < 0:
		return fmt.Errorf("%w: SendRate %d is negative (0: up to 20)", ErrConfig, c.SendRate)
	}
	return nil
}

// filled is c with the documented defaults in place of zeros.
func (c Config) filled(tickRate int) Config {
	c.MaxRewind = cmp.Or(c.MaxRewind, DefaultMaxRewind)
	if c.SendRate == 0 {
		for c.SendRate = min(20, tickRate); tickRate%c.SendRate != 0; {
			c.SendRate--
		}
	}
	return c
}
