//go:build darwin || linux

package streams

import "golang.org/x/sys/unix"

// LimitUnsent limits the unsent bytes that a TCP socket accepts, so that datagrams do not wait in the kernel and become
// outdated.
func LimitUnsent(fd, bytes int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
}
