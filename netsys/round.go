package netsys

import (
	"net/netip"
	"time"
)

// A Poll takes what has arrived in rounds of so many datagrams or bytes, if there are as many. What a round does does
// not depend on the number of workers:
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
	server *Server
	lanes  *lanes
	taken  datagramList[taken]
	of     []int   // the slots that have something among it, in the order of their first
	each   int     // of them a worker does in one go
	queues []queue // by slot
	size   struct{ datagrams, bytes int }

	deliver func(Datagram)
	do      func(worker, piece int)
}

func (r *round) init(s *Server) {
	r.server, r.lanes = s, &s.lanes
	r.queues = make([]queue, s.config.MaxClients)
	r.deliver, r.do = r.take, r.work
}

// taken is what is to be known of a datagram in a round.
type taken struct {
	from netip.AddrPort
	at   time.Time
	of   *session // where something of it is left that was opened
	next int32    // of the same session, plus 1
	size uint16   // of the datagram, in bytes
	left left
}

// left is how much of a datagram is left to be done.
type left uint8

const (
	leftSealed left = iota // all of it
	leftOpened             // all that is inside
	leftRest               // what a worker must not do
	leftNothing
)

// queue is which datagrams of a round are a session's: the first and the last, plus 1.
type queue struct{ first, last int32 }

// take takes a datagram from the wire. Whose it is it notes, and touches no session.
func (r *round) take(d Datagram) {
	slot := r.lanes.netcode.Whose(d.From, d.Data)
	r.taken.add(taken{from: d.From, at: d.At, size: uint16(len(d.Data))}, d.Data)
	if slot >= 0 {
		n, q := int32(r.taken.len()), &r.queues[slot]
		if q.first == 0 {
			q.first = n
			r.of = append(r.of, slot)
		} else {
			r.taken.at(int(q.last - 1)).about.next = n
		}
		q.last = n
	}
	r.size.datagrams++
	if r.size.bytes += len(d.Data); r.size.datagrams >= roundDatagrams || r.size.bytes >= roundBytes {
		r.finish()
	}
}

// finish ends a round.
func (r *round) finish() {
	if len(r.of) > 0 {
		r.lanes.part(r.server.carrier.now)
		each, portions := r.lanes.divide(len(r.of))
		r.each = each
		if r.taken.len() < fewDatagrams {
			for i := range portions {
				r.work(0, i)
			}
		} else {
			r.lanes.each(portions, r.do)
		}
		r.lanes.join()
	}
	for i := range r.taken.len() {
		r.rest(r.taken.at(i))
	}
	for _, slot := range r.of {
		r.queues[slot] = queue{}
	}
	r.of = r.of[:0]
	r.taken.clear()
	r.size = struct{ datagrams, bytes int }{}
}

// work does for the datagrams of some sessions what a worker may.
func (r *round) work(worker, piece int) {
	l, all := r.lanes.all[worker], slicePiece(r.of, r.each, piece)
	var of [sessionsPerPiece]*session
	for _, slot := range all {
		l.touched += r.lanes.netcode.Peer(slot).Touch()
	}
	for i, slot := range all {
		of[i] = r.lanes.netcode.Peer(slot).Context.(*session)
		l.touched += prefetchSession(of[i])
	}
	for i, slot := range all {
		r.session(l, of[i], int(r.queues[slot].first))
	}
}

// session does so for those of one session, from the one before next on.
func (r *round) session(l *lane, of *session, next int) {
	for left := leftNothing; next > 0 && left == leftNothing; {
		e := r.taken.at(next - 1)
		b := r.taken.data(e)
		l.enter(of, next-1)
		payload, more := r.open(l, of, Datagram{From: e.about.from, At: e.about.at, Data: b})
		e.about.of, e.about.left, left, next = of, more, more, int(e.about.next)
		if left != leftNothing {
			r.taken.truncate(e, copy(b, payload))
		}
	}
	l.leave(of)
}

// open opens a datagram of a session, tells the handler what it may be told on any worker, and returns what was inside
// if something is left to do.
func (r *round) open(l *lane, of *session, d Datagram) (payload []byte, left left) {
	l.datagram, l.size = d, len(d.Data)
	payload, drop := of.peer.Receive(l.now, d.Data)
	switch {
	case drop != 0 || len(payload) == 0: // netcode counted it, or it kept the session alive
		return nil, leftNothing
	case of.state != connected || payload[0] < kindDatagram:
		return payload, leftOpened
	}
	more, reason := of.receive(l.now, payload)
	l.drops.count(reason)
	if reason.hostile() {
		of.suspect(l.now)
	}
	if more {
		return payload, leftRest
	}
	return nil, leftNothing
}

// rest does what is left of a datagram.
func (r *round) rest(e *listedDatagram[taken]) {
	s, c := r.server, r.server.carrier
	b := r.taken.data(e)
	if e.about.left == leftNothing {
		return
	}
	c.datagram, c.size = Datagram{From: e.about.from, At: e.about.at, Data: b}, int(e.about.size)
	switch of := e.about.of; e.about.left {
	case leftSealed:
		s.receive(c.datagram)
	case leftOpened:
		s.packet(c.now, of, b)
	case leftRest:
		s.judge(of, of.receiveRest(c.now, b))
	}
}
