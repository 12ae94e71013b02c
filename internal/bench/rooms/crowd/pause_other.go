//go:build !unix

package crowd

import "errors"

var errPause = errors.New("this system does not pause processes")

// Pause keeps it from running at all, until Resume.
func (p *Process) Pause() error { return errPause }

// Resume ends what Pause began.
func (p *Process) Resume() error { return errPause }
