package systems

import (
	"errors"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// deterministicServer relays inputs: it simulates everything as each client does, and decides
// which inputs there are. Under rollback it goes back for those that come late, under
// lockstep it waits for them.
type deterministicServer struct {
	s        *Server
	relay    *relay.Server
	channel  int
	waits    bool   // the tick that was due could not be simulated
	attended uint32 // the next tick, when those who join were attended to last
	skipped  uint64 // ticks of those that were dropped, of which the relay knows
	packet   []byte
	part     []byte
}

// relayConfig is what the relay of a server is told.
func relayConfig(c ServerConfig) relay.Config {
	_, longest := deterministic.BulkChannel(c.Channels)
	peers := c.MaxClients
	if c.ReconnectWindow > 0 {
		peers *= 2 // those who are waited for play on
	}
	r := relay.Config{
		Timeline: peersTimeline(c.Policies, c.TickRate),
		Peers:    min(peers, maxPeers),
		Part:     deterministic.Part(longest),
		Stall:    stallTicks(c),
	}
	r.Timeline.First, r.Timeline.Players = c.FirstTick, min(2*peers, maxPeers)
	r.Timeline.Join, r.Timeline.Leave = c.Join, departing(c.Leave, c.LeavePolicy)
	return r
}

func newDeterministicServer(s *Server, c relay.Config, authority *ecs.Stage) *deterministicServer {
	m := &deterministicServer{s: s, attended: s.link.tick}
	m.channel, _ = deterministic.BulkChannel(s.config.Channels)
	c.Timeline.Authority, c.Diverged = authority, m.diverged
	if s.config.Refuse.look != nil {
		c.Refuse = func(player, tick uint32, words []int32) bool {
			var in *serverapply.Client
			if p := s.sessions.byID[player]; p != nil {
				in = p.inputs
			}
			return s.intake.Refuse(player, in, tick, tick, words)
		}
	}
	m.relay = relay.NewServer(s.world, c, unsettled{s.followed.followers})
	return m
}

// stallTicks is ServerConfig.Stall in ticks, rounded down: nobody waits for longer.
func stallTicks(c ServerConfig) int {
	return max(int(int64(c.Stall)*int64(c.TickRate)/int64(time.Second)), 1)
}

// Ready reports whether a tick that is due can be simulated: lockstep waits for inputs.
func (m *deterministicServer) Ready() bool {
	for _, p := range m.s.sessions.peers {
		if !m.relay.Playing(p.ID) {
			st := p.Session.Stats()
			m.relay.Expect(p.ID, int((st.RTT+4*st.Jitter)/m.s.world.StepDuration())+leadMargin)
		}
	}
	m.relay.Skip(int(m.s.dropped() - m.skipped))
	m.skipped = m.s.dropped()
	m.waits = !m.relay.Ready()
	return !m.waits
}

// Run is the system ServerApply: it simulates again the ticks for which inputs came late, each
// with Simulate and Authority, and brings the inputs of the next one.
func (m *deterministicServer) Run(*ecs.World) {
	m.relay.Timeline().Pass()
	m.relay.Timeline().Open()
}

// Done ends the tick.
func (m *deterministicServer) Done() { m.relay.Close() }

// leadMargin is how many ticks more than its round trip a player has from joining to its
// first input.
const leadMargin = 6

// Join begins with a client, which is sent the state of the world. One whose player plays
// on is only told of it anew.
func (m *deterministicServer) Join(p *peer, _ sessions.Reservation, back bool) {
	var err error
	if back {
		p.relayed.counted, p.relayed.rewrote = m.relay.Inputs(p.ID), m.rewrote(p)
		if err = m.relay.Renew(p.ID); err == nil && m.s.config.Rejoin != nil {
			m.s.config.Rejoin(m.s.world, p.ID)
		}
	} else {
		err = m.relay.Add(p.ID, true)
	}
	if err != nil {
		m.s.config.Logger.Error("client refused", "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Leave does nothing: who is waited for plays on, without inputs.
func (m *deterministicServer) Leave(*peer, bool) {}

// Depart lets players leave with the next tick.
func (m *deterministicServer) Depart(_ *ecs.World, gone []uint32) {
	for _, id := range gone {
		m.relay.Remove(id)
	}
}

// Receive takes in what a client says.
func (m *deterministicServer) Receive(p *peer, pk netsys.Packet) {
	b, err := deterministic.Datagram(pk.Data)
	if err == nil {
		err = m.relay.Receive(p.ID, pk.Seq, b)
	}
	if err != nil {
		m.s.sessions.Refuse(p.Client, err)
	}
}

// message takes in a report of a divergence.
func (m *deterministicServer) message(p *peer, number int, message []byte) (bool, error) {
	b, ok := deterministic.Message(message)
	if !ok || number != m.channel {
		return false, nil
	}
	return true, m.relay.Deliver(p.ID, b)
}

// Run is the system Snapshot: it makes the state of the world for who joins.
func (t relayTeller) Run(*ecs.World) {
	if next := t.relay.Timeline().Next(); next != t.attended {
		t.attended = next
		t.relay.Attend()
	}
}

// Send is the system Send: it tells every client what it has not heard of.
func (m relayTeller) Send(*ecs.World) {
	m.s.stats.Sends++
	m.s.stats.Mended = m.relay.Stats().Mended
	for _, p := range m.s.sessions.peers {
		m.account(p)
		m.tell(p)
		m.hand(p)
	}
	m.s.link.endpoint.Flush(m.s.link.now)
}

// tell sends the inputs, joins and leaves since what a client has acknowledged.
func (m *deterministicServer) tell(p *peer) {
	m.relay.Repeat(p.ID, peersRepeats(p.Session.Stats(), m.s.world.StepDuration()))
	m.packet = append(m.packet[:0], deterministic.Kind)
	m.packet = m.relay.Append(m.packet, p.ID, p.Session.Next(), deterministic.Limit)
	if len(m.packet) == 1 {
		return // it has no state of the world yet
	}
	if _, ok := m.s.sessions.Send(p.Client, m.packet); !ok {
		return
	}
	m.s.stats.Updates++
	m.s.stats.RelayBytes += uint64(len(m.packet))
}

// hand gives reliable messages to their channel, as many as have room.
func (m *deterministicServer) hand(p *peer) {
	for {
		b, err := m.relay.Outgoing(p.ID, m.part)
		if err != nil {
			m.s.config.Logger.Error("client cannot join", "client", p.ID, "error", err)
			p.Session.Close(m.s.link.now, netsys.ReasonKicked)
			return
		}
		if b == nil {
			return
		}
		m.part = b
		m.packet = deterministic.AppendMessage(m.packet[:0], b)
		if err := p.Session.Channels().Send(m.channel, m.packet); err != nil {
			if !errors.Is(err, channel.ErrFull) {
				m.s.config.Logger.Error("state was not sent", "client", p.ID, "error", err)
			}
			return
		}
		m.relay.Sent(p.ID)
		m.s.stats.StateBytes += uint64(len(m.packet))
	}
}

// account makes the counts of a client's inputs what [ClientStatus] shows.
func (m *deterministicServer) account(p *peer) {
	in := m.relay.Inputs(p.ID)
	if in.Newest == 0 {
		return // it does not play
	}
	st := p.inputs.Stats()
	st.Consumed, st.Missing = in.Consumed-p.relayed.counted.Consumed, in.Missing-p.relayed.counted.Missing
	st.Late, st.Rejected = in.Late-p.relayed.counted.Late, in.Refused-p.relayed.counted.Refused-st.Refused
	st.Rewrote = m.rewrote(p) - p.relayed.rewrote
	p.inputs.Relayed(in.Newest, in.Waiting, st)
}

// rewrote is how many inputs of a client's player the server went back for.
func (m *deterministicServer) rewrote(p *peer) uint64 {
	return m.relay.Timeline().Inputs(p.ID)[timeline.Rewrote]
}

// diverged tells where the world of a client left this one.
func (m *deterministicServer) diverged(d relay.Divergence) {
	m.s.stats.Divergences++
	what := notice.Desync
	if d.System != "" {
		what = notice.Unstable
	}
	if p := m.s.sessions.byID[d.Player]; p != nil && p.Logged.First(what) {
		m.s.config.Logger.Warn("worlds differ; more of this client is only counted", "client", d.Player, "divergence", d)
	}
	if m.s.config.Desync != nil {
		m.s.config.Desync(d)
	}
}

// status says what a server does that relays inputs.
func (m *deterministicServer) status(st ModelStatus) ModelStatus {
	st.Relay = m.relay.Stats()
	if m.waits {
		st.WaitsFor = m.relay.Timeline().AppendMissing(nil)
	}
	return st
}

// client says what it knows of a client.
func (m *deterministicServer) client(p *peer, st ClientStatus) ClientStatus {
	st.Joining = !m.relay.Playing(p.ID)
	return st
}

// relayTeller tells clients the inputs of all.
type relayTeller struct{ *deterministicServer }

// Join does nothing: the relay is told of who comes as inputs are.
func (relayTeller) Join(*peer) {}

// Leave makes the last account of a client, before the sums over those who left are made.
func (t relayTeller) Leave(p *peer) { t.account(p) }

// Acked does nothing: messages say themselves what a client knows.
func (relayTeller) Acked(*peer, uint16) {}
