//go:build !linux

package batch

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Listener exists only on Linux. On this system Listen always fails.
type Listener struct{ netsys.Wire }

var _ netsys.Flusher = (*Listener)(nil)

// Listen returns an error that wraps [errors.ErrUnsupported]. Use package eventloop on this system.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("batch: Listen %q: %w on %s, only on linux; use eventloop.Listen", addr, errors.ErrUnsupported, runtime.GOOS)
}

// Flush implements [netsys.Flusher].
func (l *Listener) Flush(time.Time) {}

// SendErrors returns 0.
func (l *Listener) SendErrors() uint64 { return 0 }

// Dropped returns 0.
func (l *Listener) Dropped() uint64 { return 0 }

// Stats returns zeros.
func (l *Listener) Stats() Stats { return Stats{} }
