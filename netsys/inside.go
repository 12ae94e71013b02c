package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/internal/clock"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// farewells is how many close packets go out at once: with half of all packets lost, one of a thousand
	// peers still has to wait for its timeout.
	farewells = 10

	// maxUnwatched is how much of the time between two polls counts as the peer's silence. A process that was
	// held, by a debugger or a laptop's lid, did not listen meanwhile.
	maxUnwatched = time.Second

	// maxUnanswered is how many packets may have come since this end sent the last one: an acknowledgement says no
	// more than 33, and one or the other gets lost.
	maxUnanswered = 16

	// paceInterval and paceBurst keep what the channels of a client send, beside its datagrams, below the 1,000 packets a
	// second that a server takes of a session.
	paceInterval = time.Second / 750
	paceBurst    = 100 * time.Millisecond
)

// tunnel is what a session needs of a [netcode.Peer] or [netcode.Client].
type tunnel interface {
	Send(now time.Time, payload []byte) error
	Disconnect(now time.Time)
	Forget()
}

// carrier is what all sessions of an endpoint have in common.
type carrier struct {
	wire     Wire
	clock    clock.Clock
	to       netip.AddrPort // when valid, everything goes there
	now      time.Time      // of the call that is being served
	handler  Handler        // during Poll
	datagram Datagram       // that is being received
	sent     int            // length of the datagram that was sent last
	buf      [netcode.MaxPayload]byte

	inside  *session // whose channels are delivering
	deliver func(number int, message []byte)
}

func newCarrier(w Wire) *carrier {
	c := &carrier{wire: w}
	c.deliver = func(number int, message []byte) {
		if s := c.inside; s.state == connected {
			c.handler.Message(c.now, s, number, message)
		}
	}
	return c
}

// send is how netcode sends.
func (c *carrier) send(to netip.AddrPort, datagram []byte) error {
	if c.to.IsValid() {
		to = c.to
	}
	c.sent = len(datagram)
	return c.wire.Send(c.now, to, datagram)
}

// session is the [Session] of both endpoints.
type session struct {
	carrier   *carrier
	tunnel    tunnel
	peer      *netcode.Peer // the tunnel of a server's session
	channels  *channel.Endpoint
	remote    netip.AddrPort
	id        uint64
	clientID  uint64
	userData  []byte
	tag       uint64        // of a client's hello
	epoch     time.Duration // by the carrier's clock, the zero of all durations below
	now       time.Duration
	timeout   time.Duration
	keepAlive time.Duration
	malformed uint64 // how many packets are too many

	state      state
	reason     error
	silent     time.Duration // watched since the last valid packet
	watched    time.Duration // the last update
	lastSent   time.Duration
	unanswered int           // packets received since then
	paced      time.Duration // when a client's channels would be done, had they sent evenly
	path       path
	greeting   greeting // on a server

	out     sendHistory
	in      receiveHistory
	lossOut lossWindow
	lossIn  lossWindow
	rtt     roundTrip
	stats   Stats
}

var _ Session = (*session)(nil)

// open begins the life of a session that was welcomed.
func (s *session) open(now time.Time, id uint64) {
	s.id, s.epoch = id, s.carrier.clock.At(now)
	s.in = newReceiveHistory()
}

// end remembers the first reason; the endpoint reports it when it next looks through its sessions.
func (s *session) end(reason error) {
	if s.state >= ended {
		return
	}
	s.state, s.reason = ended, reason
	if s.tunnel != nil {
		s.tunnel.Forget()
	}
}

// at is a time as a duration since the epoch, which never decreases.
func (s *session) at(now time.Time) time.Duration {
	s.now = s.carrier.clock.At(now) - s.epoch
	return s.now
}

// farewell closes.
func (s *session) farewell(now time.Time, reason Reason) {
	for range farewells {
		b := append(s.carrier.buf[:headerSize], byte(reason))
		_, _ = s.send(now, kindClose, false, b)
	}
}

// sendDatagram sends a payload, and with it what of the channels finds room.
func (s *session) sendDatagram(now time.Time, payload []byte) (uint16, error) {
	const front = headerSize + lengthSize
	c := s.carrier
	b := append(c.buf[:front], payload[:min(len(payload), MaxPayload-lengthSize)]...)
	s.channels.Carried(now, s.out.next, len(payload)+cover)
	if room := len(c.buf) - len(b); room > 0 && c.inside != s {
		if with := s.channels.Fill(now, s.out.next, b, room); len(with) > len(b) {
			c.buf[headerSize], c.buf[headerSize+1] = byte(len(payload)), byte(len(payload)>>8)
			return s.send(now, kindBoth, true, with)
		}
	}
	// Without a length the header moves up to the payload, which is the longer of the two.
	if len(b) == front+len(payload) {
		return s.send(now, kindDatagram, true, b[lengthSize:])
	}
	return s.send(now, kindDatagram, true, append(c.buf[:headerSize], payload...))
}

// pump sends what the channels still have, as far as their budget goes, and a packet without content when it is time
// for one.
func (s *session) pump(now time.Time) {
	if s.state != connected {
		return
	}
	at := s.at(now)
	due := at-s.lastSent >= s.keepAlive || s.unanswered >= maxUnanswered
	for first := true; s.peer != nil || s.paced-at < paceBurst; first = false {
		b := s.carrier.buf[:headerSize]
		filled := s.channels.Fill(now, s.out.next, b, len(s.carrier.buf)-headerSize)
		if len(filled) == len(b) && !(first && due) {
			return
		}
		s.channels.Carried(now, s.out.next, cover)
		if _, err := s.send(now, kindChannels, false, filled); err != nil {
			return
		}
		s.paced = max(s.paced, at) + paceInterval
	}
}

// send gives a packet a number and a header and sends it. The packet begins with room for the header.
func (s *session) send(now time.Time, kind uint8, data bool, packet []byte) (uint16, error) {
	seq := s.number(now, kind, data, packet)
	s.lastSent, s.unanswered = s.now, 0
	s.carrier.now = now
	if err := s.tunnel.Send(now, packet); err != nil {
		s.stats.Unsent++
		return seq, err
	}
	s.stats.DatagramsOut++
	s.stats.BytesOut += uint64(s.carrier.sent)
	return seq, nil
}

// number writes the header of the next packet.
func (s *session) number(now time.Time, kind uint8, data bool, packet []byte) uint16 {
	at := s.at(now)
	h := header{kind: kind, seq: s.out.add(at, data, &s.lossOut), delay: nothingHeard}
	if s.in.heard {
		h.ack, h.bits = s.in.newest, s.in.bits
		h.delay = uint16(min(max(at-s.in.newestAt, 0)/delayUnit, maxDelay))
	}
	h.put(packet)
	return h.seq
}

// receive takes one authentic packet of the session.
func (s *session) receive(now time.Time, b []byte) DropReason {
	head, in, drop := parsePacket(b)
	if drop != DropNone {
		return drop
	}
	c := s.carrier
	at := s.at(now)
	arrived := max(at-max(now.Sub(c.datagram.At), 0), 0)
	newest, drop := s.in.accept(head.seq, arrived, &s.lossIn)
	if drop != DropNone {
		return drop // and a replay keeps nobody alive
	}
	s.silent = 0
	s.unanswered++
	s.stats.DatagramsIn++
	s.stats.BytesIn += uint64(len(c.datagram.Data))
	if head.delay != nothingHeard {
		s.acknowledge(now, head, arrived)
	}
	switch head.kind {
	case kindClose:
		s.end(&CloseError{Reason: in.reason, Remote: true})
	case kindChallenge:
		return s.answer(now, in.path)
	case kindAnswer:
		s.path.answered(c.datagram.From, in.path)
	case kindDatagram, kindBoth:
		if s.state == connected {
			s.stats.PayloadIn += uint64(len(in.payload))
			c.handler.Received(now, s, Packet{Seq: head.seq, At: c.datagram.At, Newest: newest, Data: in.payload})
		}
	}
	if len(in.channels) > 0 && s.state == connected {
		c.inside = s
		err := s.channels.Receive(now, in.channels, c.deliver)
		c.inside = nil
		if err != nil {
			return DropChannels
		}
	}
	return DropNone
}

// acknowledge reports what a header acknowledges for the first time, oldest first.
func (s *session) acknowledge(now time.Time, head header, arrived time.Duration) {
	for back := 32; back >= 0; back-- {
		if back > 0 && head.bits&(1<<(back-1)) == 0 {
			continue
		}
		p := s.out.ack(head.ack - uint16(back))
		if p == nil {
			continue
		}
		if back == 0 && head.delay < maxDelay {
			waited := time.Duration(head.delay) * delayUnit
			s.rtt.sample(arrived, max(arrived-p.at-waited, 0))
		}
		s.channels.Acked(now, p.seq)
		if p.data && s.state == connected {
			s.carrier.handler.Acked(s, p.seq)
		}
	}
}

// suspect counts a packet that no honest peer sends, and ends the session when there were too many.
func (s *session) suspect(now time.Time) {
	s.stats.Malformed++
	if s.stats.Malformed > s.malformed {
		s.Close(now, ReasonProtocol)
	}
}

// update does what time alone brings about.
func (s *session) update(now time.Time) {
	if s.state != connected {
		return
	}
	at := s.at(now)
	s.in.update(at, &s.lossIn)
	s.out.update(at, ackSlack+2*s.rtt.smoothed, &s.lossOut)
	s.silent += min(at-s.watched, maxUnwatched)
	s.watched = at
	if s.silent >= s.timeout {
		s.end(ErrTimeout)
	}
}
