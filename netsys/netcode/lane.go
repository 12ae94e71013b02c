package netcode

import (
	"net/netip"
	"time"
)

// peersReceive is what [Peer.Receive] takes.
const peersReceive kinds = 1<<kindKeepAlive | 1<<kindPayload

// Lane is what sealing and opening packets takes beside a peer: a way out, room, and counts. A server has one of its own;
// a [Crew] has more.
type Lane struct {
	out   func(to netip.AddrPort, datagram []byte) error
	room  func() []byte // nil: scratch
	drops Drops
	scratch
	ended []*Peer // which the tables of the server still have
}

// scratch is where packets are put together and taken apart.
type scratch struct {
	plain      []byte // what was decrypted
	body       []byte // what is to be encrypted
	packet     []byte // what was encrypted
	parameters parameters
}

func newLane(protocolID uint64, out func(to netip.AddrPort, datagram []byte) error, room func() []byte) *Lane {
	return &Lane{
		out: out, room: room,
		scratch: scratch{make([]byte, 0, MaxDatagram), make([]byte, 0, MaxDatagram), make([]byte, 0, MaxDatagram), newParameters(protocolID)},
	}
}

// seal makes a packet that is sent next.
func (l *Lane) seal(d *direction, kind uint8, sequence uint64, body []byte) []byte {
	dst := l.packet
	if l.room != nil {
		dst = l.room()
	}
	return d.appendPacket(dst[:0], &l.parameters, kind, sequence, body)
}

// Crew lets several goroutines use the peers of a server at the same time, each on a [Lane] of its own. It belongs to the
// goroutine of the server.
type Crew struct {
	server *Server
	lanes  []*Lane
}

// NewCrew returns the crew of a server, which must have no other.
func NewCrew(s *Server) *Crew { return &Crew{server: s} }

// Main returns the lane that the server and its peers use where nobody says otherwise. Its room, where it is not nil,
// returns space of at least [MaxDatagram] bytes for the datagram that is sent next, so that it is sealed where whoever
// sends it wants it.
func (c *Crew) Main(room func() []byte) *Lane {
	c.server.lane.room = room
	return c.server.lane
}

// Lane returns another lane, which sends by calling out, and has room as in [Crew.Main].
func (c *Crew) Lane(out func(to netip.AddrPort, datagram []byte) error, room func() []byte) *Lane {
	l := newLane(c.server.config.ProtocolID, out, room)
	c.lanes = append(c.lanes, l)
	return l
}

// Apart lets several goroutines use the server's peers until [Crew.Together]: each peer one goroutine at a time, on a
// lane that no other goroutine uses meanwhile ([Peer.Use]), by [Peer.Receive], [Peer.Send] and [Peer.Forget]. Nothing
// else of the server may be used meanwhile but [Crew.Whose] and [Crew.Peer]. Time stands at now. A peer that ends then leaves the
// tables with Together.
func (c *Crew) Apart(now time.Time) {
	c.server.apart = apart{is: true, at: c.server.clock.At(now)}
}

// Together ends what [Crew.Apart] began.
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

// Whose is the slot of the peer at an address, when the datagram looks as if it carried a payload or kept the session
// alive; −1 for all that [Server.Receive] has to look at. The peer itself is not touched.
func (c *Crew) Whose(from netip.AddrPort, datagram []byte) (slot int) {
	if c.server.closed || len(datagram) == 0 || !peersReceive.has(datagram[0]&15) {
		return -1
	}
	if slot, ok := c.server.peers.byAddr.get(unmap(from)); ok {
		return int(slot)
	}
	return -1
}

// Peer is the peer in a slot; nil where there is none.
func (c *Crew) Peer(slot int) *Peer { return c.server.peers.slots[slot] }

// gather takes those that ended out of the tables.
func (l *Lane) gather(s *Server) {
	for _, p := range l.ended {
		s.forget(p)
	}
	clear(l.ended)
	l.ended = l.ended[:0]
}

// apart says whether peers are on lanes.
type apart struct {
	is bool
	at time.Duration // time stands still
}

// Use makes a peer send and receive on a lane, nil being the server's own.
func (p *Peer) Use(l *Lane) {
	if l == nil {
		l = p.server.lane
	}
	p.lane = l
}

// Receive takes a datagram that [Crew.Whose] said is that of the peer in this slot, as [Server.Receive] does, and returns the payload,
// which is valid until the lane is used again: nil when there is none, or with the reason why the datagram was dropped.
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
			p.heard, p.confirmed = p.server.at(now), true
		}
	}
	return head.kind, body, drop
}
