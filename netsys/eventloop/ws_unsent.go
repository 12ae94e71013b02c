//go:build darwin || linux

package eventloop

import "golang.org/x/sys/unix"

// limitUnsent bounds the bytes that a TCP socket takes before it has sent what it took earlier, so that little
// grows old in the kernel.
func limitUnsent(fd, bytes int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
}
