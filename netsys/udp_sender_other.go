//go:build !unix && !js

package netsys

import (
	"errors"
	"net"
	"net/netip"
)

// udpSender leaves sending to the net package, which may wait a moment when the send buffer is full.
type udpSender struct {
	conn   *net.UDPConn
	dialed bool
}

func (s *udpSender) init(conn *net.UDPConn, dialed, _ bool) error {
	s.conn, s.dialed = conn, dialed
	return nil
}

func (s *udpSender) send(to netip.AddrPort, b []byte) error {
	if s.dialed {
		_, err := s.conn.Write(b)
		return err
	}
	_, err := s.conn.WriteToUDPAddrPort(b, to)
	return err
}

// errSocketFull is never returned: these systems do not report a full send buffer.
var errSocketFull = errors.New("send buffer is full")
