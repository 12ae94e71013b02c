//go:build !unix && !js

package socket

import (
	"errors"
	"net"
	"net/netip"
)

// sender leaves sending to the net package, which may wait a moment when the send buffer is full.
type sender struct {
	conn   *net.UDPConn
	dialed bool
}

func (s *sender) init(conn *net.UDPConn, dialed, _ bool) error {
	s.conn, s.dialed = conn, dialed
	return nil
}

func (s *sender) send(to netip.AddrPort, b []byte) error {
	if s.dialed {
		_, err := s.conn.Write(b)
		return err
	}
	_, err := s.conn.WriteToUDPAddrPort(b, to)
	return err
}

// ErrFull is for systems that tell.
var ErrFull = errors.New("send buffer is full")
