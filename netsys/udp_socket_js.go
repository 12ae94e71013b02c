package netsys

import (
	"context"
	"errors"
	"net/netip"
)

// Errors as elsewhere.
var (
	errSocketClosed = errors.New("closed")
	errSocketFull   = errors.New("send buffer is full")
)

// errNoSockets is the error of opening a socket.
var errNoSockets = errors.New("a browser opens no UDP sockets: dial with package websocket")

// udpSocket is never opened.
type udpSocket struct {
	local, remote netip.AddrPort
}

func dialSocket(context.Context, string) (*udpSocket, error) { return nil, errNoSockets }

func listenSocket(string) (*udpSocket, error) { return nil, errNoSockets }

func isAddrInUse(error) bool { return false }

func isRefused(error) bool { return false }

func (*udpSocket) read([]byte) (n int, from netip.AddrPort, err error) {
	return 0, from, errSocketClosed
}

func (*udpSocket) send(netip.AddrPort, []byte) error { return errNoSockets }

func (*udpSocket) close() error { return nil }
