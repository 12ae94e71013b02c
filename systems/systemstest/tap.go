package systemstest

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Packet is a datagram to or from a client.
type Packet struct {
	// Client is the client.
	Client *Client
	// Up reports that the datagram goes to the server.
	Up bool
	// At is the time of sending for a datagram that goes up, otherwise the time of arrival.
	At time.Time
	// Data is the datagram, valid during the call.
	Data []byte
}

// Lose makes f decide which datagrams are lost, in addition to the losses of the links: those for which it returns
// true. On the way up it is called when the client sends, on the way down when the client reads a datagram that the
// link did not lose. A nil f ends it.
func (c *Crowd) Lose(f func(p Packet) bool) { c.lose = f }

// loses reports whether a datagram is lost.
func (c *Crowd) loses(p Packet) bool {
	if c.onDatagram != nil {
		c.onDatagram(p)
	}
	return c.lose != nil && c.lose(p)
}

// serverTap is the server's transport. The network uses the crowd's time, the server its own.
type serverTap struct {
	*netsys.Node
	c *Crowd
}

func (t *serverTap) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	t.Node.Poll(t.c.now, func(d netsys.Datagram) {
		d.At = t.c.clock.reads(d.At)
		deliver(d)
	})
}

func (t *serverTap) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	return t.Node.Send(t.c.now, to, b)
}

// tap is a client's transport, on which a crowd can lose datagrams. The network uses the crowd's time, the client
// its own.
type tap struct {
	*netsys.Conditioner
	k *Client
}

var _ netsys.Wire = (*tap)(nil)

func (t *tap) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	c := t.k.crowd
	t.Conditioner.Poll(c.now, func(d netsys.Datagram) {
		if !c.loses(Packet{Client: t.k, At: d.At, Data: d.Data}) {
			d.At = t.k.clock.reads(d.At)
			deliver(d)
		}
	})
}

func (t *tap) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	c := t.k.crowd
	if c.loses(Packet{Client: t.k, Up: true, At: c.now, Data: b}) {
		return nil
	}
	return t.Conditioner.Send(c.now, to, b)
}
