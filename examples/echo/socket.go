package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// updateInterval is how often a quiet endpoint is updated.
const updateInterval = 5 * time.Millisecond

// socket is a UDP socket, read and written by one goroutine.
type socket struct {
	*net.UDPConn
	buffer [netcode.MaxDatagram + 1]byte // room for one more byte, to detect datagrams that are too long
}

func listen(at netip.AddrPort) (*socket, error) {
	var local *net.UDPAddr
	if at.IsValid() {
		local = net.UDPAddrFromAddrPort(at)
		if at.Addr().IsUnspecified() {
			local.IP = nil // IPv4 and IPv6, if the machine has both
		}
	}
	conn, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, err
	}
	return &socket{UDPConn: conn}, nil
}

func (s *socket) send(to netip.AddrPort, datagram []byte) error {
	_, err := s.WriteToUDPAddrPort(datagram, to)
	return err
}

// pump calls update every few milliseconds, and receive for every datagram in between, until ctx ends or done says so.
// An error concerns the socket, not one datagram.
func (s *socket) pump(ctx context.Context, update func(now time.Time), receive func(now time.Time, from netip.AddrPort, b []byte), done func() bool) error {
	for ctx.Err() == nil && !done() {
		now := time.Now()
		update(now)
		if err := s.SetReadDeadline(now.Add(updateInterval)); err != nil {
			return err
		}
		for !done() {
			n, from, err := s.ReadFromUDPAddrPort(s.buffer[:])
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			if err != nil {
				// The error concerns an earlier datagram, or one that is too long for Windows.
				continue
			}
			receive(time.Now(), from, s.buffer[:n])
		}
	}
	return nil
}
