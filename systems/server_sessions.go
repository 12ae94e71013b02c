package systems

import (
	"slices"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// MaxMessages is how many messages of one client a server reads in one wake-up:
// what an honest client sends in four seconds at 60 ticks a second. More are
// counted and not read, so that no client can make a tick longer than that.
const MaxMessages = 256

// receive is the system Receive of a server: it takes in what arrived.
func (s *Server) receive(*ecs.World) {
	for _, p := range s.peers {
		p.messages, p.heard = 0, 0
	}
	s.endpoint.Poll(s.now, (*serverHandler)(s))
	drops := s.endpoint.DatagramDrops()
	s.tellTokens(s.now, &drops)
	s.expireSeats()
	s.dropDeaf()
	s.polled = s.now
}

// dropDeaf ends the sessions of clients that acknowledged nothing for the timeout,
// although they send: nothing reaches them, or they do not read.
func (s *Server) dropDeaf() {
	if s.polled.IsZero() {
		return
	}
	passed := min(max(s.now.Sub(s.polled), 0), time.Second) // a process that was held did not listen
	for _, p := range s.peers {
		if !p.unheard {
			continue
		}
		if p.silence += passed; p.silence >= s.config.Timeout && !p.deaf {
			p.deaf = true
			s.stats.Deaf++
			s.config.Logger.Warn("client dropped: it acknowledges nothing", "client", p.id, "for", p.silence)
			p.session.Close(s.now, netsys.ReasonKicked)
		}
	}
}

// serverHandler keeps the session callbacks out of Server's methods.
type serverHandler Server

func (h *serverHandler) Connected(_ time.Time, session netsys.Session) {
	s := (*Server)(h)
	id := uint32(session.ID())
	kept, back := s.takeSeat(session.ClientID(), id)
	if !back && session.ID()>>numberBits != 0 {
		// Owners have 32 bits, and a number that was used before must not own
		// what its first bearer left behind. All numbers are used up; or who comes
		// back took longer than anybody waits.
		session.Close(s.now, netsys.ReasonServerClosing)
		s.config.Logger.Error("client refused: there is no client number for it", "address", session.RemoteAddr())
		return
	}
	p := &peer{id: id, session: session, budget: s.config.Budget, model: s.model}
	if s.agreement.with(s.endpoint.Tag(session), "client", id) {
		p.model = s.trainedModel
	}
	in := s.protocol.Input()
	p.inputs = newInputBuffer(inputTable(s.protocol), s.config.TickRate, s.config.WakeEvery)
	if in != nil {
		p.held = make([]byte, in.Schema.Size)
		if held := p.heldInput(); held != nil {
			in.Schema.Snap(held)
		}
	}
	s.peers = append(s.peers, p)
	s.byID[id] = p
	if s.config.Events != nil {
		s.config.Events.Join(id, session.Channels())
	}
	word := "client joined"
	if back {
		s.stats.Returned++
		word = "client is back"
	}
	s.config.Logger.Info(word, "client", id, "address", session.RemoteAddr())
	s.mode.joined(p, kept, back)
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	i := slices.IndexFunc(s.peers, func(p *peer) bool { return p.session == session })
	if i < 0 {
		return // it never joined
	}
	p := s.peers[i]
	s.peers = slices.Delete(s.peers, i, i+1)
	delete(s.byID, p.id)
	if s.config.Events != nil {
		s.config.Events.Leave(p.id)
	}
	s.departed.inputs.add(p.inputs.stats)
	s.departed.changes.add(p.changes.stats)
	s.departed.untold += p.notices.untold
	s.departed.link.add(p.session.Stats())
	waited := s.waits(p, reason)
	s.mode.left(p, waited)
	if waited {
		s.config.Logger.Info("client is gone, and waited for", "client", p.id, "reason", reason)
		s.keepSeat(p)
		return
	}
	s.config.Logger.Info("client left", "client", p.id, "reason", reason)
	s.left = append(s.left, p.id)
}

func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	s := (*Server)(h)
	if p := s.peer(session); p != nil {
		p.unheard, p.silence = false, 0
		p.ackedNotices(seq)
		s.mode.acked(p, seq)
	}
}

func (h *serverHandler) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	s := (*Server)(h)
	p := s.peer(session)
	if p == nil {
		return
	}
	p.loss.packet(s.now)
	if p.messages++; p.messages > MaxMessages {
		s.stats.FloodedMessages++
		s.flooded(p)
		return
	}
	pk, ok := s.takeChanges(p, pk)
	if !ok {
		return
	}
	s.stats.InputBytes += uint64(len(pk.Data))
	s.mode.received(p, pk)
}

// refuse counts a malformed message. A client that goes on sending them must
// fill neither the log nor the server's time.
func (s *Server) refuse(p *peer, err error) {
	s.stats.MalformedMessages++
	p.malformed++
	if p.malformed == 1 {
		s.config.Logger.Warn("message refused; more from this client are only counted", "client", p.id, "error", err)
	}
	if p.malformed >= MaxMalformed {
		p.session.Close(s.now, netsys.ReasonProtocol)
	}
}

func (s *Server) peer(session netsys.Session) *peer {
	for _, p := range s.peers {
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
