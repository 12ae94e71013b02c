//go:build unix

package crowd

import "syscall"

// Pause keeps it from running at all, until Resume.
func (p *Process) Pause() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends what Pause began.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }
