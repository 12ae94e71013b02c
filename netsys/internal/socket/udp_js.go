package socket

import (
	"context"
	"errors"
	"net/netip"
)

// Errors as elsewhere.
var (
	ErrClosed = errors.New("closed")
	ErrFull   = errors.New("send buffer is full")
)

// errNone is what opening a socket returns.
var errNone = errors.New("a browser opens no UDP sockets: dial with package websocket")

// UDP is never opened.
type UDP struct {
	Local, Remote netip.AddrPort
}

// Dial returns an error.
func Dial(context.Context, string) (*UDP, error) { return nil, errNone }

// Listen returns an error.
func Listen(string) (*UDP, error) { return nil, errNone }

// InUse is false.
func InUse(error) bool { return false }

// Refused is false.
func Refused(error) bool { return false }

// Read returns an error.
func (*UDP) Read([]byte) (n int, from netip.AddrPort, err error) { return 0, from, ErrClosed }

// Send returns an error.
func (*UDP) Send(netip.AddrPort, []byte) error { return errNone }

// Close does nothing.
func (*UDP) Close() error { return nil }
