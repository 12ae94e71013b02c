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

// lane is the state of one goroutine that works for sessions: the goroutine that polls, or a worker.
type lane struct {
	now        time.Time // of the call that is being served
	handler    Handler   // during Poll, for Received and Acked
	datagram   Datagram  // that is being received
	size       int       // of it, in bytes
	ended      bool      // a session ended and has not been reported
	prefetched byte      // see prefetchSession
	drops      Drops
	netcode    *netcode.Lane // nil: the endpoint's own

	// Sending.
	sender   Sender
	collects bool // datagrams wait in waiting until all lanes are done
	waiting  datagramList[sending]
	piece    int                       // the piece of work that is being done; waiting datagrams are sorted by it
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

// lanes are the lanes of a server's workers, and the work that is done on them.
type lanes struct {
	server   *Server
	netcode  *netcode.Crew
	workers  Workers // nil: the caller alone
	all      []*lane // by worker
	parallel bool    // workers send on the wire by themselves: it is a ParallelWire
	running  bool    // workers may have sessions: between start and finish
	sorted   []waitingDatagram

	// The call of Spread. Each piece of work is pieceSize sessions.
	sessions  []Session
	pieceSize int
	do        func(worker, i int)

	// Methods, stored once so that passing them allocates nothing.
	spreadPieceFunc func(worker, piece int)
	flushLaneFunc   func(worker, i int)
}

// waitingDatagram is where a datagram that was sent on a lane waits.
type waitingDatagram struct {
	piece int
	lane  *lane
	entry int // of the lane's waiting
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

// runPieces calls do for each of n pieces of work, on all lanes.
func (x *lanes) runPieces(n int, do func(worker, piece int)) {
	if len(x.all) > 1 {
		x.workers.Each(n, do)
		return
	}
	for i := range n {
		do(0, i)
	}
}

// start lets the workers have sessions, until finish. The clock stands still meanwhile.
func (x *lanes) start(now time.Time) {
	c := x.server.carrier
	x.netcode.Apart(now)
	c.frozenAt, c.clockFrozen = c.clock.At(now), true
	x.running = true
	for _, l := range x.all {
		l.now = now
	}
}

// finish ends what start started. It adds up the figures of the lanes, and sends the datagrams that wait, in the order of
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
		// Before anybody else sends for the same session.
		x.runPieces(len(x.all), x.flushLaneFunc)
	}
	if len(x.sorted) == 0 {
		return
	}
	// Each piece was done on one lane, in whose list its datagrams are in order.
	slices.SortStableFunc(x.sorted, func(a, b waitingDatagram) int { return a.piece - b.piece })
	for _, e := range x.sorted {
		e.lane.sendWaiting(c.wire, e.entry)
	}
	x.sorted = x.sorted[:0]
	for _, l := range x.all {
		l.waiting.clear()
	}
}

// sendWaiting sends a datagram that waited. One that the wire refuses counts as unsent.
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

// acquire makes the lane work for a session, on a piece of work, until release.
func (l *lane) acquire(s *session, piece int) {
	if l.piece = piece; s.peer != nil {
		s.peer.Use(l.netcode)
	}
	s.lane = l
}

// release gives the session back to the lane of the goroutine that polls.
func (l *lane) release(s *session) {
	s.peer.Use(nil)
	s.lane = &s.carrier.lane
}

// endSpread ends a call of Spread.
func (x *lanes) endSpread() {
	x.sessions, x.do = nil, nil
	x.finish()
}

// spreadPiece does a piece of Spread.
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

// spreadOne calls do of Spread for the i-th session.
func (x *lanes) spreadOne(l *lane, worker, i int) {
	s := x.sessions[i].(*session)
	if c := x.server.carrier; s.carrier != c || s.lane != &c.lane {
		panic(fmt.Sprintf("netsys: Server.Spread: session %d is twice among the %d, or of another endpoint", i, len(x.sessions)))
	}
	l.acquire(s, i)
	x.do(worker, i)
	l.release(s)
}
