package netsys

import (
	"net/netip"
	"time"
)

// Session is one peer of an [Endpoint]: on a server a client, on a client the server. It numbers and
// acknowledges datagrams and notices when the peer is gone; it resends nothing. It belongs to the goroutine
// that polls its endpoint, and may be kept and asked after its end.
type Session interface {
	// ID is the client's number: above 0, given by the server in the order in which handshakes began, from
	// 1, never used again while the server lives. Both ends see the same. 0 until a client is connected.
	ID() uint64

	// RemoteAddr is the peer's address.
	RemoteAddr() netip.AddrPort

	// Send sends one datagram of 0 to [MaxPayload] bytes, which it copies, and returns its sequence number,
	// as later given to [Handler.Acked]. Errors: [ErrTooLarge], [ErrNotConnected], [ErrClosed]; errors of
	// [Wire.Send], [ErrFull] among them, mean that this datagram is lost, and its number is spent.
	Send(now time.Time, payload []byte) (seq uint16, err error)

	// Stats are the figures of the session as of the latest Poll or Send.
	Stats() Stats

	// Close ends the session and tells the peer why, ten times at once since nobody will answer. The
	// endpoint's next Poll, or the present one, reports it to [Handler.Disconnected] with a [*CloseError].
	// Closing twice is harmless.
	Close(now time.Time, reason Reason)
}

// Handler is told what happens. Its methods are called from [Endpoint.Poll], on that goroutine. They may
// send, close sessions and read statistics; they must not call Poll or Close of the endpoint.
type Handler interface {
	// Connected is called once for a session, before anything else. On a server that is when the client's
	// first packet proves that it received the Welcome; on a client when the Welcome arrives.
	Connected(now time.Time, s Session)

	// Received is called for every payload that arrives, at most once each, in the order of arrival. What a
	// packet acknowledges is reported before its payload.
	Received(now time.Time, s Session, p Packet)

	// Acked is called when the peer has told that it received the payload with this number, at most once
	// per payload, at most 1,024 packets after it was sent. A payload that got lost is never mentioned.
	Acked(s Session, seq uint16)

	// Disconnected is called once for a session, after everything else. The reason matches [ErrTimeout],
	// [ErrReplaced] or [ErrClosed] (a [*CloseError]). On a client whose handshake failed it is called
	// without Connected, with [ErrTimeout], [ErrRefused] or, when it was given up, [ErrClosed]. One refusal
	// comes after Connected: [ErrServerFull], when others took the last slots while the Welcome travelled.
	Disconnected(now time.Time, s Session, reason error)
}

// Packet is one payload that arrived.
type Packet struct {
	// Seq is the number that the peer's [Session.Send] returned.
	Seq uint16
	// At is the time of arrival.
	At time.Time
	// Newest is true when no packet with a newer number came before this one.
	Newest bool
	// Data is valid during the call, 0 to [MaxPayload] bytes.
	Data []byte
}

// Endpoint is one end of a connection: a [Server] or a [Client].
type Endpoint interface {
	// Poll reads the wire, reports to h what happened up to now, and sends what is due. It never blocks.
	// now must not go backwards.
	Poll(now time.Time, h Handler)

	// Close closes all sessions and the wire, and returns the wire's error. One more Poll reports the
	// sessions that ended by it; Polls after that do nothing.
	Close(now time.Time) error
}

// Stats are the figures of one session. Times are 0 and shares 0 until there is something to go by.
type Stats struct {
	// RTT is the smoothed round trip time without the time that packets waited in the peer for an answer.
	RTT time.Duration
	// MinRTT is the shortest round trip of the last 10 s.
	MinRTT time.Duration
	// Jitter is the smoothed mean deviation of the round trip from RTT.
	Jitter time.Duration

	// LossIn is the share, 0 to 1, of the peer's packets due in the last 10 s that did not arrive. A packet
	// counts as lost when it is missing 500 ms after a newer one came; one that is merely late does not.
	LossIn float64
	// LossOut is the share, 0 to 1, of our packets of the last 10 s that the peer did not acknowledge. It is
	// a little too high when whole runs of acknowledgements are lost.
	LossOut float64

	// DatagramsIn and DatagramsOut count valid packets, keep-alives included.
	DatagramsIn, DatagramsOut uint64
	// BytesIn and BytesOut are the bytes of these packets with the session's 15 bytes each, without UDP's and
	// IP's.
	BytesIn, BytesOut uint64
	// PayloadIn and PayloadOut are the bytes given to [Handler.Received] and to [Session.Send].
	PayloadIn, PayloadOut uint64
	// Unsent is the number of packets, not among DatagramsOut, that the wire would not take.
	Unsent uint64
}

// state is the age of a session.
type state uint8

const (
	connecting state = iota
	connected
	ended    // the reason is known, the handler not yet told
	reported // the handler has been told
)

// session is the plain [Session]: acknowledged, checked against damage and strangers, not encrypted.
type session struct {
	wire      Wire
	remote    netip.AddrPort
	id        uint64
	nonce     uint64
	tag       uint64 // of a client's Hello
	seal      seal
	epoch     time.Time // the zero of all durations below
	now       time.Duration
	timeout   time.Duration
	keepAlive time.Duration

	state    state
	reason   error
	silent   time.Duration // watched since the last valid packet
	watched  time.Duration // the last update
	lastSent time.Duration

	out     sendHistory
	in      receiveHistory
	lossOut lossWindow
	lossIn  lossWindow
	rtt     roundTrip
	stats   Stats
	buf     [maxPacket]byte
}

var _ Session = (*session)(nil)

// open begins the life of a session whose token is known.
func (s *session) open(now time.Time, id, token uint64) {
	s.id, s.seal, s.epoch = id, newSeal(token), now
	s.in = newReceiveHistory()
	s.state = connected
}

func (s *session) ID() uint64 { return s.id }

func (s *session) RemoteAddr() netip.AddrPort { return s.remote }

func (s *session) Send(now time.Time, payload []byte) (uint16, error) {
	switch {
	case s.state == connecting:
		return 0, ErrNotConnected
	case s.state != connected:
		return 0, ErrClosed
	case len(payload) > MaxPayload:
		return 0, ErrTooLarge
	}
	seq, err := s.send(now, kindData, payload)
	if err == nil {
		s.stats.PayloadOut += uint64(len(payload))
	}
	return seq, err
}

func (s *session) send(now time.Time, kind uint8, payload []byte) (uint16, error) {
	at := s.at(now)
	s.lastSent = at
	h := header{kind: kind, seq: s.out.add(at, kind == kindData, &s.lossOut), delay: nothingHeard}
	if s.in.heard {
		h.ack, h.bits = s.in.newest, s.in.bits
		h.delay = uint16(min(max(at-s.in.newestAt, 0)/delayUnit, maxDelay))
	}
	packet := appendPacket(s.buf[:0], s.seal, h, payload)
	if err := s.wire.Send(now, s.remote, packet); err != nil {
		s.stats.Unsent++
		return h.seq, err
	}
	s.stats.DatagramsOut++
	s.stats.BytesOut += uint64(len(packet))
	return h.seq, nil
}

func (s *session) Stats() Stats {
	stats := s.stats
	stats.RTT, stats.Jitter = s.rtt.smoothed, s.rtt.deviation
	stats.MinRTT, _ = s.rtt.recent.least(s.now)
	stats.LossIn = s.lossIn.fraction(s.now)
	stats.LossOut = s.lossOut.fraction(s.now)
	return stats
}

func (s *session) Close(now time.Time, reason Reason) {
	switch s.state {
	case connected:
		s.farewell(now, reason)
		fallthrough
	case connecting:
		s.end(&CloseError{Reason: reason})
	}
}

// farewells is how many disconnect packets go out at once: with half of all packets lost, one of a thousand
// peers still has to wait for its timeout.
const farewells = 10

func (s *session) farewell(now time.Time, reason Reason) {
	body := [1]byte{byte(reason)}
	for range farewells {
		_, _ = s.send(now, kindDisconnect, body[:])
	}
}

// end remembers the first reason; the endpoint reports it when it next looks through its sessions.
func (s *session) end(reason error) {
	if s.state == connecting || s.state == connected {
		s.state, s.reason = ended, reason
	}
}

// at is a time as a duration since the epoch. It never decreases, so that no later arithmetic meets a time
// that runs backwards.
func (s *session) at(now time.Time) time.Duration {
	s.now = max(s.now, now.Sub(s.epoch))
	return s.now
}

// receive takes one datagram from the peer's address.
func (s *session) receive(now time.Time, d Datagram, h Handler) DropReason {
	head, payload, drop := parsePacket(d.Data, s.seal)
	if drop != DropNone {
		return drop
	}
	at := s.at(now)
	arrived := min(max(d.At.Sub(s.epoch), 0), at)
	newest, drop := s.in.accept(head.seq, arrived, &s.lossIn)
	if drop != DropNone {
		return drop // and a replay keeps nobody alive
	}
	s.silent = 0
	s.stats.DatagramsIn++
	s.stats.BytesIn += uint64(len(d.Data))
	if head.delay != nothingHeard {
		s.acknowledge(head, arrived, h)
	}
	switch head.kind {
	case kindDisconnect:
		s.end(&CloseError{Reason: Reason(payload[0]), Remote: true})
	case kindData:
		if s.state == connected {
			s.stats.PayloadIn += uint64(len(payload))
			h.Received(now, s, Packet{Seq: head.seq, At: d.At, Newest: newest, Data: payload})
		}
	}
	return DropNone
}

// acknowledge reports what a header acknowledges for the first time, oldest first.
func (s *session) acknowledge(head header, arrived time.Duration, h Handler) {
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
		if p.data && s.state == connected {
			h.Acked(s, p.seq)
		}
	}
}

// maxUnwatched is how much of the time between two polls counts as the peer's silence. A process that was held, by
// a debugger or a laptop's lid, did not listen meanwhile.
const maxUnwatched = time.Second

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
	switch {
	case s.silent >= s.timeout:
		s.end(ErrTimeout)
	case at-s.lastSent >= s.keepAlive:
		_, _ = s.send(now, kindKeepAlive, nil)
	}
}
