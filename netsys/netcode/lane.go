package netcode

import (
	"net/netip"
	"time"
)

// peersReceive are the packet types that [Peer.Receive] accepts.
const peersReceive kinds = 1<<kindKeepAlive | 1<<kindPayload

// Lane is the state that one goroutine needs to seal and open packets: a send function, buffers and counters. A server has
// one lane; a [Crew] creates more.
type Lane struct {
	out   func(to netip.AddrPort, datagram []byte) error
	room  func() []byte // nil: use scratch
	drops Drops
	scratch
	ended []*Peer // peers that ended but are still in the server's tables
}

// scratch is the buffers for sealing and opening packets.
type scratch struct {
	plain      []byte // decrypted
	body       []byte // to be encrypted
	packet     []byte // encrypted
	parameters parameters
}

func newLane(protocolID uint64, out func(to netip.AddrPort, datagram []byte) error, room func() []byte) *Lane {
	return &Lane{
		out: out, room: room,
		scratch: scratch{make([]byte, 0, MaxDatagram), make([]byte, 0, MaxDatagram), make([]byte, 0, MaxDatagram), newParameters(protocolID)},
	}
}

// seal seals the next packet to be sent.
func (l *Lane) seal(d *direction, kind uint8, sequence uint64, body []byte) []byte {
	dst := l.packet
	if l.room != nil {
		dst = l.room()
	}
	return d.appendPacket(dst[:0], &l.parameters, kind, sequence, body)
}

// Crew lets several goroutines use a server's peers at the same time, each with its own [Lane]. It belongs to the server's
// goroutine.
type Crew struct {
	server *Server
	lanes  []*Lane
}

// NewCrew returns the crew of a server. A server must have only one.
func NewCrew(s *Server) *Crew { return &Crew{server: s} }

// Main returns the lane that the server and its peers use by default. room, unless nil, returns at least [MaxDatagram]
// bytes for the next datagram, so that the packet is sealed directly in the memory of the sender.
func (c *Crew) Main(room func() []byte) *Lane {
	c.server.lane.room = room
	return c.server.lane
}

// Lane returns an additional lane, which sends by calling out. room is as in [Crew.Main].
func (c *Crew) Lane(out func(to netip.AddrPort, datagram []byte) error, room func() []byte) *Lane {
	l := newLane(c.server.config.ProtocolID, out, room)
	c.lanes = append(c.lanes, l)
	return l
}

// Apart lets several goroutines use the server's peers until [Crew.Together]. A goroutine may call [Peer.Receive],
// [Peer.Send] and [Peer.Forget] on a peer after giving it a lane with [Peer.Use]. At any time, only one goroutine may use a
// peer or a lane. Of the rest of the server, only [Crew.Whose] and [Crew.Peer] may be called meanwhile. The server's clock
// stays at now. Together removes the peers that ended from the tables.
func (c *Crew) Apart(now time.Time) {
	c.server.apart = apart{is: true, at: c.server.clock.At(now)}
}

// Together ends the parallel phase that [Crew.Apart] began.
func (c *Crew) Together() {
	s := c.server
	s.apart.is = false
	s.lane.gather(s)
	for _, l := range c.lanes {
		l.gather(s)
		if l.drops == (Drops{}) {
			continue
		}
		for i, n := range l.drops {
			s.lane.drops[i] += n
		}
		l.drops = Drops{}
	}
}

// Whose returns the slot of the peer at an address if the datagram looks like a payload or a keep-alive. It returns −1 if
// [Server.Receive] must process the datagram. It does not touch the peer.
func (c *Crew) Whose(from netip.AddrPort, datagram []byte) (slot int) {
	if c.server.closed || len(datagram) == 0 || !peersReceive.has(datagram[0]&15) {
		return -1
	}
	if slot, ok := c.server.peers.byAddr.get(unmap(from)); ok {
		return int(slot)
	}
	return -1
}

// Peer returns the peer in a slot, or nil.
func (c *Crew) Peer(slot int) *Peer { return c.server.peers.slots[slot] }

// gather removes the ended peers from the server's tables.
func (l *Lane) gather(s *Server) {
	for _, p := range l.ended {
		s.forget(p)
	}
	clear(l.ended)
	l.ended = l.ended[:0]
}

// apart is the state of the parallel phase.
type apart struct {
	is bool
	at time.Duration // the server's clock, which stands still
}

// Use makes a peer send and receive on a lane. nil means the server's own lane.
func (p *Peer) Use(l *Lane) {
	if l == nil {
		l = p.server.lane
	}
	p.lane = l
}

// Receive processes a datagram for which [Crew.Whose] returned this peer's slot, like [Server.Receive]. It returns the
// payload, valid until the next use of the lane, or nil if the packet has no payload or was dropped.
func (p *Peer) Receive(now time.Time, datagram []byte) (payload []byte, drop DropReason) {
	kind, payload, drop := p.receive(now, datagram)
	p.lane.drops.count(drop)
	if kind != kindPayload {
		payload = nil
	}
	return payload, drop
}

func (p *Peer) receive(now time.Time, datagram []byte) (kind uint8, body []byte, drop DropReason) {
	head, drop := parseHeader(datagram, peersReceive)
	switch {
	case drop != DropNone:
	case p.ended:
		drop = DropUnknownSender
	default:
		if body, drop = p.open(now, head, datagram); drop == DropNone {
			p.heard, p.confirmed = p.server.clockTime(now), true
		}
	}
	return head.kind, body, drop
}
