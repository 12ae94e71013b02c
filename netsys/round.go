package netsys

import (
	"net/netip"
	"time"
)

// A Poll processes the arrived datagrams in rounds of up to roundDatagrams or roundBytes. The result of a round does not depend on the
// number of workers:
//
//  1. One worker processes the datagrams of each connected session in order. It decrypts a datagram, calls Acked and then Received.
//     Sessions are independent of each other here. The worker stops at the session's first datagram that contains anything else:
//     channel data, a close or a proof of its address.
//  2. The datagrams that the workers sent are sent on the wire, in the order of the received datagrams that caused them.
//  3. The goroutine that polls processes the rest in the order of arrival: strangers, handshakes, channels, moves, and the
//     datagrams behind these.
const (
	roundDatagrams = 1024
	roundBytes     = 512 << 10
	// fewDatagrams is the number of datagrams below which waking workers costs more than it saves.
	fewDatagrams = 16
)

// round is a round of a Poll.
type round struct {
	server    *Server
	lanes     *lanes
	datagrams datagramList[roundDatagram]
	bytes     int            // total length of the datagrams
	slots     []int          // slots of the sessions with datagrams, in the order of their first datagram
	queues    []sessionQueue // by slot
	pieceSize int            // number of slots in a piece of work

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
	size uint16 // encrypted length in bytes

	remaining remaining // work that is left after the workers
	session   *session  // set once the datagram is decrypted
}

// remaining is the work on a datagram that a worker has left to the goroutine that polls.
type remaining uint8

const (
	remainsSealed remaining = iota // everything; it is still encrypted
	remainsOpened                  // everything after decryption
	remainsRest                    // the part that workers must not process
	remainsNothing
)

// sessionQueue is the linked list of a session's datagrams in a round. Both numbers are indexes plus 1.
type sessionQueue struct{ first, last int32 }

// add adds a datagram from the wire to the queue of its session. It reads no memory of the session.
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

// finish processes the datagrams of the round.
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

// receivePiece is a worker's part for the datagrams of some sessions.
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

// receiveSession processes the datagrams of one session, from index next−1 on, until one leaves work to the goroutine that polls.
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

// open decrypts a datagram of a session and makes the handler's calls that may run on a worker. It returns the payload if work is
// left.
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
		s.countMalformed(l.now)
	}
	if more {
		return payload, remainsRest
	}
	return nil, remainsNothing
}

// finishDatagram does the work that is left for a datagram.
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
		s.countDrop(from, from.receiveRest(c.now, b))
	}
}
