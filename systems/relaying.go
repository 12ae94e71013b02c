package systems

import (
	"errors"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// relaying simulates everything as each client does, from inputs that it sends to all clients.
type relaying struct {
	s  *Server
	in *deterministic.Server
}

func newRelaying(s *Server, c relay.Config) *relaying {
	m := &relaying{s: s}
	c.Diverged = m.reportDivergence
	if s.config.Players.Refuse.check != nil {
		c.Refuse = func(player, tick uint32, words []int32) bool {
			return s.intake.Refuse(player, tick, tick, words)
		}
	}
	m.in = deterministic.NewServer(s.world, c, s.config.Session.Channels, s.tickListener())
	return m
}

// Ready reports whether a due tick can be simulated; lockstep waits for inputs.
func (m *relaying) Ready() bool { return m.in.Ready(m.s.dropped()) }

// Run is the system ServerApply.
func (m *relaying) Run(w *ecs.World) { m.in.Run(w) }

// Done ends the tick.
func (m *relaying) Done() { m.in.Done() }

// Join adds a client.
func (m *relaying) Join(p *peer, _ sessions.Reservation, back bool) {
	var err error
	if p.relayed, err = m.in.Join(p.ID, p.Session, string(m.s.link.endpoint.Login(p.Session)), back); err != nil {
		m.s.config.Logger.Error("client refused", "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Watch adds a spectator.
func (m *relaying) Watch(p *peer) {
	var err error
	if r := p.recorder; r != nil {
		r.relayed.init(r.to, m.s.config.Session.Channels, &r.session.seq, r.begin)
		p.relayed, r.relayed.from, err = m.in.Record(p.ID, p.Session)
	} else {
		p.relayed, err = m.in.Watch(p.ID, p.Session)
	}
	if err != nil {
		m.s.config.Logger.Error("spectator refused", "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Leave removes a client.
func (m *relaying) Leave(p *peer, _ bool) {
	if m.in.Leave(p.relayed); p.spectator {
		m.in.Depart(p.ID)
	}
}

// Depart removes players from the game in the next tick.
func (m *relaying) Depart(gone []uint32) {
	for _, id := range gone {
		m.in.Depart(id)
	}
}

// Plays reports whether a client's player is in the game and its next commands can be sent.
func (m *relaying) Plays(p *peer) bool {
	return m.in.Playing(p.relayed) && !m.in.CommandsWaiting(p.relayed)
}

// Command runs a command of a player in the next tick.
func (m *relaying) Command(player uint32, command string) { m.in.Command(player, command) }

// Receive processes a datagram of a client.
func (m *relaying) Receive(p *peer, pk netsys.Packet) {
	if err := m.in.Receive(p.relayed, pk); err != nil {
		m.s.sessions.Refuse(p.Client, err)
	}
}

// message processes a report of a divergence.
func (m *relaying) message(p *peer, number int, message []byte) (bool, error) {
	return m.in.Message(p.relayed, number, message)
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
	st.Relay, st.WaitsFor = m.in.Stats(), m.in.Awaited()
	return st
}

// client adds the state of a client.
func (m *relaying) client(p *peer, st ClientStatus) ClientStatus {
	st.Joining = !m.in.Playing(p.relayed)
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
func (t relaySender) Run(w *ecs.World) { t.in.PrepareStates(w) }

// Send is the system Send: it sends every client the unacknowledged inputs.
func (t relaySender) Send(*ecs.World) {
	s := t.s
	s.stats.Sends++
	s.stats.Mended = t.in.Stats().Mended
	for _, p := range s.sessions.peers.All() {
		t.account(p)
		if r := p.recorder; r != nil {
			r.relayed.write(s.link.now)
			continue
		}
		if b := t.in.NextPacket(p.relayed); b != nil {
			if _, ok := s.sessions.Send(p.Client, b); ok {
				s.stats.Updates++
				s.stats.RelayBytes += uint64(len(b))
			}
		}
		n, err := t.in.SendReliable(p.relayed)
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
	in, ok := t.in.Account(p.relayed)
	if !ok {
		return
	}
	st := p.inputs.Stats()
	st.Consumed, st.Missing, st.Late, st.Rejected, st.Rewrote = in.Consumed, in.Missing, in.Late, in.Refused-st.Refused, in.Rewrote
	p.inputs.SetRelayed(in.Newest, in.Waiting, st)
}

// following is a client that simulates everything.
type following struct {
	c     *Client
	in    *deterministic.Client
	line  *timeline.Timeline
	watch *mirror.Watch
}

// Receive processes inputs of all players.
func (m following) Receive(pk netsys.Packet) error {
	err := m.in.Receive(pk)
	if err == nil {
		m.c.mirror.Newest.Tick = max(m.c.mirror.Newest.Tick, m.in.Relay().ServerTick())
		if r := &m.c.recorded.relayed; r.from != nil {
			r.write(pk.At)
		}
	}
	return err
}

// Message processes a part of the state of the world.
func (m following) Message(number int, message []byte) (bool, error) {
	return m.in.Message(number, message)
}

// Acked does nothing: messages contain acknowledgements.
func (m following) Acked(uint16) {}

// Confirm delivers events whose ticks can no longer change. The world is ahead of these ticks.
func (m following) Confirm() {
	c, confirmed := m.c, m.line.Horizon()
	if !m.in.Loaded() {
		return
	}
	if _, loaded := c.mirror.Loaded(); !loaded {
		c.mirror.Load(confirmed)
		if c.config.Loaded != nil {
			ecs.Handle(c.world, "ClientConfig.Loaded", func() { c.config.Loaded(c.world, confirmed) })
		}
	}
	if c.config.Events != nil {
		c.config.Events.Deliver(confirmed, nil)
	}
}

// predict is the system Predict. Final ticks count as confirmed.
func (m following) predict(w *ecs.World) {
	m.in.Predict(w)
	if _, loaded := m.c.mirror.Loaded(); loaded && m.c.config.OnPresence != nil {
		m.watch.Update(w, m.line.Horizon(), m.c.config.OnPresence)
	}
	m.c.mirror.Own.Newest.Tick = m.line.Horizon()
}

// leave reports all entities as left behind.
func (m following) leave() {
	m.watch.Leave(m.c.world, m.line.Horizon(), m.c.config.OnPresence)
}

// count adds the counters of the timeline.
func (m following) count(s ClientStats) ClientStats {
	t, r := m.line.Stats(), m.in.Relay().Stats()
	s.Ticks, s.Resimulated, s.LongestReplay, s.Corrections = t.Ticks, t.Resimulated, uint64(t.Longest), t.Passes
	s.InputsSent, s.Renewals = r.Sent, r.Lost
	s.InputBytes, s.SendErrors = s.InputBytes+m.in.Counts.Bytes, s.SendErrors+m.in.Counts.Errors
	return s
}

// Presence returns the presence of an entity: all existing entities are simulated.
func (m following) Presence(id components.NetID) Presence {
	if _, there := m.c.world.ByNetID(id); there {
		return Present
	}
	if _, loaded := m.c.mirror.Loaded(); !loaded {
		return NotLoaded
	}
	return Destroyed
}

// Shows reports whether a tick is drawn with the inputs of a player.
func (m following) Shows(player, tick uint32) bool {
	decided, known := m.line.Decided(player)
	return known && decided >= tick && m.line.Next() > tick
}

// StateTick returns the newest tick whose inputs are final.
func (m following) StateTick(id components.NetID) (tick uint32, ok bool) {
	return m.c.mirror.Own.Newest.Tick, m.Presence(id) == Present
}

// frameTime is the time of a client.
type frameTime struct{ *clientSteps }

// Now returns the time of this frame.
func (t frameTime) Now() time.Time { return t.now }

// Passed returns the fraction of the time to the next tick that has passed.
func (t frameTime) Passed() float64 { return t.loop.Passed(t.now) }
