//go:build !unix

package apart

import (
	"errors"
	"time"
)

var errPause = errors.New("this system does not pause processes")

// Pause keeps the process from running, until Resume.
func (p *Process) Pause() error { return errPause }

// Resume lets the process run again.
func (p *Process) Resume() error { return errPause }

// CPU returns the time of the clock, as this system does not say how much processor time a process has used.
func CPU() (time.Duration, error) { return time.Duration(time.Now().UnixNano()), nil }
