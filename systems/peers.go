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
	place    int // on the list of those who are here
}

// serverSessions is who is here, who has left, and who is waited for.
type serverSessions struct {
	*sessions.Roster
	peers roll.Roll[peer]  // in the order in which they came
	byID  map[uint32]*peer // for looking up alone
	desk  *commands.Desk
}

// begin makes the list of who is here, which nobody is.
func (x *serverSessions) begin(r *sessions.Roster) {
	x.Roster, x.byID = r, make(map[uint32]*peer)
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

// newRoster makes the roster of a server.
func newRoster(s *Server) *sessions.Roster {
	return sessions.New(sessions.Config{
		MaxClients: s.config.MaxClients, MaxDelivered: sessions.Delivered(s.config.Channels), Timeout: s.config.Timeout,
		ReconnectWindow: s.config.ReconnectWindow, Logger: s.config.Logger, Now: func() time.Time { return s.link.now },
	})
}

// receive is the system Receive of a server: it takes in what arrived.
func (s *Server) receive(*ecs.World) {
	s.sessions.Poll()
	s.link.endpoint.Poll(s.link.now, (*serverHandler)(s))
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
	c, kept, back := s.sessions.Enter(session)
	if c == nil {
		return
	}
	p := &peer{Client: c, owned: s.owned.Join(c.ID, &c.Notices, &c.Logged), commands: s.sessions.desk.Join(c.ID, &c.Notices, &c.Logged)}
	p.inputs = s.intake.Join(p.ID, session, &p.Notices, &p.Logged)
	s.sessions.add(p)
	if s.config.Events != nil {
		s.config.Events.Join(p.ID, session.Channels())
	}
	s.model.teller.Join(p)
	s.model.applier.Join(p, kept, back)
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	p := s.sessions.remove(session)
	if p == nil {
		return
	}
	if s.config.Events != nil {
		s.config.Events.Leave(p.ID)
	}
	if s.sessions.Waits(p.Client, reason) && s.model.applier.Plays(p) {
		s.sessions.desk.Give(p.commands, s.model.applier)
	}
	s.sessions.desk.Leave(p.commands)
	s.owned.Leave(p.owned)
	s.model.teller.Leave(p) // it may still count inputs
	s.intake.Leave(p.inputs)
	s.model.applier.Leave(p, s.sessions.Waits(p.Client, reason))
	s.sessions.Leave(p.Client, reason, p.inputs.Consumed())
}

func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	s := (*Server)(h)
	if p := s.sessions.of(session); p != nil {
		p.Client.Acked()
		p.Notices.Acked(seq, p.owned.Received)
		s.model.teller.Acked(p, seq)
	}
}

func (h *serverHandler) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	s := (*Server)(h)
	p := s.sessions.of(session)
	if p == nil {
		return
	}
	p.inputs.Loss.Packet(s.link.now)
	if !s.sessions.Read(p.Client) {
		return
	}
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

// Message takes in a message of a channel. A client that sends more of them than its
// queues hold breaks the protocol: what is reliable cannot be left unread.
func (h *serverHandler) Message(_ time.Time, session netsys.Session, number int, message []byte) {
	s := (*Server)(h)
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
