package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/spool"
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
	taken  spool.Spool[taken]
	of     []*session // which have something among it, in the order of their first
	size   struct{ datagrams, bytes int }

	deliver func(Datagram)
	do      func(worker, piece int)
}

func (r *round) init(s *Server) {
	r.server, r.lanes = s, &s.lanes
	r.deliver, r.do = r.take, r.work
}

// taken is what is to be known of a datagram in a round.
type taken struct {
	from netip.AddrPort
	at   time.Time
	of   *session // nil: nobody's, or something for netcode
	next int32    // of the same session
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

// queue is which datagrams of a round are a session's; where there are none, first is −1.
type queue struct {
	first, last int32
	held        bool // what comes has to wait for what is in the queue
}

// take takes a datagram from the wire.
func (r *round) take(d Datagram) {
	var of *session
	if p := r.lanes.netcode.Whose(d.From, d.Data); p != nil {
		of = p.Context.(*session)
	}
	if of == nil {
		r.taken.Add(taken{from: d.From, at: d.At, size: uint16(len(d.Data))}, d.Data)
	} else if of.client.queue.held || r.lanes.number() > 1 {
		r.add(of, d, len(d.Data), leftSealed)
	} else {
		if !r.lanes.apart {
			r.lanes.part(r.server.carrier.now)
		}
		l := r.lanes.all[0]
		l.enter(of, r.size.datagrams)
		payload, left := r.open(l, of, d)
		l.leave(of)
		if left != leftNothing {
			r.add(of, Datagram{From: d.From, At: d.At, Data: payload}, len(d.Data), left)
			of.client.queue.held = true
		}
	}
	r.size.datagrams++
	if r.size.bytes += len(d.Data); r.size.datagrams >= roundDatagrams || r.size.bytes >= roundBytes {
		r.finish()
	}
}

// add appends a datagram, or what was inside one of that size, to those of a session.
func (r *round) add(of *session, d Datagram, size int, left left) {
	n := int32(r.taken.Len())
	r.taken.Add(taken{d.From, d.At, of, -1, uint16(size), left}, d.Data)
	if of.client.queue.first < 0 {
		of.client.queue.first = n
		r.of = append(r.of, of)
	} else {
		r.taken.At(int(of.client.queue.last)).About.next = n
	}
	of.client.queue.last = n
}

// finish ends a round.
func (r *round) finish() {
	if r.lanes.number() > 1 && len(r.of) > 0 {
		r.lanes.part(r.server.carrier.now)
		if r.taken.Len() < fewDatagrams {
			for i := range r.of {
				r.work(0, i)
			}
		} else {
			r.lanes.each(len(r.of), r.do)
		}
	}
	if r.lanes.apart {
		r.lanes.join()
	}
	for i := range r.taken.Len() {
		r.rest(r.taken.At(i))
	}
	for _, of := range r.of {
		of.client.queue = queue{first: -1}
	}
	clear(r.of)
	r.of = r.of[:0]
	r.taken.Clear()
	r.size = struct{ datagrams, bytes int }{}
}

// work does for the datagrams of a session what a worker may.
func (r *round) work(worker, piece int) {
	of, l := r.of[piece], r.lanes.all[worker]
	for i := of.client.queue.first; i >= 0; {
		e := r.taken.At(int(i))
		b := r.taken.Bytes(e)
		l.enter(of, int(i))
		payload, left := r.open(l, of, Datagram{From: e.About.from, At: e.About.at, Data: b})
		if e.About.left = left; left != leftNothing && left != leftSealed {
			r.taken.Cut(e, copy(b, payload))
		}
		if i = e.About.next; left != leftNothing {
			break
		}
	}
	l.leave(of)
}

// open opens a datagram of a session, tells the handler what it may be told on any worker, and returns what was inside
// if something is left to do.
func (r *round) open(l *lane, of *session, d Datagram) (payload []byte, left left) {
	l.datagram, l.size = d, len(d.Data)
	payload, drop := of.client.peer.Receive(l.now, d.Data)
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
func (r *round) rest(e *spool.Entry[taken]) {
	s, c := r.server, r.server.carrier
	b := r.taken.Bytes(e)
	if e.About.left == leftNothing {
		return
	}
	c.datagram, c.size = Datagram{From: e.About.from, At: e.About.at, Data: b}, int(e.About.size)
	switch of := e.About.of; e.About.left {
	case leftSealed:
		s.receive(c.datagram)
	case leftOpened:
		s.packet(c.now, of, b)
	case leftRest:
		s.judge(of, of.rest(c.now, b))
	}
}
