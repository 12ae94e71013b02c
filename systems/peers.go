package systems

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// peer is what the server knows of one client.
type peer struct {
	*sessions.Client
	inputs   *serverapply.Client
	relayed  *deterministic.Member // nil where snapshots are sent
	owned    *ownership.Values
	report   *report.Client   // nil: own state always travels
	snapshot *snapshot.Client // nil where no snapshots are sent
	commands *commands.Inbox
	place    int    // on the list of those who are here
	left     int    // things that workers have left of it
	acked    uint32 // newest tick whose state it has
}

// serverSessions is who is here, who has left, and who is waited for.
type serverSessions struct {
	*sessions.Roster
	peers roll.Roll[peer]  // in the order in which they came
	byID  map[uint32]*peer // for looking up alone
	desk  *commands.Desk

	receivers []receiver // by worker
	later     *sessions.Later[later]
}

// begin makes the list of who is here, which nobody is.
func (x *serverSessions) begin(s *Server) {
	x.Roster, x.byID, x.later = newRoster(s), make(map[uint32]*peer), sessions.NewLater[later](s.workers.Workers())
	for worker := range s.workers.Workers() {
		x.receivers = append(x.receivers, receiver{serverHandler: (*serverHandler)(s), worker: worker})
	}
	x.peers = roll.New(func(p *peer) *int { return &p.place })
}

// add begins with a client.
func (x *serverSessions) add(p *peer) {
	x.peers.Add(p)
	x.byID[p.ID] = p
}

// remove ends with the client of a session, and returns it; nil where it never joined.
func (x *serverSessions) remove(session netsys.Session) *peer {
	p := x.of(session)
	if p != nil {
		x.peers.Remove(p)
		delete(x.byID, p.ID)
	}
	return p
}

// of is the client of a session, nil where it never joined.
func (x *serverSessions) of(session netsys.Session) *peer {
	if p := x.byID[uint32(session.ID())]; p != nil && p.Session == session {
		return p // and nobody who came back under its number
	}
	return nil
}

// MaxMessages is how many messages of one client a server reads in one wake-up:
// what an honest client sends in four seconds at 60 ticks a second. More are
// counted and not read, so that no client can make a tick longer than that.
const MaxMessages = sessions.MaxMessages

// MaxMalformed is how many messages that no honest peer sends a session may
// carry: as many as four wake-ups of a server read. The first is logged, the last
// ends the session with netsys.ReasonProtocol; all are counted as
// MalformedMessages.
const MaxMalformed = sessions.MaxMalformed

// Door is told who comes and goes: see ServerConfig.Door. Package rooms has one, with a list of seats.
type Door = sessions.Door

// newRoster makes the roster of a server.
func newRoster(s *Server) *sessions.Roster {
	return sessions.New(sessions.Config{
		MaxClients: s.config.MaxClients, MaxDelivered: sessions.Delivered(s.config.Channels), Timeout: s.config.Timeout,
		ReconnectWindow: s.config.ReconnectWindow, Logger: s.config.Logger, Door: s.config.Door, Now: func() time.Time { return s.link.now },
	})
}

// receive is the system Receive of a server: it takes in what arrived.
func (s *Server) receive(*ecs.World) {
	s.sessions.Poll()
	h := (*serverHandler)(s)
	s.link.endpoint.Poll(s.link.now, h)
	h.catchUp()
	s.acknowledge()
	s.sessions.Polled()
	s.sessions.desk.Deliver(s.model.applier, func(client uint32) bool {
		p := s.sessions.byID[client]
		return p != nil && s.model.applier.Plays(p)
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
	p := &peer{Client: c, owned: s.owned.Join(c.ID, &c.Notices, &c.Logged), commands: s.sessions.desk.Join(c.ID, &c.Notices, &c.Logged)}
	p.inputs = s.intake.Join(p.ID, session, &p.Notices, &p.Logged)
	s.sessions.add(p)
	if s.config.Events != nil {
		s.config.Events.Join(p.ID, sessions.Ordinal(session), session.Channels())
	}
	s.model.teller.Join(p)
	s.model.applier.Join(p, kept, back)
	if back {
		s.presence(p.ID, false)
	}
}

// presence tells the rules that a player is away, or back: see [ecs.Protocol.Away].
func (s *Server) presence(client uint32, away bool) {
	_ = CommandFor(s, client, ecs.Presence{Away: away}) // an error: the protocol does not ask
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	h.catchUp()
	p := s.sessions.remove(session)
	if p == nil {
		return
	}
	waits := s.sessions.Waits(reason)
	if s.config.Events != nil && waits {
		s.config.Events.Suspend(p.ID)
	} else if s.config.Events != nil {
		s.config.Events.Leave(p.ID)
	}
	if waits && s.model.applier.Plays(p) {
		s.sessions.desk.Give(p.commands, s.model.applier)
	}
	s.sessions.desk.Leave(p.commands)
	s.owned.Leave(p.owned)
	s.model.teller.Leave(p) // it may still count inputs
	s.intake.Leave(p.inputs)
	s.model.applier.Leave(p, waits)
	s.sessions.Leave(p.Client, reason, p.inputs.Consumed())
	if waits {
		s.presence(p.ID, true)
	}
}

// OnWorker is who takes in packets on a worker.
func (h *serverHandler) OnWorker(worker int) netsys.Handler { return &h.sessions.receivers[worker] }

// Acked and Received are those of the first worker.
func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	h.sessions.receivers[0].Acked(session, seq)
}

func (h *serverHandler) Received(now time.Time, session netsys.Session, pk netsys.Packet) {
	h.sessions.receivers[0].Received(now, session, pk)
}

// Message takes in a message of a channel. A client that sends more of them than its
// queues hold breaks the protocol: what is reliable cannot be left unread.
func (h *serverHandler) Message(_ time.Time, session netsys.Session, number int, message []byte) {
	s := (*Server)(h)
	h.catchUp()
	p := s.sessions.of(session)
	if p == nil {
		return
	}
	if !s.sessions.Deliver(p.Client) {
		return
	}
	s.stats.ChannelMessages++
	taken, err := s.model.message(p, number, message)
	if !taken && s.config.Events != nil {
		taken, err = s.config.Events.Receive(p.ID, number, message)
	}
	if !taken && s.config.OnMessage != nil {
		ecs.Handle(s.world, "ServerConfig.OnMessage", func() { err = s.config.OnMessage(s, p.ID, number, message) })
	}
	if err != nil {
		s.sessions.Refuse(p.Client, fmt.Errorf("%w: channel %d: %w", ErrMessage, number, err))
	}
}

// receiver takes in packets on a worker: of one client at a time, while others have other clients. It writes what is
// of that client. What is about more than that it leaves to the server's goroutine, for which it keeps a copy:
// catchUp. So it does not matter which worker had which client.
type receiver struct {
	*serverHandler
	worker  int
	bytes   uint64 // of inputs, which are not counted yet
	touched byte   // means nothing
}

// private is an applier whose inputs are about their client alone.
type private interface {
	// ReceiveOn takes in a message of inputs, on a worker.
	ReceiveOn(worker int, p *peer, pk netsys.Packet) error
}

// later is what a worker has left.
type later struct {
	p       *peer
	packet  netsys.Packet // without its bytes
	err     error         // not nil: the packet is malformed
	flooded bool          // it is one too many
}

// leave leaves something of a client to the server's goroutine.
func (r *receiver) leave(l later, data []byte) {
	l.packet.Data = nil
	r.sessions.later.Leave(r.worker, l.p.place, l.p.left, l, data)
	l.p.left++
}

func (r *receiver) Acked(session netsys.Session, seq uint16) {
	if p := r.sessions.of(session); p != nil {
		p.Client.Acked()
		p.Notices.Acked(seq, p.owned.Received)
		r.model.teller.Acked(p, seq)
	}
}

func (r *receiver) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	p := r.sessions.of(session)
	if p == nil {
		return
	}
	r.touched ^= p.inputs.Touch() ^ byte(p.owned.Newest()) // what a packet needs comes at the same time
	p.inputs.Loss.Packet(r.link.now)
	if !r.sessions.Read(p.Client) {
		r.leave(later{p: p, flooded: true}, nil)
		return
	}
	to, is := r.model.applier.(private)
	if !is || p.left > 0 || len(pk.Data) > 0 && pk.Data[0] == commands.PacketKind || ownership.HasPrefix(pk.Data) {
		r.leave(later{p: p, packet: pk}, pk.Data)
		return
	}
	p.owned.Pass(pk.Seq)
	r.bytes += uint64(len(pk.Data))
	if err := to.ReceiveOn(r.worker, p, pk); err != nil {
		r.leave(later{p: p, err: err}, nil)
	}
}

// catchUp does what workers have left.
func (h *serverHandler) catchUp() {
	s := (*Server)(h)
	for i := range s.sessions.receivers {
		r := &s.sessions.receivers[i]
		s.stats.InputBytes += r.bytes
		r.bytes = 0
	}
	s.sessions.later.Do(func(l later, data []byte) {
		switch l.p.left = 0; {
		case l.flooded:
			s.sessions.Flooded(l.p.Client)
		case l.err != nil:
			s.sessions.Refuse(l.p.Client, l.err)
		default:
			l.packet.Data = data
			h.take(l.p, l.packet)
		}
	})
}

// take takes in a packet on the server's goroutine.
func (h *serverHandler) take(p *peer, pk netsys.Packet) {
	s := (*Server)(h)
	if len(pk.Data) > 0 && pk.Data[0] == commands.PacketKind {
		if err := s.sessions.desk.Take(p.commands, pk.Data, s.link.now); err != nil {
			s.sessions.Refuse(p.Client, fmt.Errorf("%w: %w", ErrMessage, err))
		}
		return
	}
	pk, err := s.owned.TakePrefix(p.owned, pk)
	if err != nil {
		s.sessions.Refuse(p.Client, err)
		return
	}
	s.stats.InputBytes += uint64(len(pk.Data))
	s.model.applier.Receive(p, pk)
}
