package netsys

import (
	"math/bits"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// closePackets is the number of close packets that are sent. Even if half of all packets are lost, only one in a thousand peers
	// receives none and has to wait for its timeout.
	closePackets = 10

	// maxIdle is the longest time until a session of a server is due again.
	maxIdle = 100 * time.Millisecond

	// ackSlack is the time after the expected acknowledgement when a sent packet counts as lost.
	ackSlack = time.Second

	// maxUnanswered is the number of received packets after which this end sends a packet. An acknowledgement covers only 33
	// packets, and some acknowledgements get lost.
	maxUnanswered = 16

	// paceInterval and paceBurst limit the channel packets of a client, so that they and its datagrams stay below the 1,000
	// packets per second that a server accepts from a session.
	paceInterval = time.Second / 750
	paceBurst    = 100 * time.Millisecond
)

// tunnel is the part of [netcode.Peer] and [netcode.Client] that a session uses.
type tunnel interface {
	Send(now time.Time, payload []byte) error
	Disconnect(now time.Time)
	Forget()
}

// session is the [Session] of both endpoints.
//
// With a thousand sessions, none is in the processor's caches when its next packet arrives. The fields that every packet needs are
// therefore adjacent, in six cache lines, and the other fields are in details. Package runtime aligns a struct with pointers and at
// most 512 bytes to a cache line. See prefetchSession.
type session struct {
	// The session sends and receives with these.
	carrier  *carrier
	lane     *lane // the lane that processes the session
	tunnel   tunnel
	peer     *netcode.Peer // the tunnel of a server's session, nil on a client
	channels *channel.Endpoint

	// begun is when the session started, by the carrier's clock. age is its age when it was last used. All other durations in a
	// session and its histories, except lastHeard, are ages of the session.
	begun time.Duration
	age   time.Duration

	lastHeard  time.Duration // the carrier's listenedBefore when the latest valid packet arrived
	lastSent   time.Duration
	paced      time.Duration // when a client's channel packets so far would all have been sent at an even pace
	unanswered int           // packets received since the last one was sent

	id    uint64
	place int32 // index in the server's schedule; below 0: not in it
	state state

	acked acknowledgedPackets
	in    receivedPackets

	// See Stats.
	datagramsIn, bytesIn, payloadIn    uint64
	datagramsOut, bytesOut, payloadOut uint64
	unsent                             uint64

	out     sentPackets
	details *sessionDetails
}

// sessionDetails is the part of a session that few packets need.
type sessionDetails struct {
	rtt     roundTrip
	gaps    sequenceGaps
	lossOut recentLoss

	moves     uint64
	malformed uint64

	// On a server.
	path     path
	greeting greeting

	// The other end.
	remote    netip.AddrPort
	clientID  uint64
	userData  []byte
	tag       uint64 // from the client's hello
	login     []byte // result of ServerConfig.Login for the login in the client's hello
	spectator bool

	reason error // why the session ended
}

var _ Session = (*session)(nil)

// newSession returns a session in the state connecting.
func newSession(c *carrier) *session {
	d := &sessionDetails{}
	return &session{carrier: c, lane: &c.lane, place: -1, in: newReceivedPackets(&d.gaps), out: newSentPackets(&d.lossOut), details: d}
}

func (s *session) ID() uint64                  { return s.id }
func (s *session) ClientID() uint64            { return s.details.clientID }
func (s *session) Spectator() bool             { return s.details.spectator }
func (s *session) UserData() []byte            { return s.details.userData }
func (s *session) RemoteAddr() netip.AddrPort  { return s.details.remote }
func (s *session) Next() uint16                { return s.out.next }
func (s *session) Channels() *channel.Endpoint { return s.channels }

func (s *session) Stats() Stats {
	d := s.details
	return Stats{
		RTT:          d.rtt.smoothed,
		MinRTT:       d.rtt.recent.least(s.age),
		Jitter:       d.rtt.deviation,
		LossIn:       d.gaps.loss.fraction(s.age),
		LossOut:      d.lossOut.fraction(s.age),
		DatagramsIn:  s.datagramsIn,
		DatagramsOut: s.datagramsOut,
		BytesIn:      s.bytesIn,
		BytesOut:     s.bytesOut,
		PayloadIn:    s.payloadIn,
		PayloadOut:   s.payloadOut,
		Unsent:       s.unsent,
		Silence:      s.silence(),
		Moves:        d.moves,
		Malformed:    d.malformed,
	}
}

func (s *session) Send(now time.Time, payload []byte) (uint16, error) {
	switch {
	case s.state == connecting || s.state == welcomed:
		return 0, ErrNotConnected
	case s.state != connected:
		return 0, ErrClosed
	case len(payload) > MaxPayload:
		return 0, ErrTooLarge
	}
	seq, err := s.sendDatagram(now, payload)
	if err == nil {
		s.payloadOut += uint64(len(payload))
	}
	return seq, err
}

func (s *session) Close(now time.Time, reason Reason) {
	switch s.state {
	case connected:
		s.sendClose(now, reason)
	case connecting, welcomed:
		s.lane.now = now
		if s.tunnel != nil {
			s.tunnel.Disconnect(now)
		}
	}
	s.end(&CloseError{Reason: reason})
}

// start starts the clock of a session when it is welcomed.
func (s *session) start(now time.Time, id uint64) {
	s.id, s.begun, s.lastHeard = id, s.carrier.clock.At(now), s.carrier.listened
}

// end ends the session. Only the first reason counts. The endpoint reports it in the current or next Poll.
func (s *session) end(reason error) {
	if s.state >= ended {
		return
	}
	s.state, s.details.reason = ended, reason
	s.lane.ended = true
	if s.tunnel != nil {
		s.tunnel.Forget()
	}
}

// ageAt returns the age of the session at a time. It never decreases.
func (s *session) ageAt(now time.Time) time.Duration {
	s.age = s.carrier.at(now) - s.begun
	return s.age
}

// silence returns how long the endpoint has listened since the latest valid packet arrived.
func (s *session) silence() time.Duration { return s.carrier.listened - s.lastHeard }

// sendClose sends the close packets, which are not acknowledged.
func (s *session) sendClose(now time.Time, reason Reason) {
	for range closePackets {
		b := append(s.lane.buf[:headerSize], byte(reason))
		_, _ = s.send(now, kindClose, false, b)
	}
}

// sendDatagram sends a payload, together with as much channel data as fits into the packet.
func (s *session) sendDatagram(now time.Time, payload []byte) (uint16, error) {
	const front = headerSize + lengthSize
	l := s.lane
	b := append(l.buf[:front], payload[:min(len(payload), MaxPayload-lengthSize)]...)
	s.channels.Carried(now, s.out.next, len(payload)+overhead)
	if room := len(l.buf) - len(b); room > 0 && s.carrier.delivering != s {
		if with := s.channels.Fill(now, s.out.next, b, room); len(with) > len(b) {
			l.buf[headerSize], l.buf[headerSize+1] = byte(len(payload)), byte(len(payload)>>8)
			return s.send(now, kindBoth, true, with)
		}
	}
	// A packet without channel data has no length field. Moving the header costs less than moving the payload.
	if len(b) == front+len(payload) {
		return s.send(now, kindDatagram, true, b[lengthSize:])
	}
	return s.send(now, kindDatagram, true, append(l.buf[:headerSize], payload...))
}

// pump sends waiting channel data within its budget. It sends an empty packet if a keep-alive or an acknowledgement is due.
func (s *session) pump(now time.Time) {
	if s.state != connected {
		return
	}
	at := s.ageAt(now)
	due := at-s.lastSent >= s.carrier.keepAlive || s.unanswered >= maxUnanswered
	for first := true; s.peer != nil || s.paced-at < paceBurst; first = false {
		b := s.lane.buf[:headerSize]
		filled := s.channels.Fill(now, s.out.next, b, len(s.lane.buf)-headerSize)
		if len(filled) == len(b) && !(first && due) {
			return
		}
		s.channels.Carried(now, s.out.next, overhead)
		if _, err := s.send(now, kindChannels, false, filled); err != nil {
			return
		}
		s.paced = max(s.paced, at) + paceInterval
	}
}

// send writes the header of a packet and sends it. The packet starts with headerSize unused bytes.
func (s *session) send(now time.Time, kind uint8, data bool, packet []byte) (uint16, error) {
	seq := s.number(now, kind, data, packet)
	s.lastSent, s.unanswered = s.age, 0
	s.lane.now, s.lane.sending = now, s
	err := s.tunnel.Send(now, packet)
	s.lane.sending = nil
	if err != nil {
		s.unsent++
		return seq, err
	}
	s.datagramsOut++
	s.bytesOut += uint64(s.lane.sent)
	return seq, nil
}

// number writes the header of the next packet and returns its sequence number.
func (s *session) number(now time.Time, kind uint8, data bool, packet []byte) uint16 {
	at := s.ageAt(now)
	h := header{kind: kind, seq: s.out.add(at, data), delay: nothingHeard}
	if s.in.heard {
		h.ack, h.bits = s.in.newest, s.in.bits
		h.delay = uint16(min(max(at-s.in.newestAt, 0)/delayUnit, maxDelay))
	}
	h.put(packet)
	return h.seq
}

// receive processes the acknowledgements and the payload of one authentic packet. It reports whether the packet contains more, for
// receiveRest.
func (s *session) receive(now time.Time, b []byte) (more bool, drop DropReason) {
	head, in, drop := parsePacket(b)
	if drop != DropNone {
		return false, drop
	}
	d := &s.lane.datagram
	at := s.ageAt(now)
	arrived := max(at-max(now.Sub(d.At), 0), 0)
	newest, drop := s.in.add(head.seq, arrived)
	if drop != DropNone {
		return false, drop // before lastHeard is set, so a replay does not keep the session alive
	}
	s.lastHeard = s.carrier.listenedBefore
	if s.unanswered++; s.unanswered == maxUnanswered {
		s.wake()
	}
	s.datagramsIn++
	s.bytesIn += uint64(s.lane.size)
	if head.delay != nothingHeard {
		s.acknowledge(now, head, arrived)
	}
	if head.kind == kindDatagram || head.kind == kindBoth {
		if s.state == connected {
			s.payloadIn += uint64(len(in.payload))
			s.lane.handler.Received(now, s, Packet{Seq: head.seq, At: d.At, Newest: newest, Data: in.payload})
		}
		return len(in.channels) > 0, DropNone
	}
	return head.kind != kindChannels || len(in.channels) > 0, DropNone
}

// receiveRest processes the rest of a packet after receive: everything that may concern more than its session.
func (s *session) receiveRest(now time.Time, b []byte) DropReason {
	head, in, _ := parsePacket(b)
	c := s.carrier
	switch head.kind {
	case kindClose:
		s.end(&CloseError{Reason: in.reason, Remote: true})
	case kindChallenge:
		return s.answer(now, in.path)
	case kindAnswer:
		s.details.path.answered(c.datagram.From, in.path)
	}
	if len(in.channels) > 0 && s.state == connected {
		c.delivering = s
		err := s.channels.Receive(now, in.channels, c.deliverMessage)
		c.delivering = nil
		if err != nil {
			return DropChannels
		}
	}
	return DropNone
}

// acknowledge processes the packets that a header acknowledges for the first time, oldest first.
func (s *session) acknowledge(now time.Time, head header, arrived time.Duration) {
	for fresh := s.acked.add(head.ack, head.bits); fresh != 0; {
		back := bits.Len64(fresh) - 1
		fresh &^= 1 << back
		p := s.out.acknowledge(head.ack - uint16(back))
		if p == nil {
			continue
		}
		if back == 0 && head.delay < maxDelay && s.begun+p.at >= s.carrier.resumedAt {
			waited := time.Duration(head.delay) * delayUnit
			s.details.rtt.add(arrived, max(arrived-p.at-waited, 0))
		}
		s.channels.Acked(now, p.seq)
		if p.data && s.state == connected {
			s.lane.handler.Acked(s, p.seq)
		}
	}
}

// countMalformed counts a malformed packet, and ends the session after too many.
func (s *session) countMalformed(now time.Time) {
	if s.details.malformed++; s.details.malformed > uint64(s.carrier.maxMalformed) {
		s.Close(now, ReasonProtocol)
	}
}

// update counts lost packets, and ends the session if the peer has been silent for too long. The peer may still receive, so it is told.
func (s *session) update(now time.Time) {
	if s.state != connected {
		return
	}
	at := s.ageAt(now)
	s.in.update(at)
	s.out.update(at, ackSlack+2*s.details.rtt.smoothed)
	if s.silence() >= s.carrier.timeout {
		s.sendClose(now, ReasonAway)
		s.end(ErrTimeout)
	}
}

// wake makes the session due in the current or next Poll or Flush of its server.
func (s *session) wake() {
	if s.carrier.schedule != nil {
		s.carrier.schedule.wake(s)
	}
}

// channelWaiting is called when a channel has something to send.
func (s *session) channelWaiting() time.Time {
	s.wake()
	return s.carrier.now
}

// updateSession is [session.update] for the schedule. It does not change when the session is due.
func updateSession(s *session) time.Duration {
	s.update(s.carrier.now)
	return -1
}

// pumpSession is [session.pump] for the schedule. It returns the next time when the session is due.
func pumpSession(s *session) time.Duration {
	s.pump(s.carrier.now)
	return s.nextDue(s.carrier.at(s.carrier.now))
}

// nextDue returns the next time when the session is due, unless it receives a packet, sends one, or gets a message for its channels
// before. at and the result are times of the carrier's clock. A session is due at least every maxIdle, so that lost packets are
// counted soon.
func (s *session) nextDue(at time.Duration) time.Duration {
	if s.state != connected || s.unanswered >= maxUnanswered || s.channels.Waiting() {
		return 0
	}
	return min(s.begun+s.lastSent+s.carrier.keepAlive, at+s.carrier.timeout-s.silence(), at+maxIdle)
}
