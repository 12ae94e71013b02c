package host

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// ErrTime is wrapped by the errors about a time: one that goes back, that no clock of today shows, or that is far from the
// machine's. Nothing has happened then; later calls with good times go on.
var ErrTime = errors.New("host: time")

// Clocks of hosts show a time between these: the first is before any release of this package.
var (
	earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2226, 1, 1, 0, 0, 0, 0, time.UTC)
)

// apart is how far the times of a host and those of the machine may differ. Servers refuse tokens of other times in
// silence, as the standard has it.
const apart = 15 * time.Minute

// clock checks the times that a host passes.
type clock struct {
	last time.Time // checked, zero before the first
}

// check says what is wrong with a time; else it is the newest.
func (c *clock) check(now time.Time) error {
	switch {
	case now.Before(earliest) || now.After(latest):
		return fmt.Errorf("%w: %s is not the time of day: pass Unix time, in a page performance.timeOrigin + performance.now(), and set a clock that is wrong", ErrTime, now.UTC().Format(time.RFC3339))
	case now.Before(c.last):
		return fmt.Errorf("%w: %v before the last one: pass times that do not go back, in a page performance.timeOrigin + performance.now()", ErrTime, c.last.Sub(now))
	}
	c.last = now
	return nil
}

// begin checks the first time, against the machine's clock, which may be zero, and the token, which may be nil.
func (c *clock) begin(now, machine time.Time, token *netcode.ConnectToken) error {
	if err := c.check(now); err != nil {
		return err
	}
	if off := now.Sub(machine); !machine.IsZero() && (off > apart || off < -apart) {
		return fmt.Errorf("%w: %v off the machine's clock: pass Unix time, in a page performance.timeOrigin + performance.now()", ErrTime, off)
	}
	if token == nil {
		return nil
	}
	if end := int64(min(token.Expire, uint64(latest.Unix()))); now.Unix() >= end {
		return fmt.Errorf("%w: %v ago, at %s, by the clock of this machine: ask for another one; if it has just been issued, that clock is wrong",
			netcode.ErrTokenExpired, time.Duration(now.Unix()-end)*time.Second, time.Unix(end, 0).UTC().Format(time.RFC3339))
	}
	return nil
}
