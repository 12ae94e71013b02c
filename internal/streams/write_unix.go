//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package streams

import "golang.org/x/sys/unix"

// Write writes as much as a socket takes; 0 where that is nothing, or the socket has ended, which reading tells. It never
// blocks where the socket does not.
func Write(fd int, b []byte) int {
	for {
		n, err := unix.Write(fd, b)
		if err != unix.EINTR {
			return max(n, 0)
		}
	}
}
