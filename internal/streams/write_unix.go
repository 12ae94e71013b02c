//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package streams

import "golang.org/x/sys/unix"

// Write writes as much of b as the socket accepts and returns the number of bytes. It returns 0 if the socket is full or
// has ended; reading reports the end. It does not block if the socket is non-blocking.
func Write(fd int, b []byte) int {
	for {
		n, err := unix.Write(fd, b)
		if err != unix.EINTR {
			return max(n, 0)
		}
	}
}
