//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package eventloop_test

import (
	"errors"
	"net"
	"testing"
)

// listenSharing has nothing to try here.
func listenSharing(*testing.T, string) (net.PacketConn, error) {
	return nil, errors.ErrUnsupported
}
