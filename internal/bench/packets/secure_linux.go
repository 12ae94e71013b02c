package main

import (
	"errors"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const protocolID = 0x7061636b657473

// sessionKey is known to everybody who reads this, which is enough between two processes that measure.
func sessionKey() netcode.Key { return netcode.Key{1} }

// secure is [ticking] with a session for each client.
type secure struct {
	wire     netsys.Wire
	sessions *netcode.Server
	count    *counters
	tick     int
	now      time.Time
}

func openSecure[W netsys.Wire](w W, err error) (server, error) {
	if err != nil {
		return nil, err
	}
	s := &secure{wire: w}
	s.sessions, err = netcode.NewServer(netcode.ServerConfig{
		Key:        sessionKey(),
		ProtocolID: protocolID,
		Addresses:  []netip.AddrPort{w.LocalAddr()},
		MaxClients: maxClients,
		// All clients have the same address.
		RequestsPerSecond: 1e6,
	}, func(to netip.AddrPort, b []byte) error { return s.wire.Send(s.now, to, b) })
	return s, err
}

func (s *secure) LocalAddr() netip.AddrPort { return s.wire.LocalAddr() }

func (s *secure) serve(c *counters) {
	s.count = c
	down := make([]byte, downSize)
	deliver := func(d netsys.Datagram) { s.sessions.Receive(d.At, d.From, d.Data, s) }
	flusher, _ := s.wire.(netsys.Flusher)
	for p := startPace(); ; {
		s.now = p.wait()
		s.tick++
		s.wire.Poll(s.now, deliver)
		for peer := range s.sessions.Peers() {
			if s.tick-*peer.Context.(*int) < idleTicks && peer.Send(s.now, down) == nil {
				c.out.Add(1)
			}
		}
		s.sessions.Update(s.now, s)
		if flusher != nil {
			flusher.Flush(s.now)
		}
	}
}

// Connected implements [netcode.ServerHandler].
func (s *secure) Connected(_ time.Time, p *netcode.Peer) { p.Context = new(int) }

// Payload implements [netcode.ServerHandler].
func (s *secure) Payload(_ time.Time, p *netcode.Peer, _ []byte) {
	s.count.in.Add(1)
	*p.Context.(*int) = s.tick
}

// Disconnected implements [netcode.ServerHandler].
func (s *secure) Disconnected(time.Time, *netcode.Peer, error) {}

// securePeer is a client with a session.
type securePeer struct {
	fd       int
	session  *netcode.Client
	server   netip.AddrPort
	up, down []byte
	received int
}

func dialSecure(to netip.AddrPort, n int) ([]peer, error) {
	all, err := dial(n, func(id uint64) (peer, error) {
		token, err := netcode.TokenConfig{
			Key:        sessionKey(),
			ProtocolID: protocolID,
			ClientID:   id,
			Servers:    []netip.AddrPort{to},
			Timeout:    time.Minute, // servers are held while others have their turns
		}.Issue(time.Now())
		if err != nil {
			return nil, err
		}
		p := &securePeer{server: to, up: make([]byte, upSize), down: make([]byte, netcode.MaxDatagram)}
		p.session, err = netcode.NewClient(token, func(_ netip.AddrPort, b []byte) error {
			_, err := unix.Write(p.fd, b)
			return err
		})
		if err == nil {
			p.fd, err = connect(to)
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	for range 200 {
		connected := 0
		for _, p := range all {
			p.exchange()
			if p.(*securePeer).session.State() == netcode.Connected {
				connected++
			}
		}
		if connected == n {
			return all, nil
		}
		time.Sleep(tick)
	}
	closeAll(all)
	return nil, errors.New("not all clients connected within seconds")
}

func (p *securePeer) exchange() (received, sent int) {
	now := time.Now()
	p.received = 0
	for {
		n, err := unix.Read(p.fd, p.down)
		if err != nil {
			break
		}
		p.session.Receive(now, p.server, p.down[:n], p)
	}
	if p.session.Send(now, p.up) == nil {
		sent = 1
	}
	p.session.Update(now, p)
	return p.received, sent
}

func (p *securePeer) close() { _ = unix.Close(p.fd) }

// Connected implements [netcode.ClientHandler].
func (p *securePeer) Connected(time.Time, *netcode.Client) {}

// Payload implements [netcode.ClientHandler].
func (p *securePeer) Payload(time.Time, *netcode.Client, []byte) { p.received++ }

// Disconnected implements [netcode.ClientHandler].
func (p *securePeer) Disconnected(time.Time, *netcode.Client, error) {}
