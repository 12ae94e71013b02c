package netsys

import (
	"iter"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// greetTime is how long a client may have a slot before it is connected.
const greetTime = 5 * time.Second

// Server is the [Endpoint] that clients connect to, with connect tokens by the netcode standard. It spends little on
// a client until that has answered from its address, and answers nothing with more bytes than it got. It examines
// and counts everything that comes; nothing from the wire can stop it.
type Server struct {
	config  ServerConfig
	schema  *schema
	netcode *netcode.Server
	carrier *carrier
	lanes   lanes
	round   round

	schedule sessionSchedule
	guests   []*session // which are not connected yet, in the order in which they came
	lastID   uint64

	closing bool
	closed  bool
	drops   Drops

	hears serverHears
	hello hello
}

var _ Endpoint = (*Server)(nil)

// NewServer returns a server on a wire, which from then on belongs to the server and is closed with it. The
// error is that of [ServerConfig.Validate], or wraps [ErrInsecure] when there is no key and the wire is neither
// on a loopback address nor virtual.
func NewServer(w Wire, config ServerConfig) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	secure, err := config.secure(w)
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
	s.config.Key = netcode.Key{} // whoever prints a server does not print that
	s.hears = serverHears{s, newRefusalLog(config.Logger, orDefault(config.ProtocolID, DefaultProtocolID), secure.Addresses)}
	s.carrier.schedule = &s.schedule
	s.carrier.timeout, s.carrier.keepAlive, s.carrier.maxMalformed = config.Timeout, config.KeepAlive, config.MaxMalformed
	s.lanes.init(s, config.Workers)
	s.round.init(s)
	return s, nil
}

// Poll implements [Endpoint].
func (s *Server) Poll(now time.Time, h Handler) {
	s.handle(now, h)
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
		// After the sessions' own packets, which make keep-alives of netcode needless.
		s.netcode.Update(now, &s.hears)
		flush(s.carrier.wire, now)
	}
	s.handle(now, nil)
}

// handle says who is told of what during a Poll.
func (s *Server) handle(now time.Time, h Handler) {
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

// report tells the handler of sessions that have ended.
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

// Flush sends what the channels have, as far as their budgets go, and makes the wire send what it collected when it
// is a [Flusher]. Call it after the last [Session.Send] of a tick; otherwise that waits for the next Poll.
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

// Spread calls do for each of some sessions, on the workers of [ServerConfig.Workers]: i is from 0 to
// len(sessions)−1, and no worker has two at once. Inside do(worker, i) the Send of sessions[i] may be called, and of no
// other session, and everything else of sessions[i] that is for the goroutine that polls, but not Close. Sends in do at
// the time now.
//
// On a wire that takes datagrams from several goroutines ([ParallelWire]) they go to it at once. Any other gets them
// after the last do, in the order of the sessions, whatever the number of workers: on a virtual network everything is
// the same for each number. An error of such a wire is no error of Send: it counts in [Stats].Unsent, as a datagram
// that is lost.
//
// Spread panics inside itself, and inside Received and Acked of a Poll. The sessions must be different ones, of this
// server. Without do capturing variables, or stored once, it allocates nothing.
func (s *Server) Spread(now time.Time, sessions []Session, do func(worker, i int)) {
	if s.lanes.running {
		panic("netsys: Server.Spread inside Spread, Received or Acked; call it between two Polls")
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

// StopAccepting makes the server refuse new clients, with an [ErrRefused] that matches [ErrClosed], while it goes
// on with those that were welcomed before.
func (s *Server) StopAccepting() { s.closing = true }

// Sessions are the connected clients in join order.
func (s *Server) Sessions() iter.Seq[Session] {
	return func(yield func(Session) bool) {
		for _, session := range s.schedule.all {
			if session.state == connected && !yield(session) {
				return
			}
		}
	}
}

// Len is the number of connected clients.
func (s *Server) Len() int {
	n := 0
	for _, session := range s.schedule.all {
		if session.state == connected {
			n++
		}
	}
	return n
}

// Tag is the [ClientConfig.Tag] of the client of one of this server's sessions.
func (s *Server) Tag(of Session) uint64 {
	if session, ok := of.(*session); ok {
		return session.details.tag
	}
	return 0
}

// Login is what [ServerConfig.Login] returned for one of this server's sessions; without it, the
// [ClientConfig.Login] of its client.
func (s *Server) Login(of Session) []byte {
	if session, ok := of.(*session); ok {
		return session.details.login
	}
	return nil
}

// Drops counts the authentic packets thrown away so far, by reason.
func (s *Server) Drops() Drops { return s.drops }

// DatagramDrops counts the datagrams that netcode threw away so far, by reason: of strangers, forged, replayed, or for
// want of a slot. Those of clients that change their address are among [netcode.DropUnknownSender].
func (s *Server) DatagramDrops() netcode.Drops { return s.netcode.Drops() }

// LocalAddr is the address of the wire.
func (s *Server) LocalAddr() netip.AddrPort { return s.carrier.wire.LocalAddr() }

// receive takes one datagram that is no connected session's, or whose turn has come.
func (s *Server) receive(d Datagram) {
	now := s.carrier.now
	switch drop := s.netcode.Receive(now, d.From, d.Data, &s.hears); {
	case drop.RefusesToken():
		s.hears.refusals.add(s.carrier.clock.At(now), peerAddr(s.carrier.wire, d.From), drop)
	case drop == netcode.DropUnknownSender:
		if p := s.netcode.Find(now, d.From, d.Data, &s.hears); p != nil {
			s.moved(p.Context.(*session), d.From)
		}
	}
}

// serverHears is told by netcode what happens.
type serverHears struct {
	server   *Server
	refusals *refusalLog
}

// Connected implements [netcode.ServerHandler].
func (h *serverHears) Connected(now time.Time, p *netcode.Peer) {
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
func (h *serverHears) Payload(now time.Time, p *netcode.Peer, payload []byte) {
	h.server.packet(now, p.Context.(*session), payload)
}

// Ending implements [netcode.Farewell].
func (h *serverHears) Ending(now time.Time, p *netcode.Peer, reason error) bool {
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

// Disconnected implements [netcode.ServerHandler]. The end is reported at once: when the player is back already,
// before anything of the new session.
func (h *serverHears) Disconnected(now time.Time, p *netcode.Peer, reason error) {
	if reason == netcode.ErrFlood {
		h.server.drops.count(DropFlood)
	}
	p.Context.(*session).end(endOf(reason))
	h.server.report(now)
}
