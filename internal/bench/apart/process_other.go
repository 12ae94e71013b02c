//go:build !unix

package apart

import (
	"errors"
	"time"
)

var errPause = errors.New("this system does not pause processes")

// Pause suspends the process until Resume.
func (p *Process) Pause() error { return errPause }

// Resume lets the process run again.
func (p *Process) Resume() error { return errPause }

// CPU returns the wall-clock time, because this system does not report the processor time of a process.
func CPU() (time.Duration, error) { return time.Duration(time.Now().UnixNano()), nil }
