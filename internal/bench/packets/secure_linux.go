package main

import (
	"errors"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// pause is more than a server is held while others have their turns.
	pause = time.Minute
	// connectTicks is how long clients may take to connect, beside a tick for each: all have the same address, and
	// so many requests from one are not served at once.
	connectTicks = 600
)

// sessionKey is known to everybody who reads this, which is enough between two processes that measure.
func sessionKey() netcode.Key { return netcode.Key{1} }

// secure is [ticking] with a session for each client.
type secure struct {
	*netsys.Server
	wire  netsys.Wire
	count *counters
}

func openSecure[W netsys.Wire](w W, err error) (server, error) {
	if err != nil {
		return nil, err
	}
	s, err := netsys.NewServer(w, netsys.ServerConfig{Key: sessionKey(), MaxClients: maxClients, Timeout: pause})
	return &secure{Server: s, wire: w}, err
}

func (s *secure) LocalAddr() netip.AddrPort { return s.wire.LocalAddr() }

func (s *secure) serve(c *counters) {
	s.count = c
	down := make([]byte, downSize)
	for p := startPace(); ; {
		now := p.wait()
		s.Poll(now, s)
		for session := range s.Sessions() {
			if _, err := session.Send(now, down); err == nil {
				c.out.Add(1)
			}
		}
		s.Flush(now)
	}
}

// Received implements [netsys.Handler].
func (s *secure) Received(time.Time, netsys.Session, netsys.Packet) { s.count.in.Add(1) }

// Connected implements [netsys.Handler].
func (s *secure) Connected(time.Time, netsys.Session) {}

// Acked implements [netsys.Handler].
func (s *secure) Acked(netsys.Session, uint16) {}

// Message implements [netsys.Handler].
func (s *secure) Message(time.Time, netsys.Session, int, []byte) {}

// Disconnected implements [netsys.Handler].
func (s *secure) Disconnected(time.Time, netsys.Session, error) {}

// securePeer is a client with a session, and the wire of that.
type securePeer struct {
	*netsys.Client
	fd        int
	server    netip.AddrPort
	up, down  []byte
	connected bool
	received  int
}

func dialSecure(to netip.AddrPort, n int) ([]peer, error) {
	all, err := dial(n, func(id uint64) (peer, error) { return newSecurePeer(to, id) })
	if err != nil {
		return nil, err
	}
	for range connectTicks + n {
		connected := 0
		for _, p := range all {
			p.exchange()
			if p.(*securePeer).connected {
				connected++
			}
		}
		if connected == n {
			return all, nil
		}
		time.Sleep(tick)
	}
	closeAll(all)
	return nil, errors.New("not all clients connected in time")
}

func newSecurePeer(to netip.AddrPort, id uint64) (*securePeer, error) {
	token, err := netcode.TokenConfig{
		Key:      sessionKey(),
		ClientID: id,
		Servers:  []netip.AddrPort{to},
		Timeout:  pause,
	}.Issue(time.Now())
	if err != nil {
		return nil, err
	}
	p := &securePeer{server: to, up: make([]byte, upSize), down: make([]byte, netsys.MaxDatagram)}
	if p.fd, err = connect(to); err != nil {
		return nil, err
	}
	p.Client, err = netsys.NewClient(peerWire{p}, to, netsys.ClientConfig{Token: token, Timeout: pause, ConnectTimeout: pause})
	return p, err
}

func (p *securePeer) exchange() (received, sent int) {
	now := time.Now()
	p.received = 0
	p.Poll(now, p)
	if _, err := p.Session().Send(now, p.up); err == nil {
		sent = 1
	}
	return p.received, sent
}

func (p *securePeer) close() { _ = unix.Close(p.fd) }

// Received implements [netsys.Handler].
func (p *securePeer) Received(time.Time, netsys.Session, netsys.Packet) { p.received++ }

// Connected implements [netsys.Handler].
func (p *securePeer) Connected(time.Time, netsys.Session) { p.connected = true }

// Acked implements [netsys.Handler].
func (p *securePeer) Acked(netsys.Session, uint16) {}

// Message implements [netsys.Handler].
func (p *securePeer) Message(time.Time, netsys.Session, int, []byte) {}

// Disconnected implements [netsys.Handler].
func (p *securePeer) Disconnected(time.Time, netsys.Session, error) {}

// peerWire is the socket of a client.
type peerWire struct{ *securePeer }

// Poll implements [netsys.Wire].
func (w peerWire) Poll(now time.Time, deliver func(netsys.Datagram)) {
	for {
		n, err := unix.Read(w.fd, w.down)
		if err != nil {
			return
		}
		deliver(netsys.Datagram{From: w.server, At: now, Data: w.down[:n]})
	}
}

// Send implements [netsys.Wire].
func (w peerWire) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	_, err := unix.Write(w.fd, b)
	return err
}

// LocalAddr implements [netsys.Wire] with an address that nobody asks for.
func (w peerWire) LocalAddr() netip.AddrPort { return netip.AddrPort{} }

// Close implements [netsys.Wire].
func (w peerWire) Close() error { return unix.Close(w.fd) }
