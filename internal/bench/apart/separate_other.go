//go:build !linux

package apart

import (
	"os/exec"
	"runtime"
)

// endWithParent does nothing, because this system cannot end a process with its parent.
func endWithParent(*exec.Cmd) {}

// Separate returns a function that starts processes, and the number of processors. It cannot bind processes to processors on
// this system.
func Separate(int) (on func(start func() error) error, processors int, err error) {
	return func(start func() error) error { return start() }, runtime.NumCPU(), nil
}
