package netsys

import (
	"iter"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// handshakeTimeout is the time from the slot to the hello, and from the welcome to the connected session. Each takes a round
// trip, so it is as long as the default Timeout of sessions. It does not follow a longer Timeout: slots of handshakes that
// never end would be taken for as long.
const handshakeTimeout = defaultTimeout

// Server is the [Endpoint] that clients connect to with connect tokens of the netcode standard. It spends little work on a client
// that has not proved its address, and never answers with more bytes than it received. It checks all received data and counts
// what it drops.
type Server struct {
	config  ServerConfig
	schema  *schema
	netcode *netcode.Server
	carrier *carrier
	lanes   lanes
	round   round

	schedule sessionSchedule
	guests   []*session // sessions that are not connected yet, in the order of arrival
	lastID   uint64

	closing bool
	closed  bool
	drops   Drops

	events serverEvents
	hello  hello
}

var _ Endpoint = (*Server)(nil)

// NewServer returns a server on a wire. The wire then belongs to the server, which closes it. NewServer returns the error of
// [ServerConfig.Validate], or one that wraps [ErrInsecure] if there is no key and the wire is neither on a loopback address nor
// virtual.
func NewServer(w Wire, config ServerConfig) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	secure, err := config.netcodeConfig(w)
	if err != nil {
		return nil, err
	}
	config.MaxClients = orDefault(config.MaxClients, defaultMaxClients)
	config.Timeout = orDefault(config.Timeout, defaultTimeout)
	config.KeepAlive = orDefault(config.KeepAlive, defaultKeepAlive)
	config.MaxMalformed = orDefault(config.MaxMalformed, defaultMaxMalformed)
	s := &Server{
		config:  config,
		schema:  newSchema(sessionLines(config.Channels, config.Messages), config.Schema),
		carrier: newCarrier(w, new([netcode.MaxPayload]byte)),
	}
	if s.netcode, err = netcode.NewServer(secure, s.carrier.send); err != nil {
		return nil, err
	}
	s.config.Key = netcode.Key{} // so that printing a server does not print it
	s.events = serverEvents{s, newRefusalLog(config.Logger, orDefault(config.ProtocolID, DefaultProtocolID), secure.Addresses)}
	s.carrier.schedule = &s.schedule
	s.carrier.timeout, s.carrier.keepAlive, s.carrier.maxMalformed = config.Timeout, config.KeepAlive, config.MaxMalformed
	s.lanes.init(s, config.Workers)
	s.round.init(s)
	return s, nil
}

// Poll implements [Endpoint].
func (s *Server) Poll(now time.Time, h Handler) {
	s.setHandler(now, h)
	if !s.closed {
		at := s.carrier.clock.At(now)
		s.carrier.startPoll(at)
		s.carrier.wire.Poll(now, s.round.deliver)
		s.round.finish()
		s.expire(now)
		s.schedule.run(at, updateSession)
	}
	s.report(now)
	if !s.closed {
		s.pump(now)
		// After the sessions' own packets, because they replace netcode's keep-alives.
		s.netcode.Update(now, &s.events)
		flush(s.carrier.wire, now)
	}
	s.setHandler(now, nil)
}

// setHandler sets the handler of the server and of each worker for a Poll.
func (s *Server) setHandler(now time.Time, h Handler) {
	c := s.carrier
	c.now, c.pollHandler = now, h
	of, several := h.(WorkerHandler)
	for i, l := range s.lanes.all {
		if l.handler = h; several {
			l.handler = of.OnWorker(i)
		}
	}
	c.handler = s.lanes.all[0].handler
}

// report calls Disconnected for the sessions that have ended.
func (s *Server) report(now time.Time) {
	if !s.carrier.ended {
		return
	}
	s.carrier.ended = false
	for i := 0; i < len(s.schedule.all); {
		session := s.schedule.all[i]
		if session.state != ended {
			i++
			continue
		}
		s.schedule.remove(i)
		session.state = reported
		s.carrier.pollHandler.Disconnected(now, session, session.details.reason)
	}
}

// Flush sends channel data within its budget, and flushes the wire if it is a [Flusher]. Call it after the last [Session.Send] of a
// tick. Otherwise the data waits for the next Poll.
func (s *Server) Flush(now time.Time) {
	if s.closed {
		return
	}
	s.pump(now)
	flush(s.carrier.wire, now)
}

func (s *Server) pump(now time.Time) {
	s.carrier.now = now
	s.schedule.run(s.carrier.clock.At(now), pumpSession)
}

// Spread calls do(worker, i) for each session, on the workers of [ServerConfig.Workers]. i is from 0 to len(sessions)−1, and a
// worker runs one call at a time. do(worker, i) may use sessions[i] like the goroutine that polls, except for Close, and no other
// session. It must pass now to Send.
//
// On a [ParallelWire] the datagrams are sent immediately. Any other wire gets them after the last call of do, in the order of the
// sessions, so that the results on a virtual network do not depend on the number of workers. Send does not return the errors of
// such a wire; they count in [Stats].Unsent.
//
// Spread must not be called inside do, Received or Acked; it panics there. The sessions must be distinct and belong to this server.
// Spread does not allocate. A function literal that captures variables does, so store do once.
func (s *Server) Spread(now time.Time, sessions []Session, do func(worker, i int)) {
	if s.lanes.running {
		panic("netsys: Server.Spread was called inside Spread, Received or Acked: call it between two Polls")
	}
	s.lanes.start(now)
	each, pieces := s.lanes.divide(len(sessions))
	s.lanes.sessions, s.lanes.pieceSize, s.lanes.do = sessions, each, do
	defer s.lanes.endSpread()
	s.lanes.runPieces(pieces, s.lanes.spreadPieceFunc)
}

// Close implements [Endpoint].
func (s *Server) Close(now time.Time) error {
	if s.closed {
		return nil
	}
	s.carrier.now = now
	for session := range s.Sessions() {
		session.Close(now, ReasonServerClosing)
	}
	s.netcode.Close(now)
	s.closed = true
	flush(s.carrier.wire, now)
	return s.carrier.wire.Close()
}

// StopAccepting makes the server refuse new clients, with an [ErrRefused] that matches [ErrClosed]. Sessions that were welcomed
// before continue.
func (s *Server) StopAccepting() { s.closing = true }

// Sessions returns the sessions of the connected clients in join order.
func (s *Server) Sessions() iter.Seq[Session] {
	return func(yield func(Session) bool) {
		for _, session := range s.schedule.all {
			if session.state == connected && !yield(session) {
				return
			}
		}
	}
}

// Admitted returns the sessions that [ServerConfig.Login] has accepted and that are not connected yet, in the order of arrival.
// Each becomes connected without another question, or ends within 5 s.
func (s *Server) Admitted() iter.Seq[Session] {
	return func(yield func(Session) bool) {
		for _, guest := range s.guests {
			if guest.state == welcomed && !yield(guest) {
				return
			}
		}
	}
}

// Len returns the number of connected clients.
func (s *Server) Len() int {
	n := 0
	for _, session := range s.schedule.all {
		if session.state == connected {
			n++
		}
	}
	return n
}

// Tag returns the [ClientConfig.Tag] of a session's client.
func (s *Server) Tag(of Session) uint64 {
	if session, ok := of.(*session); ok {
		return session.details.tag
	}
	return 0
}

// Login returns the result of [ServerConfig.Login] for a session. Without that function it returns the [ClientConfig.Login] of the
// session's client.
func (s *Server) Login(of Session) []byte {
	if session, ok := of.(*session); ok {
		return session.details.login
	}
	return nil
}

// Drops counts the dropped authentic packets by reason.
func (s *Server) Drops() Drops { return s.drops }

// DatagramDrops counts the datagrams that netcode dropped by reason: from strangers, forged, replayed, or without a free slot. The
// datagrams of clients that change their address are counted in [netcode.DropUnknownSender].
func (s *Server) DatagramDrops() netcode.Drops { return s.netcode.Drops() }

// Err returns why the wire has failed, nil while it works: see [WireError].
func (s *Server) Err() error { return WireError(s.carrier.wire) }

// LocalAddr returns the address of the wire.
func (s *Server) LocalAddr() netip.AddrPort { return s.carrier.wire.LocalAddr() }

// receive processes one datagram on the goroutine that polls.
func (s *Server) receive(d Datagram) {
	now := s.carrier.now
	switch drop := s.netcode.Receive(now, d.From, d.Data, &s.events); {
	case drop.RefusesToken():
		s.events.refusals.add(s.carrier.clock.At(now), peerAddr(s.carrier.wire, d.From), drop)
	case drop == netcode.DropUnknownSender:
		if p := s.netcode.Find(now, d.From, d.Data, &s.events); p != nil {
			s.moved(p.Context.(*session), d.From)
		}
	}
}

// serverEvents implements [netcode.ServerHandler] and [netcode.Farewell].
type serverEvents struct {
	server   *Server
	refusals *refusalLog
}

// Connected implements [netcode.ServerHandler].
func (h *serverEvents) Connected(now time.Time, p *netcode.Peer) {
	s := h.server
	g := newSession(s.carrier)
	g.tunnel, g.peer = p, p
	d := g.details
	d.remote, d.clientID, d.userData = p.Address(), p.ClientID(), p.UserData()
	d.greeting.since = s.carrier.clock.At(now)
	p.Context = g
	s.guests = append(s.guests, g)
}

// Payload implements [netcode.ServerHandler].
func (h *serverEvents) Payload(now time.Time, p *netcode.Peer, payload []byte) {
	h.server.packet(now, p.Context.(*session), payload)
}

// Ending implements [netcode.Farewell].
func (h *serverEvents) Ending(now time.Time, p *netcode.Peer, reason error) bool {
	s := p.Context.(*session)
	if s.state != connected {
		return false
	}
	if reason == netcode.ErrFlood {
		s.sendClose(now, ReasonFlood)
	} else {
		s.sendClose(now, ReasonReplaced)
	}
	return true
}

// Disconnected implements [netcode.ServerHandler]. It reports the end immediately, so that a player who has already reconnected gets
// the end of the old session before the events of the new one.
func (h *serverEvents) Disconnected(now time.Time, p *netcode.Peer, reason error) {
	if reason == netcode.ErrFlood {
		h.server.drops.count(DropFlood)
	}
	p.Context.(*session).end(endReason(reason))
	h.server.report(now)
}
