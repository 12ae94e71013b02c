package systems

import (
	"fmt"
	"iter"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// peer is the server's record of one client.
type peer struct {
	*sessions.Client
	inputs        *serverapply.Client
	report        *report.Client   // nil: owner state is always sent
	snapshot      *snapshot.Client // nil if no snapshots are sent
	commands      *commands.Inbox
	spectator     bool
	recorder      *recorder                        // nil: the client has a connection
	index         int                              // index in serverSessions.peers
	deferredItems int                              // number of deferred items of this client
	acked         uint32                           // newest tick whose state the client has
	flight        struct{ acked, consumed uint32 } // what the flight has
	useful        usefulInputs
}

// serverSessions tracks connected clients, reservations, and players who have left.
type serverSessions struct {
	*sessions.Roster
	peers     roll.Roll[peer]  // in joining order
	byID      map[uint32]*peer // for lookups only
	commands  *commands.Receiver
	recorders []*recorder

	receivers []receiver // by worker
	deferred  *sessions.Deferred[deferred]
}

// init prepares empty lists.
func (x *serverSessions) init(s *Server) {
	x.Roster, x.byID, x.deferred = newRoster(s), make(map[uint32]*peer), sessions.NewDeferred[deferred](s.workers.Workers())
	for worker := range s.workers.Workers() {
		x.receivers = append(x.receivers, receiver{serverHandler: (*serverHandler)(s), worker: worker})
	}
	x.peers = roll.New(func(p *peer) *int { return &p.index })
}

// add adds a client.
func (x *serverSessions) add(p *peer) {
	x.peers.Add(p)
	x.byID[p.ID] = p
}

// remove removes the client of a session and returns it, or nil if it never joined.
func (x *serverSessions) remove(session netsys.Session) *peer {
	p := x.find(session)
	if p != nil {
		x.peers.Remove(p)
		delete(x.byID, p.ID)
	}
	return p
}

// find returns the client of a session, or nil if it never joined.
func (x *serverSessions) find(session netsys.Session) *peer {
	if p := x.byID[uint32(session.ID())]; p != nil && p.Session == session {
		return p // not a returning player's new session
	}
	return nil
}

// MaxMessages is the maximum number of messages of one client that a server reads per wake-up: as many as a correct
// client sends in four seconds at 60 ticks per second. Further messages are counted and not read, so that no client
// can make a tick last longer.
const MaxMessages = sessions.MaxMessages

// MaxMalformed is the number of malformed messages after which a session ends with netsys.ReasonProtocol: as many
// as a server reads in four wake-ups. The first one is logged; all are counted as MalformedMessages.
const MaxMalformed = sessions.MaxMalformed

// AdmissionHandler is called when clients join and leave: see Players.Admission. Package rooms implements it with a list
// of seats. Its methods are called in Receive, for players and spectators, and must not change the world. Seats are reserved for
// players only.
//
//	Admit(s netsys.Session) error                   // in the handshake, before Players.Login; an error refuses the client and is sent to it
//	Entered(s netsys.Session, client uint32)        // connected, with its number
//	Left(s netsys.Session, client uint32, reason error, waits bool) // ended; waits: the seat is reserved
//	Gone(player uint64, client uint32)              // the player, by the client id of its tokens, did not return in time
type AdmissionHandler = sessions.AdmissionHandler

// newRoster returns the roster of a server.
func newRoster(s *Server) *sessions.Roster {
	return sessions.New(sessions.Config{
		MaxClients: s.config.MaxClients, MaxSpectators: s.config.Players.Spectators, Admitted: func() iter.Seq[netsys.Session] { return s.link.endpoint.Admitted() },
		MaxDelivered:    sessions.Delivered(s.config.Session.Channels),
		Timeout:         s.config.Session.Timeout,
		ReconnectWindow: s.config.Players.ReconnectWindow, Logger: s.config.Logger, Admission: s.config.Players.Admission, Now: func() time.Time { return s.link.now },
	})
}

// receive is the system Receive of a server: it processes arrived packets.
func (s *Server) receive(*ecs.World) {
	s.sessions.Poll()
	h := (*serverHandler)(s)
	s.link.endpoint.Poll(s.link.now, h)
	s.acknowledgeRecorders()
	h.catchUp()
	s.acknowledge()
	s.sessions.Polled()
	s.sessions.commands.Deliver(s.model.applier, func(client uint32) bool {
		p := s.sessions.byID[client]
		return p != nil && s.model.applier.Plays(client)
	})
}

// serverHandler keeps the session callbacks out of Server's methods.
type serverHandler Server

func (h *serverHandler) Connected(_ time.Time, session netsys.Session) {
	s := (*Server)(h)
	h.catchUp()
	c, kept, back := s.sessions.Enter(session)
	if c == nil {
		return
	}
	p := &peer{Client: c, spectator: session.Spectator(), commands: s.sessions.commands.Join(c.ID, &c.Notices, &c.Logged)}
	if p.spectator {
		p.inputs = s.intake.Watch(p.ID, session, &p.Notices, &p.Logged)
	} else {
		p.inputs = s.intake.Add(p.ID, session, &p.Notices, &p.Logged)
	}
	s.sessions.add(p)
	if s.config.Events != nil {
		s.config.Events.Join(p.ID, sessions.Ordinal(session), session.Channels())
	}
	s.model.sender.Join(p)
	if p.spectator {
		return
	}
	p.report = s.report.Join(p.ID)
	s.admit(p, s.model.applier.Join(p.ID, string(s.link.endpoint.Login(session)), back, kept.Input))
	if back {
		s.notePresence(p.ID, false)
	}
}

// admit ends the session of a client that could not join because of err, which may be nil.
func (s *Server) admit(p *peer, err error) {
	if err != nil {
		s.config.Logger.Error("client refused", "client", p.ID, "spectator", p.spectator, "error", err)
		p.Session.Close(s.link.now, netsys.ReasonServerClosing)
	}
}

// notePresence tells the rules that a player is away or has returned: see [ecs.Protocol.Away].
func (s *Server) notePresence(client uint32, away bool) {
	_ = CommandFor(s, client, ecs.Presence{Away: away}) // an error means that the protocol does not use it
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	h.catchUp()
	p := s.sessions.remove(session)
	if p == nil {
		return
	}
	waits := !p.spectator && s.sessions.Waits(reason)
	if s.config.Events != nil && waits {
		s.config.Events.Suspend(p.ID)
	} else if s.config.Events != nil {
		s.config.Events.Leave(p.ID)
	}
	if waits && s.model.applier.Plays(p.ID) {
		s.sessions.commands.Forward(p.commands, s.model.applier)
	}
	s.sessions.commands.Leave(p.commands)
	s.model.sender.Leave(p) // it may still count inputs
	if !p.spectator {
		s.intake.Remove(p.inputs)
		s.report.Leave(p.ID)
		s.model.applier.Leave(p.ID, waits)
	}
	s.sessions.Leave(p.Client, reason, p.inputs.Consumed())
	if waits {
		s.notePresence(p.ID, true)
	}
}

// OnWorker returns the handler for packets on a worker.
func (h *serverHandler) OnWorker(worker int) netsys.Handler { return &h.sessions.receivers[worker] }

// Acked and Received use the receiver of the first worker.
func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	h.sessions.receivers[0].Acked(session, seq)
}

func (h *serverHandler) Received(now time.Time, session netsys.Session, pk netsys.Packet) {
	h.sessions.receivers[0].Received(now, session, pk)
}

// Message processes a message of a channel. It closes the session of a client that sends more than its queues hold,
// because reliable messages cannot be skipped.
func (h *serverHandler) Message(_ time.Time, session netsys.Session, number int, message []byte) {
	s := (*Server)(h)
	h.catchUp()
	p := s.sessions.find(session)
	if p == nil {
		return
	}
	if !s.sessions.Deliver(p.Client, number) {
		return
	}
	if number != channel.Control {
		s.stats.ChannelMessages++
	}
	taken, err := s.model.message(p, number, message)
	switch {
	case taken:
	case p.spectator:
		err = errSpectator
	case number == channel.Control:
		err = s.receiveCommand(p, message)
	case s.flight != nil:
		err = s.flight.message(p.ID, number, message)
	default:
		err = s.handleMessage(p.ID, number, message)
	}
	if err != nil {
		s.sessions.Refuse(p.Client, fmt.Errorf("%w: channel %d: %w", ErrMessage, number, err))
	}
}

// receiveCommand processes a command of a client.
func (s *Server) receiveCommand(p *peer, message []byte) error {
	dropped, err := s.sessions.commands.Receive(p.commands, message, s.link.now)
	if dropped {
		s.sessions.Flooded(p.Client)
	}
	return err
}

// handleMessage passes a message of a client to the game.
func (s *Server) handleMessage(client uint32, number int, message []byte) (err error) {
	if s.config.Events != nil {
		if taken, err := s.config.Events.Receive(client, number, message); taken {
			return err
		}
	}
	if s.config.Session.OnMessage != nil {
		ecs.Handle(s.world, "ServerConfig.Session.OnMessage", func() { err = s.config.Session.OnMessage(s, client, number, message) })
	}
	return err
}

// receiver receives packets on a worker: of one client at a time, while other workers process other clients. It
// writes only data of that client. Everything else is deferred with a copy of the packet; catchUp runs it on the
// server's goroutine. The result therefore does not depend on which worker had which client.
type receiver struct {
	*serverHandler
	worker  int
	bytes   uint64 // bytes of inputs that are not counted yet
	touched byte   // has no meaning
}

// deferred is work that a worker leaves to the server's goroutine.
type deferred struct {
	p       *peer
	packet  netsys.Packet // without its bytes
	err     error         // not nil: the packet is malformed
	flooded bool          // the packet exceeds the limit
}

// deferWork leaves work of a client to the server's goroutine.
func (r *receiver) deferWork(l deferred, data []byte) {
	l.packet.Data = nil
	r.sessions.deferred.Add(r.worker, l.p.index, l.p.deferredItems, l, data)
	l.p.deferredItems++
}

func (r *receiver) Acked(session netsys.Session, seq uint16) {
	if p := r.sessions.find(session); p != nil {
		p.Client.Acked()
		r.model.sender.Acked(p, seq)
	}
}

func (r *receiver) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	p := r.sessions.find(session)
	if p == nil {
		return
	}
	r.touched ^= p.inputs.Touch() // loads memory that the packet needs in parallel
	p.inputs.Loss.Packet(r.link.now)
	if !r.sessions.Read(p.Client) {
		r.deferWork(deferred{p: p, flooded: true}, nil)
		return
	}
	if !r.model.workers || p.spectator || p.deferredItems > 0 {
		r.deferWork(deferred{p: p, packet: pk}, pk.Data)
		return
	}
	r.bytes += uint64(len(pk.Data))
	if err := r.model.receive(r.worker, p, pk); err != nil {
		r.deferWork(deferred{p: p, err: err}, nil)
	}
}

// catchUp runs the work that workers have deferred.
func (h *serverHandler) catchUp() {
	s := (*Server)(h)
	for i := range s.sessions.receivers {
		r := &s.sessions.receivers[i]
		s.stats.InputBytes += r.bytes
		r.bytes = 0
	}
	s.sessions.deferred.Run(func(l deferred, data []byte) {
		switch l.p.deferredItems = 0; {
		case l.flooded:
			s.sessions.Flooded(l.p.Client)
		case l.err != nil:
			s.sessions.Refuse(l.p.Client, l.err)
		default:
			l.packet.Data = data
			h.receivePacket(l.p, l.packet)
		}
	})
}

// errSpectator refuses a command or a message of a spectator.
var errSpectator = fmt.Errorf("%w: a spectator sends neither commands nor messages", ErrMessage)

// receivePacket processes a packet on the server's goroutine.
func (h *serverHandler) receivePacket(p *peer, pk netsys.Packet) {
	s := (*Server)(h)
	s.stats.InputBytes += uint64(len(pk.Data))
	receive := s.model.receive
	if p.spectator {
		receive = s.model.skip
	}
	if err := receive(0, p, pk); err != nil {
		s.sessions.Refuse(p.Client, err)
	}
}
