//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package eventloop

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// gather is for systems that read many datagrams in one call.
type gather struct{}

func newGather(time.Duration, bool, *netsys.Inbox, int) *gather { return nil }

func (*gather) bind(int) error { return nil }

func (*gather) end() {}

func (*gather) rest(int, time.Time) {}

func (*gather) poll(int, time.Time, func(netsys.Datagram)) {}
