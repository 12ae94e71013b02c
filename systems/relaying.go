package systems

import (
	"errors"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/policy"
)

// relaying simulates everything as each client does, from inputs that it sends to all clients.
type relaying struct {
	*relay.Server
	s *Server
}

func newRelaying(s *Server, c relay.Config) *relaying {
	m := &relaying{s: s}
	c.Diverged = m.reportDivergence
	if s.config.Players.Refuse.check != nil {
		c.Refuse = func(player, tick uint32, words []int32) bool {
			return s.intake.Refuse(player, tick, tick, words)
		}
	}
	m.Server = relay.NewServer(s.world, c, s.tickListener())
	return m
}

// Ready reports whether a due tick can be simulated; lockstep waits for inputs.
func (m *relaying) Ready() bool {
	for _, p := range m.s.sessions.peers.All() {
		if !m.Playing(p.ID) {
			m.SetLead(p.ID, p.Session.Stats())
		}
	}
	m.SkipTicks(m.s.dropped())
	return m.Server.Ready()
}

// Run is the system ServerApply. It simulates ticks again for which inputs arrived late, and begins the next tick.
func (m *relaying) Run(*ecs.World) { m.Timeline().BeginTick() }

// Join adds a client, which receives the state of the world.
func (m *relaying) Join(p *peer, _ sessions.Reservation, back bool) {
	if back {
		m.admit(p, "client refused", m.Resync(p.ID))
		return
	}
	m.admit(p, "client refused", m.Add(p.ID, true, string(m.s.link.endpoint.Login(p.Session))))
}

// Watch adds a spectator, which receives the state of the world and all inputs.
func (m *relaying) Watch(p *peer) {
	var err error
	if r := p.recorder; r != nil {
		r.relayed.init(r.to, m.s.config.Session.Channels, &r.session.seq, r.begin)
		r.relayed.from, err = m.Record(p.ID)
	} else {
		err = m.Add(p.ID, false, "")
	}
	m.admit(p, "spectator refused", err)
}

// admit ends the session of a client that the relay has refused.
func (m *relaying) admit(p *peer, refused string, err error) {
	if err != nil {
		m.s.config.Logger.Error(refused, "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Leave removes a spectator. A player stays in the game without inputs until Depart.
func (m *relaying) Leave(p *peer, _ bool) {
	if p.spectator {
		m.Remove(p.ID)
	}
}

// Depart removes players from the game in the next tick.
func (m *relaying) Depart(gone []uint32) {
	for _, id := range gone {
		m.Remove(id)
	}
}

// Plays reports whether a client's player is in the game and its next commands can be sent.
func (m *relaying) Plays(p *peer) bool {
	return m.Playing(p.ID) && !m.CommandsWaiting(p.ID)
}

// Receive processes a datagram of a client.
func (m *relaying) Receive(p *peer, pk netsys.Packet) {
	if err := m.ReceivePacket(p.ID, pk); err != nil {
		m.s.sessions.Refuse(p.Client, err)
	}
}

// message processes a report of a divergence.
func (m *relaying) message(p *peer, number int, message []byte) (bool, error) {
	return m.Message(p.ID, number, message)
}

// reportDivergence counts, logs and reports the divergence of a client's world.
func (m *relaying) reportDivergence(d policy.Divergence) {
	m.s.stats.Divergences++
	what := notice.Desync
	if d.System != "" {
		what = notice.Unstable
	}
	if p := m.s.sessions.byID[d.Player]; p != nil && p.Logged.First(what) {
		m.s.config.Logger.Warn("worlds differ; more from this client are only counted", "client", d.Player, "divergence", d)
	}
	m.s.flight.diverged(d)
	if f := desync(m.s.config.Model); f != nil {
		f(d)
	}
}

// status adds the state of the relay.
func (m *relaying) status(st ModelStatus) ModelStatus {
	st.Relay, st.WaitsFor = m.Stats(), m.Awaited()
	return st
}

// client adds the state of a client.
func (m *relaying) client(p *peer, st ClientStatus) ClientStatus {
	st.Joining = !m.Playing(p.ID)
	return st
}

// relaySender sends the inputs of all players to clients.
type relaySender struct{ *relaying }

// Join does nothing: the relay learns of joins with the inputs.
func (relaySender) Join(*peer) {}

// Leave updates the counters of a client before they are added to those of departed clients.
func (t relaySender) Leave(p *peer) { t.account(p) }

// Acked does nothing: messages contain acknowledgements.
func (relaySender) Acked(*peer, uint16) {}

// Run is the system Snapshot: it prepares the state of the world for joining clients.
func (t relaySender) Run(*ecs.World) { t.PrepareStates() }

// Send is the system Send: it sends every client the unacknowledged inputs.
func (t relaySender) Send(*ecs.World) {
	s := t.s
	s.stats.Sends++
	s.stats.Mended = t.Stats().Mended
	for _, p := range s.sessions.peers.All() {
		t.account(p)
		if r := p.recorder; r != nil {
			r.relayed.write(s.link.now)
			continue
		}
		if b := t.NextPacket(p.ID, p.Session); b != nil {
			if _, ok := s.sessions.Send(p.Client, b); ok {
				s.stats.Updates++
				s.stats.RelayBytes += uint64(len(b))
			}
		}
		n, err := t.SendReliable(p.ID, p.Session)
		s.stats.StateBytes += uint64(n)
		switch {
		case errors.Is(err, relay.ErrTooLarge) || errors.Is(err, relay.ErrAbsent):
			s.config.Logger.Error("client cannot join", "client", p.ID, "error", err)
			p.Session.Close(s.link.now, netsys.ReasonKicked)
		case err != nil:
			s.config.Logger.Error("state was not sent", "client", p.ID, "error", err)
		}
	}
	s.link.endpoint.Flush(s.link.now)
}

// account copies the counters of a client's inputs to its [ClientStatus].
func (t relaySender) account(p *peer) {
	in := t.Inputs(p.ID)
	if in.Newest == 0 {
		return
	}
	st := p.inputs.Stats()
	st.Consumed, st.Missing, st.Late, st.Rejected, st.Rewrote = in.Consumed, in.Missing, in.Late, in.Refused-st.Refused, in.Rewrote
	p.inputs.SetRelayed(in.Newest, in.Waiting, st)
}
