package systemstest

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Packet is a datagram on its way to or from a client.
type Packet struct {
	// Client is whose link it is on.
	Client *Client
	// Up says that it goes to the server.
	Up bool
	// At is when it was sent, when it goes up; else when it arrived.
	At time.Time
	// Data is the datagram, valid during the call.
	Data []byte
}

// Lose makes f decide which datagrams are lost, besides those that the links
// lose: those for which it returns true. On the way up it is asked when the
// client sends, on the way down when a datagram that the link did not lose has
// arrived and the client looks. A nil f ends it.
func (c *Crowd) Lose(f func(p Packet) bool) { c.lose = f }

// loses tells of a datagram, and reports whether it is lost.
func (h *hooks) loses(p Packet) bool {
	if h.heard != nil {
		h.heard(p)
	}
	return h.lose != nil && h.lose(p)
}

// tap is a client's wire, on which a crowd may lose what it likes. The network goes by the
// crowd's time, and the client by its own.
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
