//go:build !linux

package apart

import "runtime"

// Separate returns a function that starts other processes, and the number of processors. This system does not say which of
// them a process is to use.
func Separate(int) (on func(start func() error) error, processors int, err error) {
	return func(start func() error) error { return start() }, runtime.NumCPU(), nil
}
