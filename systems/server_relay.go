package systems

import (
	"errors"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/policy"
)

// relaySender sends the inputs of all players to clients, which simulate everything as the server does.
type relaySender struct {
	s     *Server
	relay *relay.Server
}

// newRelaySender returns the sender and its relay.
func newRelaySender(s *Server, c relay.Config) *relaySender {
	c.Diverged = s.reportDivergence
	if s.config.Players.Refuse.check != nil {
		c.Refuse = func(player, tick uint32, words []int32) bool {
			return s.intake.Refuse(player, tick, tick, words)
		}
	}
	return &relaySender{s: s, relay: relay.NewServer(s.world, c, s.tickListener())}
}

// reportDivergence counts, logs and reports the divergence of a client's world.
func (s *Server) reportDivergence(d policy.Divergence) {
	s.stats.Divergences++
	what := notice.Desync
	if d.System != "" {
		what = notice.Unstable
	}
	if p := s.sessions.byID[d.Player]; p != nil && p.Logged.First(what) {
		s.config.Logger.Warn("worlds differ; more from this client are only counted", "client", d.Player, "divergence", d)
	}
	s.flight.diverged(d)
	if f := desync(s.config.Model); f != nil {
		f(d)
	}
}

// Begin tells the relay the paths of joining players and the ticks that the server has skipped.
func (t *relaySender) Begin() {
	for _, p := range t.s.sessions.peers.All() {
		if !t.relay.Playing(p.ID) {
			t.relay.SetLead(p.ID, p.Session.Stats())
		}
	}
	t.relay.SkipTicks(t.s.dropped())
}

// Join adds a spectator, which receives the state of the world and all inputs. Players join with their inputs.
func (t *relaySender) Join(p *peer) {
	var err error
	switch r := p.recorder; {
	case r != nil:
		r.relayed.init(r.to, t.s.config.Session.Channels, &r.session.seq, r.begin)
		r.relayed.from, err = t.relay.Record(p.ID)
	case p.spectator:
		err = t.relay.Add(p.ID, false, "")
	}
	t.s.admit(p, err)
}

// Leave updates the counters of a client before they are added to those of departed clients, and removes a spectator.
func (t *relaySender) Leave(p *peer) {
	t.account(p)
	if p.spectator {
		t.relay.Remove(p.ID)
	}
}

// Acked does nothing: messages contain acknowledgements.
func (*relaySender) Acked(*peer, uint16) {}

// Run is the system Snapshot: it prepares the state of the world for joining clients.
func (t *relaySender) Run(*ecs.World) { t.relay.PrepareStates() }

// Send is the system Send: it sends every client the unacknowledged inputs.
func (t *relaySender) Send(*ecs.World) {
	s := t.s
	s.stats.Sends++
	s.stats.Mended = t.relay.Stats().Mended
	for _, p := range s.sessions.peers.All() {
		t.account(p)
		if r := p.recorder; r != nil {
			r.relayed.write(s.link.now)
			continue
		}
		if b := t.relay.NextPacket(p.ID, p.Session); b != nil {
			if _, ok := s.sessions.Send(p.Client, b); ok {
				s.stats.Updates++
				s.stats.RelayBytes += uint64(len(b))
			}
		}
		n, err := t.relay.SendReliable(p.ID, p.Session)
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
func (t *relaySender) account(p *peer) {
	in := t.relay.Inputs(p.ID)
	if in.Newest == 0 {
		return
	}
	st := p.inputs.Stats()
	st.Consumed, st.Missing, st.Late, st.Rejected, st.Rewrote = in.Consumed, in.Missing, in.Late, in.Refused-st.Refused, in.Rewrote
	p.inputs.SetRelayed(in.Newest, in.Waiting, st)
}
