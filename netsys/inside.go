package netsys

import (
	"math/bits"
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

	// lookEvery is how long at most a server leaves a session alone.
	lookEvery = 100 * time.Millisecond

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

// carrier is what all sessions of an endpoint have in common.
type carrier struct {
	lane     // of the goroutine that polls
	wire     Wire
	clock    clock.Clock
	stands   bool             // it does, while workers have the sessions
	still    time.Duration    // at this time
	to       netip.AddrPort   // when valid, everything goes there
	told     Handler          // during Poll, of all but Received and Acked
	schedule *sessionSchedule // of a server
	listening
	limits

	inside  *session // whose channels are delivering
	deliver func(number int, message []byte)
}

func newCarrier(w Wire, room *[netcode.MaxPayload]byte) *carrier {
	c := &carrier{wire: w}
	c.sender, c.buf = &oneSender{Wire: w}, room
	c.deliver = func(number int, message []byte) {
		if s := c.inside; s.state == connected {
			c.told.Message(c.now, s, number, message)
		}
	}
	return c
}

// at is a time by the clock.
func (c *carrier) at(now time.Time) time.Duration {
	if c.stands {
		return c.still
	}
	return c.clock.At(now)
}

// send is how netcode sends.
func (c *carrier) send(to netip.AddrPort, datagram []byte) error {
	if c.to.IsValid() {
		to = c.to
	}
	return c.lane.send(to, datagram)
}

// session is the [Session] of both endpoints. What every packet needs is in six cache lines side by side, and what few
// need elsewhere: of a thousand sessions none is in the caches when its next packet comes. What has pointers and at most
// 512 bytes begins with a cache line, as package runtime allocates it.
type session struct {
	attached
	age
	silence
	pace
	identified
	state state
	acked acknowledgedPackets
	in    receivedPackets
	counts
	out sentPackets
	*rare
}

// identified is which session of its endpoint it is.
type identified struct {
	id    uint64
	place int32 // in the server's schedule; below 0: not there
}

func (i *identified) ID() uint64 { return i.id }

// attached is by what a session sends and receives.
type attached struct {
	carrier  *carrier
	on       *lane // that works for it
	tunnel   tunnel
	peer     *netcode.Peer // the tunnel of a server's
	channels *channel.Endpoint
}

// counts are among [Stats], which says what they are.
type counts struct {
	datagramsIn, bytesIn, payloadIn    uint64
	datagramsOut, bytesOut, payloadOut uint64
	unsent                             uint64
}

// rare is what a session has that few packets need.
type rare struct {
	rtt              roundTrip
	gaps             sequenceGaps
	lossOut          recentLoss
	moves, malformed uint64

	visitor
	identity
	reason error
}

// newSession returns one that is connecting.
func newSession(a attached, i identity) *session {
	r := &rare{identity: i}
	return &session{attached: a, identified: identified{place: -1}, rare: r, in: newReceivedPackets(&r.gaps), out: newSentPackets(&r.lossOut)}
}

// visitor is what only a server has of a session.
type visitor struct {
	path     path
	greeting greeting
}

// identity is who the other end is, and where.
type identity struct {
	remote   netip.AddrPort
	clientID uint64
	userData []byte
	tag      uint64 // of a client's hello
	login    []byte // and what its application takes it for
}

func (i *identity) ClientID() uint64           { return i.clientID }
func (i *identity) UserData() []byte           { return i.userData }
func (i *identity) RemoteAddr() netip.AddrPort { return i.remote }

// limits are those of all sessions of an endpoint.
type limits struct {
	timeout   time.Duration // of their silence
	keepAlive time.Duration
	malformed int // packets that are not too many
}

// age is how long a session has been open.
type age struct {
	begun time.Duration // by the carrier's clock, the zero of all other durations of a session
	now   time.Duration
}

// silence is how long nothing was heard of the peer, by the time for which its endpoint has listened.
type silence struct {
	last time.Duration // when something was
}

// heard takes note of a valid packet.
func (s *silence) heard(listened *listening) { s.last = listened.before }

// watch reports whether the silence has become too long.
func (s *silence) watch(listened *listening, timeout time.Duration) bool {
	return listened.until-s.last >= timeout
}

// listening is for how long an endpoint has listened.
type listening struct {
	before, until time.Duration // the Poll before, and this one
	at            time.Duration // of it, by the carrier's clock
}

// poll begins a Poll. Of a time in which nobody looked not all counts.
func (l *listening) poll(at time.Duration) {
	l.before = l.until
	l.until += min(at-l.at, maxUnwatched)
	l.at = at
}

// pace is when an end sends something of itself.
type pace struct {
	lastSent   time.Duration
	paced      time.Duration // when a client's channels would be done, had they sent evenly
	unanswered int           // packets received since the last one was sent
}

// due reports whether a packet is to go out even without content.
func (p *pace) due(at, keepAlive time.Duration) bool {
	return at-p.lastSent >= keepAlive || p.unanswered >= maxUnanswered
}

// ahead reports whether channels have sent as much as a server takes.
func (p *pace) ahead(at time.Duration) bool { return p.paced-at >= paceBurst }

var _ Session = (*session)(nil)

// open begins the life of a session that was welcomed.
func (s *session) open(now time.Time, id uint64) {
	s.id, s.age.begun, s.silence.last = id, s.carrier.clock.At(now), s.carrier.until
}

// end remembers the first reason; the endpoint reports it when it next looks through its sessions.
func (s *session) end(reason error) {
	if s.state >= ended {
		return
	}
	s.state, s.reason = ended, reason
	s.on.ended = true
	if s.tunnel != nil {
		s.tunnel.Forget()
	}
}

// at is a time as the age of the session, which never decreases.
func (s *session) at(now time.Time) time.Duration {
	s.age.now = s.carrier.at(now) - s.age.begun
	return s.age.now
}

// farewell closes.
func (s *session) farewell(now time.Time, reason Reason) {
	for range farewells {
		b := append(s.on.buf[:headerSize], byte(reason))
		_, _ = s.send(now, kindClose, false, b)
	}
}

// sendDatagram sends a payload, and with it what of the channels finds room.
func (s *session) sendDatagram(now time.Time, payload []byte) (uint16, error) {
	const front = headerSize + lengthSize
	l := s.on
	b := append(l.buf[:front], payload[:min(len(payload), MaxPayload-lengthSize)]...)
	s.channels.Carried(now, s.out.next, len(payload)+cover)
	if room := len(l.buf) - len(b); room > 0 && s.carrier.inside != s {
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
	at := s.at(now)
	due := s.due(at, s.carrier.keepAlive)
	for first := true; s.peer != nil || !s.ahead(at); first = false {
		b := s.on.buf[:headerSize]
		filled := s.channels.Fill(now, s.out.next, b, len(s.on.buf)-headerSize)
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
	s.lastSent, s.unanswered = s.age.now, 0
	s.on.now, s.on.sends = now, s
	err := s.tunnel.Send(now, packet)
	s.on.sends = nil
	if err != nil {
		s.unsent++
		return seq, err
	}
	s.datagramsOut++
	s.bytesOut += uint64(s.on.sent)
	return seq, nil
}

// number writes the header of the next packet.
func (s *session) number(now time.Time, kind uint8, data bool, packet []byte) uint16 {
	at := s.at(now)
	h := header{kind: kind, seq: s.out.add(at, data), delay: nothingHeard}
	if s.in.heard {
		h.ack, h.bits = s.in.newest, s.in.bits
		h.delay = uint16(min(max(at-s.in.newestAt, 0)/delayUnit, maxDelay))
	}
	h.put(packet)
	return h.seq
}

// receive takes one authentic packet of the session: what it acknowledges, and its payload. It reports whether there is
// more in it, for rest.
func (s *session) receive(now time.Time, b []byte) (more bool, drop DropReason) {
	head, in, drop := parsePacket(b)
	if drop != DropNone {
		return false, drop
	}
	d := &s.on.datagram
	at := s.at(now)
	arrived := max(at-max(now.Sub(d.At), 0), 0)
	newest, drop := s.in.add(head.seq, arrived)
	if drop != DropNone {
		return false, drop // and a replay keeps nobody alive
	}
	s.heard(&s.carrier.listening)
	if s.unanswered++; s.unanswered == maxUnanswered {
		s.wake()
	}
	s.datagramsIn++
	s.bytesIn += uint64(s.on.size)
	if head.delay != nothingHeard {
		s.acknowledge(now, head, arrived)
	}
	if head.kind == kindDatagram || head.kind == kindBoth {
		if s.state == connected {
			s.payloadIn += uint64(len(in.payload))
			s.on.handler.Received(now, s, Packet{Seq: head.seq, At: d.At, Newest: newest, Data: in.payload})
		}
		return len(in.channels) > 0, DropNone
	}
	return head.kind != kindChannels || len(in.channels) > 0, DropNone
}

// rest takes of a packet that was received what concerns others than its session, or may.
func (s *session) rest(now time.Time, b []byte) DropReason {
	head, in, _ := parsePacket(b)
	c := s.carrier
	switch head.kind {
	case kindClose:
		s.end(&CloseError{Reason: in.reason, Remote: true})
	case kindChallenge:
		return s.answer(now, in.path)
	case kindAnswer:
		s.path.answered(c.datagram.From, in.path)
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
	for fresh := s.acked.add(head.ack, head.bits); fresh != 0; {
		back := bits.Len64(fresh) - 1
		fresh &^= 1 << back
		p := s.out.acknowledge(head.ack - uint16(back))
		if p == nil {
			continue
		}
		if back == 0 && head.delay < maxDelay {
			waited := time.Duration(head.delay) * delayUnit
			s.rtt.add(arrived, max(arrived-p.at-waited, 0))
		}
		s.channels.Acked(now, p.seq)
		if p.data && s.state == connected {
			s.on.handler.Acked(s, p.seq)
		}
	}
}

// suspect counts a packet that no honest peer sends, and ends the session when there were too many.
func (s *session) suspect(now time.Time) {
	if s.malformed++; s.malformed > uint64(s.carrier.limits.malformed) {
		s.Close(now, ReasonProtocol)
	}
}

// settle decides of packets that are missing whether they are lost.
func (s *session) settle(at time.Duration) {
	s.in.update(at)
	s.out.update(at, ackSlack+2*s.rtt.smoothed)
}

// update does what time alone brings about.
func (s *session) update(now time.Time) {
	if s.state != connected {
		return
	}
	s.settle(s.at(now))
	if s.watch(&s.carrier.listening, s.carrier.timeout) {
		s.end(ErrTimeout)
	}
}

// wake makes a server look at a session in the present or next Poll or Flush.
func (s *session) wake() {
	if s.carrier.schedule != nil {
		s.carrier.schedule.wake(s)
	}
}

// waiting is called when a channel got something to send.
func (s *session) waiting() time.Time {
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
	return s.next(s.carrier.at(s.carrier.now))
}

// next is when a session has something to do, unless it receives, sends, or gets a message for its channels before. It
// is looked at ten times a second at least, so that what got lost is known by then.
func (s *session) next(at time.Duration) time.Duration {
	if s.state != connected || s.unanswered >= maxUnanswered || s.channels.Waiting() {
		return 0
	}
	silent := s.carrier.until - s.silence.last
	return min(s.age.begun+s.lastSent+s.carrier.keepAlive, at+s.carrier.timeout-silent, at+lookEvery)
}
