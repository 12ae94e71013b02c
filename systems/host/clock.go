package host

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// ErrTime is wrapped by errors about a time argument: earlier than the previous one, outside the years 2026 to 2226, or far
// from the machine's clock. The call has no effect. Later calls with valid times work.
var ErrTime = errors.New("host: time")

// Times outside this range are rejected. The package did not exist before earliest.
var (
	earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2226, 1, 1, 0, 0, 0, 0, time.UTC)
)

// maxClockOffset is the largest accepted difference between the host's first time and the machine's clock. A server drops tokens
// with a wrong time without an answer, as netcode requires.
const maxClockOffset = 15 * time.Minute

// clock checks the times that a host passes.
type clock struct {
	last time.Time // newest valid time; zero before the first
}

// check returns an error if now is invalid. Otherwise it records now as the newest time.
func (c *clock) check(now time.Time) error {
	switch {
	case now.Before(earliest) || now.After(latest):
		return fmt.Errorf("%w: %s is not the time of day: pass Unix time (in a page, performance.timeOrigin + performance.now()) and correct the machine's clock", ErrTime, now.UTC().Format(time.RFC3339))
	case now.Before(c.last):
		return fmt.Errorf("%w: %v before the previous time: pass times that never decrease (in a page, performance.timeOrigin + performance.now())", ErrTime, c.last.Sub(now))
	}
	c.last = now
	return nil
}

// checkFirst checks the first time. It compares now with the machine's clock unless machine is zero, and with the expiry of
// token unless token is nil.
func (c *clock) checkFirst(now, machine time.Time, token *netcode.ConnectToken) error {
	if err := c.check(now); err != nil {
		return err
	}
	if off := now.Sub(machine); !machine.IsZero() && (off > maxClockOffset || off < -maxClockOffset) {
		return fmt.Errorf("%w: %v off the machine's clock: pass Unix time (in a page, performance.timeOrigin + performance.now())", ErrTime, off)
	}
	if token == nil {
		return nil
	}
	if end := int64(min(token.Expire, uint64(latest.Unix()))); now.Unix() >= end {
		return fmt.Errorf("%w: %v ago, at %s, by the clock of this machine: request a new token; if it was just issued, correct this machine's clock",
			netcode.ErrTokenExpired, time.Duration(now.Unix()-end)*time.Second, time.Unix(end, 0).UTC().Format(time.RFC3339))
	}
	return nil
}
