package netsys

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Workers does pieces of work on several goroutines: see [ServerConfig.Workers].
type Workers interface {
	// Workers is how many there are, at least 1, the caller among them. It does not change.
	Workers() int
	// Each calls do for each piece from 0 to n−1, once, and returns when all is done. worker is from 0 to Workers−1,
	// and no worker does two pieces at once.
	Each(n int, do func(worker, piece int))
}

// WorkerHandler is a [Handler] that has one more for each of [ServerConfig.Workers].
type WorkerHandler interface {
	Handler
	// OnWorker returns the handler whose Received and Acked a worker calls. Each Poll asks once for each worker.
	OnWorker(worker int) Handler
}

// lane is what each goroutine has of its own that works for sessions.
type lane struct {
	now      time.Time // of the call that is being served
	handler  Handler   // during Poll, for Received and Acked
	datagram Datagram  // that is being received
	size     int       // of it, in bytes
	ended    bool      // a session did that has not been reported
	touched  byte      // what was read before it was needed: see prefetchSession
	drops    Drops
	netcode  *netcode.Lane // nil: the endpoint's own

	// Sending.
	sender   Sender
	collects bool // datagrams wait in waiting until all lanes are done
	waiting  datagramList[sending]
	piece    int                       // of the work, by which what was collected is put in order
	sending  *session                  // that is sending now
	sent     int                       // length of the datagram that was sent last
	buf      *[netcode.MaxPayload]byte // for the packet that is to be sealed
}

// sending is a datagram that waits until all lanes are done.
type sending struct {
	piece int
	now   time.Time
	to    netip.AddrPort
	from  *session // nil: netcode itself
}

// send is how netcode sends.
func (l *lane) send(to netip.AddrPort, datagram []byte) error {
	l.sent = len(datagram)
	if l.collects {
		l.waiting.add(sending{l.piece, l.now, to, l.sending}, datagram)
		return nil
	}
	return l.sender.Send(l.now, to, datagram)
}

// room is where netcode seals.
func (l *lane) room() []byte {
	if l.collects {
		return l.waiting.room(MaxDatagram)
	}
	return l.sender.Room()
}

// lanes are those of a server's workers, and what they do.
type lanes struct {
	server   *Server
	netcode  *netcode.Crew
	workers  Workers // nil: the caller alone
	all      []*lane // by worker
	parallel bool    // they send by themselves
	apart    bool    // sessions are on lanes
	sorted   []collected

	// The call of Spread: each piece is of pieceSize sessions.
	sessions  []Session
	pieceSize int
	do        func(worker, i int)

	// Methods, stored once so that passing them allocates nothing.
	spreadPieceFunc func(worker, piece int)
	flushLaneFunc   func(worker, i int)
}

// collected is where a datagram that was sent on a lane waits.
type collected struct {
	piece int
	on    *lane
	entry int
}

func (x *lanes) init(s *Server, workers Workers) {
	n := 1
	if workers != nil {
		n = max(workers.Workers(), 1)
	}
	x.server, x.netcode, x.workers, x.all = s, netcode.NewCrew(s.netcode), workers, make([]*lane, n)
	x.spreadPieceFunc, x.flushLaneFunc = x.spreadPiece, x.flushLane
	main := &s.carrier.lane
	w, ok := s.carrier.wire.(ParallelWire)
	x.parallel = ok
	senders := make([]Sender, n)
	if ok {
		senders = w.Senders(n)
		main.sender = senders[0]
		x.netcode.Main(main.room)
	}
	for i := range x.all {
		l := &lane{buf: new([netcode.MaxPayload]byte)}
		l.sender, l.collects = senders[i], !ok
		l.netcode = x.netcode.Lane(l.send, l.room)
		x.all[i] = l
	}
}

// number is how many there are.
func (x *lanes) number() int { return len(x.all) }

// each does pieces of work on all lanes.
func (x *lanes) each(n int, do func(worker, piece int)) {
	if x.number() > 1 {
		x.workers.Each(n, do)
		return
	}
	for i := range n {
		do(0, i)
	}
}

// part lets the workers have the sessions, until join. Time stands still meanwhile.
func (x *lanes) part(now time.Time) {
	c := x.server.carrier
	x.netcode.Apart(now)
	c.frozenAt, c.clockFrozen = c.clock.At(now), true
	x.apart = true
	for _, l := range x.all {
		l.now = now
	}
}

// join ends what part began: it puts together what the lanes have, in the order of the pieces.
func (x *lanes) join() {
	s, c := x.server, x.server.carrier
	x.apart, c.clockFrozen = false, false
	x.netcode.Together()
	for _, l := range x.all {
		c.ended = c.ended || l.ended
		l.ended = false
		if l.drops != (Drops{}) {
			for i, n := range l.drops {
				s.drops[i] += n
			}
			l.drops = Drops{}
		}
		for i := range l.waiting.len() {
			x.sorted = append(x.sorted, collected{l.waiting.at(i).about.piece, l, i})
		}
	}
	if x.parallel && x.number() > 1 {
		// Before anybody else sends for the same session.
		x.each(x.number(), x.flushLaneFunc)
	}
	if len(x.sorted) == 0 {
		return
	}
	// Each piece was done on one lane, in whose list its datagrams are in order.
	slices.SortStableFunc(x.sorted, func(a, b collected) int { return a.piece - b.piece })
	for _, e := range x.sorted {
		e.on.hand(c.wire, e.entry)
	}
	x.sorted = x.sorted[:0]
	for _, l := range x.all {
		l.waiting.clear()
	}
}

// hand hands on what was collected.
func (l *lane) hand(to Wire, i int) {
	e := l.waiting.at(i)
	if err := to.Send(e.about.now, e.about.to, l.waiting.data(e)); err != nil && e.about.from != nil {
		s := e.about.from
		s.unsent++
		s.datagramsOut--
		s.bytesOut -= uint64(len(l.waiting.data(e)))
	}
}

func (x *lanes) flushLane(_, i int) { x.all[i].sender.Flush(x.all[i].now) }

// enter lets a lane have a session, until leave.
func (l *lane) enter(s *session, piece int) {
	if l.piece = piece; s.peer != nil {
		s.peer.Use(l.netcode)
	}
	s.lane = l
}

func (l *lane) leave(s *session) {
	s.peer.Use(nil)
	s.lane = &s.carrier.lane
}

// endSpread ends a call of Spread.
func (x *lanes) endSpread() {
	x.sessions, x.do = nil, nil
	x.join()
}

// spreadPiece does a piece of Spread.
func (x *lanes) spreadPiece(worker, i int) {
	of, l := slicePiece(x.sessions, x.pieceSize, i), x.all[worker]
	for _, s := range of {
		l.touched += prefetchSession(s.(*session))
	}
	for _, s := range of {
		l.touched += prefetchForSend(s.(*session))
	}
	for k := range of {
		x.spreadOne(l, worker, i*x.pieceSize+k)
	}
}

func (x *lanes) spreadOne(l *lane, worker, i int) {
	of := x.sessions[i].(*session)
	if c := x.server.carrier; of.carrier != c || of.lane != &c.lane {
		panic(fmt.Sprintf("netsys: Server.Spread: session %d is twice among the %d, or of another endpoint", i, len(x.sessions)))
	}
	l.enter(of, i)
	x.do(worker, i)
	l.leave(of)
}
