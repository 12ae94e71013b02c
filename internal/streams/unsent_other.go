//go:build !darwin && !linux

package streams

// LimitUnsent does nothing: this system has no such socket option, and only the send buffer limits the waiting bytes.
func LimitUnsent(int, int) {}
