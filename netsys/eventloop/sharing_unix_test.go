//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"context"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// listenSharing binds the way gnet does.
func listenSharing(t *testing.T, addr string) (net.PacketConn, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
				t.Error(err)
			}
		})
	}}
	return config.ListenPacket(context.Background(), "udp", addr)
}
