package main

import (
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// pause exceeds the time for which a server is suspended during other servers' turns.
	pause = time.Minute
	// connectTicks is the number of ticks within which clients must connect, besides one tick each: all have the same
	// address, and the rate of requests per address is limited.
	connectTicks = 600
)

// sessionKey is public, which is sufficient for a measurement.
func sessionKey() netcode.Key { return netcode.Key{1} }

// secure is [ticking] with a session per client.
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

// securePeer is a client with a session.
type securePeer struct {
	*netsys.Client
	socket    *apart.Socket
	up        []byte
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
	p := &securePeer{up: make([]byte, upSize)}
	if p.socket, err = apart.Dial(to); err != nil {
		return nil, err
	}
	p.Client, err = netsys.NewClient(p.socket, to, netsys.ClientConfig{Token: token, Timeout: pause, ConnectTimeout: pause})
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

func (p *securePeer) close() { _ = p.socket.Close() }

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
