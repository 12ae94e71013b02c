package lagcomp

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Config configures a [Compensator]. The zero value suits a server with the default send rate.
type Config struct {
	// MaxRewind is the maximum age of a state in a view, up to 2 s. Default (0): [DefaultMaxRewind]. A player with an
	// older view gets a view of this age, and must lead targets by the difference. With a smaller limit, players are
	// hit less often after they reached cover.
	MaxRewind time.Duration
	// SendRate is the usual number of snapshots a second of the server. It must divide the tick rate. The two states of a claim
	// may be at most [MaxLost] lost snapshots apart at this rate. Default (0): Snapshots.SendRate for ServerConfig.LagComp, if
	// set; otherwise the largest valid number up to 20.
	SendRate int
	// Off makes every view the server's present. Use it to compare with lag compensation.
	Off bool
}

// DefaultMaxRewind is the default of Config.MaxRewind. The age of a view when its shot is simulated is the sum of the
// client's playback delay, the latency to the server and the input buffer. Measured in virtual time at 60 ticks a second, with 60 snapshots
// a second and with 20, which a server without time for more sends:
//
//	                           60 snapshots a second                20 snapshots a second
//	round trip, jitter, loss   drawn, mean  older of two states     drawn, mean  older of two states
//	                                        1 in 1,000   at most                 1 in 1,000   at most
//	50 ± 10 ms, 1 %            146 ms       183 ms       183 ms     208 ms       317 ms       367 ms
//	100 ± 20 ms, 2 %           231 ms       267 ms       300 ms     302 ms       433 ms       467 ms
//	200 ± 30 ms, 5 %           390 ms       433 ms       467 ms     497 ms       650 ms       733 ms
//	500 ± 84 ms, 5 %           793 ms       833 ms       867 ms     898 ms       1050 ms      1133 ms
//
// So the default covers all four links at both rates. 750 ms covers the first three.
//
// A modified client can claim to have seen any moment within MaxRewind, drawn or not: it can shoot at where a target was up to
// MaxRewind ago. Set the limit to the slowest link whose players need not lead targets.
const DefaultMaxRewind = 1150 * time.Millisecond

const maxMaxRewind = 2 * time.Second

// MaxLost is the maximum number of missing sends in a row between the two states of a claim. At 5 % loss more are
// missing once in three million.
const MaxLost = 4

// ErrConfig is wrapped by all errors about a configuration.
var ErrConfig = errors.New("lagcomp: configuration")

// Validate returns an error that wraps [ErrConfig] if c is not valid. [New] checks that SendRate divides the tick
// rate.
func (c Config) Validate() error {
	switch {
	case c.MaxRewind < 0 || c.MaxRewind > maxMaxRewind:
		return fmt.Errorf("%w: MaxRewind is %v: set it between 0 and %v (0: %v)", ErrConfig, c.MaxRewind, maxMaxRewind, DefaultMaxRewind)
	case c.SendRate < 0:
		return fmt.Errorf("%w: SendRate is %d: set it to 0 for the default, or to a positive number", ErrConfig, c.SendRate)
	}
	return nil
}

// filled returns c with defaults in place of zeros.
func (c Config) filled(tickRate int) Config {
	c.MaxRewind = cmp.Or(c.MaxRewind, DefaultMaxRewind)
	if c.SendRate == 0 {
		for c.SendRate = min(20, tickRate); tickRate%c.SendRate != 0; {
			c.SendRate--
		}
	}
	return c
}
