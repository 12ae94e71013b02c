//go:build !linux

package streams

import "time"

// Set does nothing on this system.
type Set struct{}

// New returns [ErrUnsupported].
func New() (*Set, error) { return nil, ErrUnsupported }

// Add is never called.
func (*Set) Add(int) error { return ErrUnsupported }

// Remove is never called.
func (*Set) Remove(int) {}

// Ready is never called.
func (*Set) Ready(fds []int) ([]int, bool) { return fds, false }

// Begin is never called.
func (*Set) Begin(time.Time) {}

// Read is never called.
func (*Set) Read(int, []byte) (int, time.Time, error) { return 0, time.Time{}, ErrUnsupported }

// Close is never called.
func (*Set) Close() {}

// Keep is never called.
func Keep(int) (int, error) { return -1, ErrUnsupported }
