//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package eventloop

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// udpReader exists on Linux only. Elsewhere gnet reads every datagram.
type udpReader struct{}

func newUDPReader(time.Duration, *netsys.Inbox, int) *udpReader { return nil }

func (*udpReader) prepare(int) error { return nil }

func (*udpReader) stop() {}

func (*udpReader) suspendLoop(int, time.Time) {}

func (*udpReader) poll(int, time.Time, func(netsys.Datagram)) {}
