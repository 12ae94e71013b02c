package systems

import (
	"errors"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// deterministicServer relays inputs: it simulates everything as each client does, and decides
// which inputs there are. Under rollback it goes back for those that come late, under
// lockstep it waits for them.
type deterministicServer struct {
	*Server
	relay     *relay.Server
	authority *ecs.Stage
	channel   int
	stepped   bool   // the tick that was due has been simulated
	skipped   uint64 // ticks of those that were dropped, of which the relay knows
	packet    []byte
	part      []byte
}

func newDeterministicServer(s *Server) *deterministicServer {
	m := &deterministicServer{Server: s, authority: s.protocol.AuthorityStage()}
	number, longest := bulkChannel(s.config.Channels)
	m.channel = number
	peers := s.config.MaxClients
	if s.config.ReconnectWindow > 0 {
		peers *= 2 // those who are waited for play on
	}
	c := relay.Config{
		Timeline: peersTimeline(s.policies, s.config.TickRate),
		Peers:    min(peers, maxPeers),
		Part:     min(longest-len(peersMark), mostPart),
		Stall:    stallTicks(s.config),
		Diverged: m.diverged,
	}
	if s.config.Refuse.look != nil {
		c.Refuse = func(player, tick uint32, words []int32) bool { return s.refuseInput(player, tick, tick, words) }
	}
	c.Timeline.First, c.Timeline.Authority = s.link.tick, m.authority
	c.Timeline.Players = min(2*peers, maxPeers)
	peersRoster(&c.Timeline, s.config.Join, s.config.Leave, s.config.LeavePolicy)
	m.relay = relay.NewServer(s.world, c, s.followed.followers)
	return m
}

// stallTicks is ServerConfig.Stall in ticks, rounded down: nobody waits for longer.
func stallTicks(c ServerConfig) int {
	return max(int(int64(c.Stall)*int64(c.TickRate)/int64(time.Second)), 1)
}

func (m *deterministicServer) planned() (onTick, after *ecs.Stage) {
	tick := ecs.NewStage("Tick").Nest(m.world.Netcode().SimulateStage()).Nest(m.authority)
	onTick = ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: m.apply, Runs: tick})
	after = ecs.NewStage("After", ecs.System{Name: "Send", Run: m.send})
	return onTick, after
}

// apply is the system ServerApply: it simulates the next tick, and before it again those
// for which inputs came late, each with Simulate and Authority.
func (m *deterministicServer) apply(*ecs.World) {
	for _, p := range m.sessions.peers {
		if !m.relay.Playing(p.id) {
			st := p.session.Stats()
			m.relay.Expect(p.id, int((st.RTT+4*st.Jitter)/m.world.StepDuration())+leadMargin)
		}
	}
	m.relay.Skip(int(m.dropped() - m.skipped))
	m.skipped = m.dropped()
	m.stepped = m.relay.Step()
}

// leadMargin is how many ticks more than its round trip a player has from joining to its
// first input.
const leadMargin = 6

func (m *deterministicServer) tick() bool {
	m.stepped = false
	m.stages.onTick.Run(m.world)
	return m.stepped
}

func (m *deterministicServer) horizon() uint32 {
	t := m.relay.Timeline()
	return m.policies.FirstOpen(m.config.TickRate, t.Next()-1, t.Horizon())
}

func (m *deterministicServer) joined(p *peer, _ reservation, back bool) {
	var err error
	if back {
		p.relayed.counted, p.relayed.rewrote = m.relay.Inputs(p.id), m.rewrote(p)
		if err = m.relay.Renew(p.id); err == nil && m.config.Rejoin != nil {
			m.config.Rejoin(m.world, p.id)
		}
	} else {
		err = m.relay.Add(p.id, true)
	}
	if err != nil {
		m.config.Logger.Error("client refused", "client", p.id, "error", err)
		p.session.Close(m.link.now, netsys.ReasonServerClosing)
	}
}

func (m *deterministicServer) left(p *peer, waited bool) {
	m.account(p) // the sums over clients that left are made before
}

func (m *deterministicServer) departed(*ecs.World) {
	for _, id := range m.Server.sessions.toLeave {
		m.relay.Remove(id)
	}
	m.Server.sessions.toLeave = m.Server.sessions.toLeave[:0]
}

func (m *deterministicServer) received(p *peer, pk netsys.Packet) {
	b, err := peersDatagram(pk.Data)
	if err == nil {
		err = m.relay.Receive(p.id, pk.Seq, b)
	}
	if err != nil {
		m.refuse(p, err)
	}
}

func (m *deterministicServer) message(p *peer, number int, message []byte) (bool, error) {
	b, ok := peersMessage(message)
	if !ok || number != m.channel {
		return false, nil
	}
	return true, m.relay.Deliver(p.id, b)
}

func (m *deterministicServer) acked(*peer, uint16) {}

func (m *deterministicServer) ownValue(_ *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.world.Netcode().Pointer(e, c)
}

// send is the system Send: it tells every client what it has not heard of.
func (m *deterministicServer) send(*ecs.World) {
	m.stats.Sends++
	m.stats.Mended = m.relay.Stats().Mended
	for _, p := range m.sessions.peers {
		m.account(p)
		m.tell(p)
		m.hand(p)
	}
	m.link.endpoint.Flush(m.link.now)
}

// tell sends the inputs, joins and leaves since what a client has acknowledged.
func (m *deterministicServer) tell(p *peer) {
	m.relay.Repeat(p.id, peersRepeats(p.session.Stats(), m.world.StepDuration()))
	m.packet = append(m.packet[:0], kindPeers)
	m.packet = m.relay.Append(m.packet, p.id, p.session.Next(), peersLimit)
	if len(m.packet) == 1 {
		return // it has no state of the world yet
	}
	if _, err := p.session.Send(m.link.now, m.packet); err != nil {
		m.unsent(err)
		return
	}
	p.liveness.unacked = true
	m.stats.Updates++
	m.stats.RelayBytes += uint64(len(m.packet))
}

// hand gives reliable messages to their channel, as many as have room.
func (m *deterministicServer) hand(p *peer) {
	for {
		b, err := m.relay.Outgoing(p.id, m.part)
		if err != nil {
			m.config.Logger.Error("client cannot join", "client", p.id, "error", err)
			p.session.Close(m.link.now, netsys.ReasonKicked)
			return
		}
		if b == nil {
			return
		}
		m.part = b
		m.packet = append(append(m.packet[:0], peersMark...), b...)
		if err := p.session.Channels().Send(m.channel, m.packet); err != nil {
			if !errors.Is(err, channel.ErrFull) {
				m.config.Logger.Error("state was not sent", "client", p.id, "error", err)
			}
			return
		}
		m.relay.Sent(p.id)
		m.stats.StateBytes += uint64(len(m.packet))
	}
}

// account makes the counts of a client's inputs what [ClientStatus] shows.
func (m *deterministicServer) account(p *peer) {
	in := m.relay.Inputs(p.id)
	if in.Newest == 0 {
		return // it does not play
	}
	st := &p.inputs.stats
	st.Consumed, st.Missing = in.Consumed-p.relayed.counted.Consumed, in.Missing-p.relayed.counted.Missing
	st.Late, st.Rejected = in.Late-p.relayed.counted.Late, in.Refused-p.relayed.counted.Refused-st.Refused
	st.Rewrote = m.rewrote(p) - p.relayed.rewrote
	p.inputs.expected, p.inputs.newest, p.inputs.any = in.Newest+1, in.Newest+uint32(in.Waiting), true
	if st.Consumed > 0 {
		st.Depth += uint64(in.Waiting)
		st.Ticks++
	}
}

// rewrote is how many inputs of a client's player the server went back for.
func (m *deterministicServer) rewrote(p *peer) uint64 {
	return m.relay.Timeline().Inputs(p.id)[timeline.Rewrote]
}

// diverged tells where the world of a client left this one.
func (m *deterministicServer) diverged(d relay.Divergence) {
	m.stats.Divergences++
	what := notice.Desync
	if d.System != "" {
		what = notice.Unstable
	}
	if p := m.sessions.byID[d.Player]; p != nil && p.logged.First(what) {
		m.config.Logger.Warn("worlds differ; more of this client is only counted", "client", d.Player, "divergence", d)
	}
	if m.config.Desync != nil {
		m.config.Desync(d)
	}
}
