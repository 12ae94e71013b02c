//go:build !linux

package manysockets

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// raw is a connection that a Web itself reads and writes. It does not exist on this system.
type raw struct{ local netip.AddrPort }

func dialRaw(context.Context, string) (*raw, error) { return nil, errors.ErrUnsupported }
func (*raw) open() bool                             { return false }
func (*raw) close()                                 {}

// fast is the set of raw connections, always empty.
type fast struct{}

func (*fast) open(*Web) error            { return nil }
func (*fast) usable() bool               { return false }
func (*fast) add(*webWire) error         { return errors.ErrUnsupported }
func (*fast) poll(time.Time)             {}
func (*fast) flush()                     {}
func (*fast) send(*webWire, []byte) bool { return false }
func (*fast) end(*webWire)               {}
func (*fast) close()                     {}
