package netsys

import (
	"math/bits"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// closePackets is how many close packets go out at once: with half of all packets lost, one of a thousand
	// peers still has to wait for its timeout.
	closePackets = 10

	// maxIdle is how long at most a session of a server is not due.
	maxIdle = 100 * time.Millisecond

	// ackSlack is how long after the expected answer a packet counts as lost on the way out.
	ackSlack = time.Second

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

// session is the [Session] of both endpoints.
//
// Of a thousand sessions none is in the caches when its next packet comes. So the fields that every packet needs lie side
// by side in six cache lines, and the fields that few packets need are elsewhere, in details. A struct that has pointers
// and at most 512 bytes begins with a cache line, as package runtime allocates it. See prefetchSession.
type session struct {
	// What the session sends and receives with.
	carrier  *carrier
	lane     *lane // that works for the session
	tunnel   tunnel
	peer     *netcode.Peer // the tunnel of a server's session, nil on a client
	channels *channel.Endpoint

	// When the session began, by the carrier's clock, and how old it was when it was last used. All other durations in a
	// session and its histories are ages of the session, but for lastHeard.
	begun time.Duration
	age   time.Duration

	lastHeard  time.Duration // the carrier's listenedBefore when the latest valid packet came
	lastSent   time.Duration
	paced      time.Duration // when a client's channels would be done, had they sent evenly
	unanswered int           // packets received since the last one was sent

	id    uint64
	place int32 // in the server's schedule; below 0: not there
	state state

	acked acknowledgedPackets
	in    receivedPackets

	// As in Stats.
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

	// Who the other end is, and where.
	remote   netip.AddrPort
	clientID uint64
	userData []byte
	tag      uint64 // of a client's hello
	login    []byte // what the application makes of the login in a client's hello

	reason error // of the end
}

var _ Session = (*session)(nil)

// newSession returns a session that is connecting.
func newSession(c *carrier) *session {
	d := &sessionDetails{}
	return &session{carrier: c, lane: &c.lane, place: -1, in: newReceivedPackets(&d.gaps), out: newSentPackets(&d.lossOut), details: d}
}

func (s *session) ID() uint64                  { return s.id }
func (s *session) ClientID() uint64            { return s.details.clientID }
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

// start starts a session that was welcomed.
func (s *session) start(now time.Time, id uint64) {
	s.id, s.begun, s.lastHeard = id, s.carrier.clock.At(now), s.carrier.listened
}

// end remembers the first reason; the endpoint reports it when it next looks through its sessions.
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

// ageAt returns how old the session is at a time, never less than before.
func (s *session) ageAt(now time.Time) time.Duration {
	s.age = s.carrier.at(now) - s.begun
	return s.age
}

// silence returns for how long the endpoint has listened since the latest valid packet came.
func (s *session) silence() time.Duration { return s.carrier.listened - s.lastHeard }

// sendClose sends packets that close the session. Nobody answers them.
func (s *session) sendClose(now time.Time, reason Reason) {
	for range closePackets {
		b := append(s.lane.buf[:headerSize], byte(reason))
		_, _ = s.send(now, kindClose, false, b)
	}
}

// sendDatagram sends a payload, and with it what of the channels finds room.
func (s *session) sendDatagram(now time.Time, payload []byte) (uint16, error) {
	const front = headerSize + lengthSize
	l := s.lane
	b := append(l.buf[:front], payload[:min(len(payload), MaxPayload-lengthSize)]...)
	s.channels.Carried(now, s.out.next, len(payload)+cover)
	if room := len(l.buf) - len(b); room > 0 && s.carrier.delivering != s {
		if with := s.channels.Fill(now, s.out.next, b, room); len(with) > len(b) {
			l.buf[headerSize], l.buf[headerSize+1] = byte(len(payload)), byte(len(payload)>>8)
			return s.send(now, kindBoth, true, with)
		}
	}
	// Without a length the header moves up to the payload, which is the longer of the two.
	if len(b) == front+len(payload) {
		return s.send(now, kindDatagram, true, b[lengthSize:])
	}
	return s.send(now, kindDatagram, true, append(l.buf[:headerSize], payload...))
}

// pump sends what the channels still have, as far as their budget goes, and a packet without content when it is time
// for one.
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

// number writes the header of the next packet.
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

// receive receives one authentic packet of the session: what it acknowledges, and its payload. It reports whether there is
// more in the packet, for receiveRest.
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
		return false, drop // and a replay keeps nobody alive
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

// receiveRest receives the rest of a packet that receive has received: all that concerns others than its session, or may.
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

// acknowledge reports what a header acknowledges for the first time, oldest first.
func (s *session) acknowledge(now time.Time, head header, arrived time.Duration) {
	for fresh := s.acked.add(head.ack, head.bits); fresh != 0; {
		back := bits.Len64(fresh) - 1
		fresh &^= 1 << back
		p := s.out.acknowledge(head.ack - uint16(back))
		if p == nil {
			continue
		}
		if back == 0 && head.delay < maxDelay {
			waited := time.Duration(head.delay) * delayUnit
			s.details.rtt.add(arrived, max(arrived-p.at-waited, 0))
		}
		s.channels.Acked(now, p.seq)
		if p.data && s.state == connected {
			s.lane.handler.Acked(s, p.seq)
		}
	}
}

// suspect counts a packet that no honest peer sends, and ends the session when there were too many.
func (s *session) suspect(now time.Time) {
	if s.details.malformed++; s.details.malformed > uint64(s.carrier.maxMalformed) {
		s.Close(now, ReasonProtocol)
	}
}

// update counts the packets that got lost, and ends the session when the peer has been silent for too long.
func (s *session) update(now time.Time) {
	if s.state != connected {
		return
	}
	at := s.ageAt(now)
	s.in.update(at)
	s.out.update(at, ackSlack+2*s.details.rtt.smoothed)
	if s.silence() >= s.carrier.timeout {
		s.end(ErrTimeout)
	}
}

// wake makes a session due in the present or next Poll or Flush of its server.
func (s *session) wake() {
	if s.carrier.schedule != nil {
		s.carrier.schedule.wake(s)
	}
}

// channelWaiting is called when a channel got something to send.
func (s *session) channelWaiting() time.Time {
	s.wake()
	return s.carrier.now
}

// updateSession is [session.update] for the schedule. It does not change when the session is due.
func updateSession(s *session) time.Duration {
	s.update(s.carrier.now)
	return -1
}

// pumpSession is [session.pump] for the schedule. It returns when the session is due next.
func pumpSession(s *session) time.Duration {
	s.pump(s.carrier.now)
	return s.nextDue(s.carrier.at(s.carrier.now))
}

// nextDue returns when a session has something to do, unless it receives, sends, or gets a message for its channels
// before. at and the result are times of the carrier's clock. A session is due every maxIdle at least, so that packets that
// got lost are counted soon.
func (s *session) nextDue(at time.Duration) time.Duration {
	if s.state != connected || s.unanswered >= maxUnanswered || s.channels.Waiting() {
		return 0
	}
	return min(s.begun+s.lastSent+s.carrier.keepAlive, at+s.carrier.timeout-s.silence(), at+maxIdle)
}
