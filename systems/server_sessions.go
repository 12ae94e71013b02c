package systems

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// sessions is who is here, who has left, and who is waited for.
type sessions struct {
	peers        []*peer
	byID         map[uint32]*peer // for looking up alone
	departed     departed
	numbers      uint32        // client numbers given
	returns      uint32        // handshakes of players that were waited for
	reservations []reservation // of players that are waited for, in the order in which they went
	toLeave      []uint32      // clients whose leave is not carried out yet
	polled       time.Time
	heardLimit   int // messages of channels that a client may have delivered in a wake-up
}

// MaxMessages is how many messages of one client a server reads in one wake-up:
// what an honest client sends in four seconds at 60 ticks a second. More are
// counted and not read, so that no client can make a tick longer than that.
const MaxMessages = 256

// MaxMalformed is how many messages that no honest peer sends a session may
// carry: as many as four wake-ups of a server read. The first is logged, the last
// ends the session with netsys.ReasonProtocol; all are counted as
// MalformedMessages.
const MaxMalformed = 4 * MaxMessages

// receive is the system Receive of a server: it takes in what arrived.
func (s *Server) receive(*ecs.World) {
	for _, p := range s.sessions.peers {
		p.limits.messages, p.limits.heard = 0, 0
	}
	s.link.endpoint.Poll(s.link.now, (*serverHandler)(s))
	drops := s.link.endpoint.DatagramDrops()
	s.tellTokens(s.link.now, &drops)
	s.expireReservations()
	s.dropDeaf()
	s.sessions.polled = s.link.now
}

// dropDeaf ends the sessions of clients that acknowledged nothing for the timeout,
// although they send: nothing reaches them, or they do not read.
func (s *Server) dropDeaf() {
	if s.sessions.polled.IsZero() {
		return
	}
	passed := min(max(s.link.now.Sub(s.sessions.polled), 0), time.Second) // a process that was held did not listen
	for _, p := range s.sessions.peers {
		if !p.liveness.unacked {
			continue
		}
		if p.liveness.silence += passed; p.liveness.silence >= s.config.Timeout && !p.liveness.deaf {
			p.liveness.deaf = true
			s.stats.Deaf++
			s.config.Logger.Warn("client dropped: it acknowledges nothing", "client", p.id, "for", p.liveness.silence)
			p.session.Close(s.link.now, netsys.ReasonKicked)
		}
	}
}

// serverHandler keeps the session callbacks out of Server's methods.
type serverHandler Server

func (h *serverHandler) Connected(_ time.Time, session netsys.Session) {
	s := (*Server)(h)
	id := uint32(session.ID())
	kept, back := s.takeReservation(session.ClientID(), id)
	if !back && session.ID()>>numberBits != 0 {
		// Owners have 32 bits, and a number that was used before must not own
		// what its first bearer left behind. All numbers are used up; or who comes
		// back took longer than anybody waits.
		session.Close(s.link.now, netsys.ReasonServerClosing)
		s.config.Logger.Error("client refused: there is no client number for it", "address", session.RemoteAddr())
		return
	}
	p := &peer{id: id, session: session}
	p.owned.Begin(id, &p.notices, &p.logged)
	p.inputs = s.intake.Begin(id, session, &p.notices, &p.logged)
	s.sessions.peers = append(s.sessions.peers, p)
	s.sessions.byID[id] = p
	if s.config.Events != nil {
		s.config.Events.Join(id, session.Channels())
	}
	word := "client joined"
	if back {
		s.stats.Returned++
		word = "client is back"
	}
	s.config.Logger.Info(word, "client", id, "address", session.RemoteAddr())
	s.model.teller.Join(p)
	s.model.applier.Join(p, kept, back)
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	i := slices.IndexFunc(s.sessions.peers, func(p *peer) bool { return p.session == session })
	if i < 0 {
		return // it never joined
	}
	p := s.sessions.peers[i]
	s.sessions.peers = slices.Delete(s.sessions.peers, i, i+1)
	delete(s.sessions.byID, p.id)
	if s.config.Events != nil {
		s.config.Events.Leave(p.id)
	}
	s.sessions.departed.inputs.Add(p.inputs.Stats())
	s.sessions.departed.changes.Add(p.owned.Stats)
	s.sessions.departed.untold += p.notices.Untold()
	s.sessions.departed.link.add(p.session.Stats())
	waited := s.waits(p, reason)
	s.model.teller.Leave(p)
	s.model.applier.Leave(p, waited)
	if waited {
		s.config.Logger.Info("client is gone, and waited for", "client", p.id, "reason", reason)
		s.reserve(p)
		return
	}
	s.config.Logger.Info("client left", "client", p.id, "reason", reason)
	s.sessions.toLeave = append(s.sessions.toLeave, p.id)
}

func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	s := (*Server)(h)
	if p := s.peer(session); p != nil {
		p.liveness.unacked, p.liveness.silence = false, 0
		p.notices.Acked(seq, p.owned.Heard)
		s.model.teller.Acked(p, seq)
	}
}

func (h *serverHandler) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	s := (*Server)(h)
	p := s.peer(session)
	if p == nil {
		return
	}
	p.inputs.Loss.Packet(s.link.now)
	if p.limits.messages++; p.limits.messages > MaxMessages {
		s.stats.FloodedMessages++
		s.flooded(p)
		return
	}
	pk, err := s.owned.TakePrefix(&p.owned, pk)
	if err != nil {
		s.refuse(p, err)
		return
	}
	s.stats.InputBytes += uint64(len(pk.Data))
	s.model.applier.Receive(p, pk)
}

// refuse counts a malformed message. A client that goes on sending them must
// fill neither the log nor the server's time.
func (s *Server) refuse(p *peer, err error) {
	s.stats.MalformedMessages++
	p.limits.malformed++
	if p.limits.malformed == 1 {
		s.config.Logger.Warn("message refused; more from this client are only counted", "client", p.id, "error", err)
	}
	if p.limits.malformed >= MaxMalformed {
		p.session.Close(s.link.now, netsys.ReasonProtocol)
	}
}

// unsent counts a packet that was not sent, but for those to a client whose session this
// very step has ended.
func (s *Server) unsent(err error) {
	if !errors.Is(err, netsys.ErrClosed) {
		s.stats.SendErrors++
	}
}

func (s *Server) peer(session netsys.Session) *peer {
	for _, p := range s.sessions.peers {
		if p.session == session {
			return p
		}
	}
	return nil
}

// ownedRow finds the entities of an owner.
type ownedRow struct {
	Owner *components.Owner
}

func despawnOwned(w *ecs.World, id uint32) {
	for e, r := range ecs.EachInOrder[ownedRow](w) { // all peers alike
		if r.Owner.Client == id {
			w.Despawn(e) // within a stage, so it waits for the end of the walk
		}
	}
}
