package netsys

import (
	"net/netip"
	"time"
)

// A Poll processes the datagrams that have arrived in rounds of up to roundDatagrams or roundBytes. The result of a round
// does not depend on the number of workers:
//
//  1. The datagrams of each connected session, in their order, on one worker: they are opened, what they acknowledge is
//     told, and then their payload. Sessions are independent of each other here. At the first datagram of a session that
//     brings anything else, bytes of channels, a close or a proof of its address, its worker stops.
//  2. What the workers sent goes out, in the order of the datagrams during which they did.
//  3. All that is left, in the order of arrival: strangers, handshakes, channels, moves, and what came behind these.
const (
	roundDatagrams = 1024
	roundBytes     = 512 << 10
	// fewDatagrams are done sooner than workers are woken.
	fewDatagrams = 16
)

// round is a round of a Poll.
type round struct {
	server    *Server
	lanes     *lanes
	datagrams datagramList[roundDatagram]
	bytes     int            // of the datagrams
	slots     []int          // the slots whose sessions got datagrams, in the order of their first
	queues    []sessionQueue // by slot
	pieceSize int            // how many of slots are a piece of work

	// Methods, stored once so that passing them allocates nothing.
	deliver          func(Datagram)
	receivePieceFunc func(worker, piece int)
}

func (r *round) init(s *Server) {
	r.server, r.lanes = s, &s.lanes
	r.queues = make([]sessionQueue, s.config.MaxClients)
	r.deliver, r.receivePieceFunc = r.add, r.receivePiece
}

// roundDatagram describes a datagram of a round.
type roundDatagram struct {
	from netip.AddrPort
	at   time.Time
	next int32  // the next datagram of the same session, plus 1; 0: none
	size uint16 // in bytes, when it arrived

	// What a worker has left to do.
	remaining remaining
	session   *session // whose it is, once it was opened
}

// remaining is how much of a datagram is left to be done.
type remaining uint8

const (
	remainsSealed remaining = iota // all of it
	remainsOpened                  // all that is inside
	remainsRest                    // what a worker must not do
	remainsNothing
)

// sessionQueue is the datagrams of a session in a round: the first and the last, plus 1.
type sessionQueue struct{ first, last int32 }

// add adds a datagram from the wire. It notes whose the datagram is, and touches no session.
func (r *round) add(d Datagram) {
	slot := r.lanes.netcode.Whose(d.From, d.Data)
	r.datagrams.add(roundDatagram{from: d.From, at: d.At, size: uint16(len(d.Data))}, d.Data)
	n := r.datagrams.len()
	if slot >= 0 {
		q := &r.queues[slot]
		if q.first == 0 {
			q.first = int32(n)
			r.slots = append(r.slots, slot)
		} else {
			r.datagrams.at(int(q.last - 1)).about.next = int32(n)
		}
		q.last = int32(n)
	}
	if r.bytes += len(d.Data); n >= roundDatagrams || r.bytes >= roundBytes {
		r.finish()
	}
}

// finish ends a round.
func (r *round) finish() {
	if len(r.slots) > 0 {
		r.lanes.start(r.server.carrier.now)
		each, pieces := r.lanes.divide(len(r.slots))
		r.pieceSize = each
		if r.datagrams.len() < fewDatagrams {
			for i := range pieces {
				r.receivePiece(0, i)
			}
		} else {
			r.lanes.runPieces(pieces, r.receivePieceFunc)
		}
		r.lanes.finish()
	}
	for i := range r.datagrams.len() {
		r.finishDatagram(r.datagrams.at(i))
	}
	for _, slot := range r.slots {
		r.queues[slot] = sessionQueue{}
	}
	r.slots = r.slots[:0]
	r.datagrams.clear()
	r.bytes = 0
}

// receivePiece does for the datagrams of some sessions what a worker may.
func (r *round) receivePiece(worker, piece int) {
	l, slots := r.lanes.all[worker], slicePiece(r.slots, r.pieceSize, piece)
	var sessions [sessionsPerPiece]*session
	for _, slot := range slots {
		l.prefetched += r.lanes.netcode.Peer(slot).Touch()
	}
	for i, slot := range slots {
		sessions[i] = r.lanes.netcode.Peer(slot).Context.(*session)
		l.prefetched += prefetchSession(sessions[i])
	}
	for i, slot := range slots {
		r.receiveSession(l, sessions[i], int(r.queues[slot].first))
	}
}

// receiveSession receives the datagrams of one session, from the one before next on, until one has something left to do.
func (r *round) receiveSession(l *lane, s *session, next int) {
	for left := remainsNothing; next > 0 && left == remainsNothing; {
		e := r.datagrams.at(next - 1)
		b := r.datagrams.data(e)
		l.acquire(s, next-1)
		var payload []byte
		payload, left = r.open(l, s, Datagram{From: e.about.from, At: e.about.at, Data: b})
		e.about.session, e.about.remaining, next = s, left, int(e.about.next)
		if left != remainsNothing {
			r.datagrams.truncate(e, copy(b, payload))
		}
	}
	l.release(s)
}

// open opens a datagram of a session and tells the handler what it may be told on any worker. It returns the payload if
// something is left to do.
func (r *round) open(l *lane, s *session, d Datagram) (payload []byte, left remaining) {
	l.datagram, l.size = d, len(d.Data)
	payload, drop := s.peer.Receive(l.now, d.Data)
	switch {
	case drop != 0 || len(payload) == 0: // netcode counted it, or it kept the session alive
		return nil, remainsNothing
	case s.state != connected || payload[0] < kindDatagram:
		return payload, remainsOpened
	}
	more, reason := s.receive(l.now, payload)
	l.drops.count(reason)
	if reason.hostile() {
		s.suspect(l.now)
	}
	if more {
		return payload, remainsRest
	}
	return nil, remainsNothing
}

// finishDatagram does what is left of a datagram.
func (r *round) finishDatagram(e *listedDatagram[roundDatagram]) {
	s, c := r.server, r.server.carrier
	b := r.datagrams.data(e)
	if e.about.remaining == remainsNothing {
		return
	}
	c.datagram, c.size = Datagram{From: e.about.from, At: e.about.at, Data: b}, int(e.about.size)
	switch from := e.about.session; e.about.remaining {
	case remainsSealed:
		s.receive(c.datagram)
	case remainsOpened:
		s.packet(c.now, from, b)
	case remainsRest:
		s.judge(from, from.receiveRest(c.now, b))
	}
}
