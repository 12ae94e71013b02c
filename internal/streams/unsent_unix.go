//go:build darwin || linux

package streams

import "golang.org/x/sys/unix"

// LimitUnsent bounds the bytes that a TCP socket takes before it has sent what it took earlier, so that little
// grows old in the kernel.
func LimitUnsent(fd, bytes int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
}
