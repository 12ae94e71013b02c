package netsys

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Workers runs pieces of work on several goroutines: see [ServerConfig.Workers].
type Workers interface {
	// Workers returns the number of workers, including the caller. It is at least 1 and never changes.
	Workers() int
	// Each calls do once for each piece from 0 to n−1, and returns when all calls have returned. worker is from 0 to Workers−1. A
	// worker runs one piece at a time.
	Each(n int, do func(worker, piece int))
}

// WorkerHandler is a [Handler] with a separate handler for each of [ServerConfig.Workers].
type WorkerHandler interface {
	Handler
	// OnWorker returns the handler whose Received and Acked a worker calls. Each Poll calls OnWorker once for each worker.
	OnWorker(worker int) Handler
}

// lane is the state of one goroutine that processes sessions: the goroutine that polls, or a worker.
type lane struct {
	now        time.Time // of the current call
	handler    Handler   // during Poll, for Received and Acked
	datagram   Datagram  // the datagram that is being received
	size       int       // its length in bytes
	ended      bool      // a session ended and has not been reported
	prefetched byte      // see prefetchSession
	drops      Drops
	netcode    *netcode.Lane // nil: the lane of the netcode endpoint

	// Sending.
	sender   Sender
	collects bool // datagrams stay in waiting until all lanes are done
	waiting  datagramList[sending]
	piece    int                       // the current piece of work, by which waiting datagrams are sorted
	sending  *session                  // the session that is sending now
	sent     int                       // length of the latest datagram
	buf      *[netcode.MaxPayload]byte // for the packet that is encrypted next
}

// sending is a datagram that waits until all lanes are done.
type sending struct {
	piece int
	now   time.Time
	to    netip.AddrPort
	from  *session // nil: netcode itself
}

// send sends a datagram for netcode.
func (l *lane) send(to netip.AddrPort, datagram []byte) error {
	l.sent = len(datagram)
	if l.collects {
		l.waiting.add(sending{l.piece, l.now, to, l.sending}, datagram)
		return nil
	}
	return l.sender.Send(l.now, to, datagram)
}

// room returns memory for the packet that netcode encrypts next.
func (l *lane) room() []byte {
	if l.collects {
		return l.waiting.room(MaxDatagram)
	}
	return l.sender.Room()
}

// lanes holds the lanes of a server's workers and their current work.
type lanes struct {
	server   *Server
	netcode  *netcode.Crew
	workers  Workers // nil: the caller's goroutine alone
	all      []*lane // by worker
	parallel bool    // the wire is a ParallelWire, so workers send immediately
	running  bool    // between start and finish, when workers use sessions
	sorted   []waitingDatagram

	// The current call of Spread. A piece of work has pieceSize sessions.
	sessions  []Session
	pieceSize int
	do        func(worker, i int)

	// Methods, stored once so that passing them allocates nothing.
	spreadPieceFunc func(worker, piece int)
	flushLaneFunc   func(worker, i int)
}

// waitingDatagram is the place of a datagram in the waiting list of a lane.
type waitingDatagram struct {
	piece int
	lane  *lane
	entry int // index in the lane's waiting list
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

// runPieces calls do for each of n pieces of work on all lanes.
func (x *lanes) runPieces(n int, do func(worker, piece int)) {
	if len(x.all) > 1 {
		x.workers.Each(n, do)
		return
	}
	for i := range n {
		do(0, i)
	}
}

// start gives the sessions to the workers until finish. In between, the clock stands still.
func (x *lanes) start(now time.Time) {
	c := x.server.carrier
	x.netcode.Apart(now)
	c.frozenAt, c.clockFrozen = c.clock.At(now), true
	x.running = true
	for _, l := range x.all {
		l.now = now
	}
}

// finish takes the sessions back from the workers. It sums up the counts of the lanes, and sends the waiting datagrams in the order of
// the pieces.
func (x *lanes) finish() {
	s, c := x.server, x.server.carrier
	x.running, c.clockFrozen = false, false
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
			x.sorted = append(x.sorted, waitingDatagram{l.waiting.at(i).about.piece, l, i})
		}
	}
	if x.parallel && len(x.all) > 1 {
		// Before other goroutines send for the same sessions.
		x.runPieces(len(x.all), x.flushLaneFunc)
	}
	if len(x.sorted) == 0 {
		return
	}
	// Each piece ran on one lane, in whose list its datagrams are in order.
	slices.SortStableFunc(x.sorted, func(a, b waitingDatagram) int { return a.piece - b.piece })
	for _, e := range x.sorted {
		e.lane.sendWaiting(c.wire, e.entry)
	}
	x.sorted = x.sorted[:0]
	for _, l := range x.all {
		l.waiting.clear()
	}
}

// sendWaiting sends a waiting datagram. If the wire returns an error, the datagram counts as unsent.
func (l *lane) sendWaiting(to Wire, i int) {
	e := l.waiting.at(i)
	if err := to.Send(e.about.now, e.about.to, l.waiting.data(e)); err != nil && e.about.from != nil {
		s := e.about.from
		s.unsent++
		s.datagramsOut--
		s.bytesOut -= uint64(len(l.waiting.data(e)))
	}
}

// flushLane flushes the sender of the i-th lane.
func (x *lanes) flushLane(_, i int) { x.all[i].sender.Flush(x.all[i].now) }

// acquire makes the lane process a session, as part of a piece of work, until release.
func (l *lane) acquire(s *session, piece int) {
	if l.piece = piece; s.peer != nil {
		s.peer.Use(l.netcode)
	}
	s.lane = l
}

// release returns the session to the lane of the goroutine that polls.
func (l *lane) release(s *session) {
	s.peer.Use(nil)
	s.lane = &s.carrier.lane
}

// endSpread ends a call of Spread.
func (x *lanes) endSpread() {
	x.sessions, x.do = nil, nil
	x.finish()
}

// spreadPiece runs a piece of work of Spread.
func (x *lanes) spreadPiece(worker, i int) {
	sessions, l := slicePiece(x.sessions, x.pieceSize, i), x.all[worker]
	for _, s := range sessions {
		l.prefetched += prefetchSession(s.(*session))
	}
	for _, s := range sessions {
		l.prefetched += prefetchForSend(s.(*session))
	}
	for k := range sessions {
		x.spreadOne(l, worker, i*x.pieceSize+k)
	}
}

// spreadOne calls Spread's do for the i-th session.
func (x *lanes) spreadOne(l *lane, worker, i int) {
	s := x.sessions[i].(*session)
	if c := x.server.carrier; s.carrier != c || s.lane != &c.lane {
		panic(fmt.Sprintf("netsys: Server.Spread: session %d of %d is in the list twice or belongs to another endpoint", i, len(x.sessions)))
	}
	l.acquire(s, i)
	x.do(worker, i)
	l.release(s)
}
