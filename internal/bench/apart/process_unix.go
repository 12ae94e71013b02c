//go:build unix

package apart

import (
	"syscall"
	"time"
)

// Pause suspends the process until Resume.
func (p *Process) Pause() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets the process run again.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// CPU returns the processor time of this process, including time in the kernel.
func CPU() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}
