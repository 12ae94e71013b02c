package systems

import (
	"errors"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/relay"
	"github.com/tactusgo/tactus/systems/timeline"
)

// peersServer relays inputs: it simulates everything as each client does, and decides
// which inputs there are. Under rollback it goes back for those that come late, under
// lockstep it waits for them.
type peersServer struct {
	*Server
	relay     *relay.Server
	authority *ecs.Stage
	channel   int
	stepped   bool   // the tick that was due has been simulated
	skipped   uint64 // ticks of those that were dropped, of which the relay knows
	packet    []byte
	part      []byte
}

func newPeersServer(s *Server) *peersServer {
	m := &peersServer{Server: s, authority: s.protocol.AuthorityStage()}
	number, longest := bulkChannel(s.config.Channels)
	m.channel = number
	peers := s.config.MaxClients
	if s.config.Hold > 0 {
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
	c.Timeline.First, c.Timeline.Authority = s.tick, m.authority
	c.Timeline.Players = min(2*peers, maxPeers)
	peersRoster(&c.Timeline, s.config.Join, s.config.Leave, s.config.LeavePolicy)
	m.relay = relay.NewServer(s.world, c, s.followers)
	return m
}

// stallTicks is ServerConfig.Stall in ticks, rounded down: nobody waits for longer.
func stallTicks(c ServerConfig) int {
	return max(int(int64(c.Stall)*int64(c.TickRate)/int64(time.Second)), 1)
}

func (m *peersServer) stages() (onTick, after *ecs.Stage) {
	tick := ecs.NewStage("Tick").Nest(m.world.SimulateStage()).Nest(m.authority)
	onTick = ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: m.apply, Runs: tick})
	after = ecs.NewStage("After", ecs.System{Name: "Send", Run: m.send})
	return onTick, after
}

// apply is the system ServerApply: it simulates the next tick, and before it again those
// for which inputs came late, each with Simulate and Authority.
func (m *peersServer) apply(*ecs.World) {
	for _, p := range m.peers {
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

func (m *peersServer) tick() bool {
	m.stepped = false
	m.onTick.Run(m.world)
	return m.stepped
}

func (m *peersServer) horizon() uint32 {
	t := m.relay.Timeline()
	return m.policies.FirstOpen(m.config.TickRate, t.Next()-1, t.Horizon())
}

func (m *peersServer) joined(p *peer, _ seat, back bool) {
	var err error
	if back {
		p.counted, p.rewrote = m.relay.Inputs(p.id), m.rewrote(p)
		if err = m.relay.Renew(p.id); err == nil && m.config.Rejoin != nil {
			m.config.Rejoin(m.world, p.id)
		}
	} else {
		err = m.relay.Add(p.id, true)
	}
	if err != nil {
		m.config.Logger.Error("client refused", "client", p.id, "error", err)
		p.session.Close(m.now, netsys.ReasonServerClosing)
	}
}

func (m *peersServer) left(p *peer, waited bool) {
	m.account(p) // the sums over clients that left are made before
}

func (m *peersServer) departed(*ecs.World) {
	for _, id := range m.Server.left {
		m.relay.Remove(id)
	}
	m.Server.left = m.Server.left[:0]
}

func (m *peersServer) received(p *peer, pk netsys.Packet) {
	b, err := peersDatagram(pk.Data)
	if err == nil {
		err = m.relay.Receive(p.id, pk.Seq, b)
	}
	if err != nil {
		m.refuse(p, err)
	}
}

func (m *peersServer) message(p *peer, number int, message []byte) (bool, error) {
	b, ok := peersMessage(message)
	if !ok || number != m.channel {
		return false, nil
	}
	return true, m.relay.Deliver(p.id, b)
}

func (m *peersServer) acked(*peer, uint16) {}

func (m *peersServer) ownValue(_ *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.world.Pointer(e, c)
}

// send is the system Send: it tells every client what it has not heard of.
func (m *peersServer) send(*ecs.World) {
	m.stats.Sends++
	m.stats.Mended = m.relay.Stats().Mended
	for _, p := range m.peers {
		m.account(p)
		m.tell(p)
		m.hand(p)
	}
	m.endpoint.Flush(m.now)
}

// tell sends the inputs, joins and leaves since what a client has acknowledged.
func (m *peersServer) tell(p *peer) {
	m.relay.Repeat(p.id, peersRepeats(p.session.Stats(), m.world.StepDuration()))
	m.packet = append(m.packet[:0], kindPeers)
	m.packet = m.relay.Append(m.packet, p.id, p.session.Next(), peersLimit)
	if len(m.packet) == 1 {
		return // it has no state of the world yet
	}
	if _, err := p.session.Send(m.now, m.packet); err != nil {
		m.unsent(err)
		return
	}
	p.unheard = true
	m.stats.Updates++
	m.stats.RelayBytes += uint64(len(m.packet))
}

// hand gives reliable messages to their channel, as many as have room.
func (m *peersServer) hand(p *peer) {
	for {
		b, err := m.relay.Outgoing(p.id, m.part)
		if err != nil {
			m.config.Logger.Error("client cannot join", "client", p.id, "error", err)
			p.session.Close(m.now, netsys.ReasonKicked)
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
func (m *peersServer) account(p *peer) {
	in := m.relay.Inputs(p.id)
	if in.Newest == 0 {
		return // it does not play
	}
	st := &p.inputs.stats
	st.Consumed, st.Missing = in.Consumed-p.counted.Consumed, in.Missing-p.counted.Missing
	st.Late, st.Rejected = in.Late-p.counted.Late, in.Refused-p.counted.Refused-st.Refused
	st.Rewrote = m.rewrote(p) - p.rewrote
	p.inputs.expected, p.inputs.newest, p.inputs.any = in.Newest+1, in.Newest+uint32(in.Waiting), true
	if st.Consumed > 0 {
		st.Depth += uint64(in.Waiting)
		st.Ticks++
	}
}

// rewrote is how many inputs of a client's player the server went back for.
func (m *peersServer) rewrote(p *peer) uint64 {
	return m.relay.Timeline().Inputs(p.id)[timeline.Rewrote]
}

// diverged tells where the world of a client left this one.
func (m *peersServer) diverged(d relay.Divergence) {
	m.stats.Divergences++
	what := saidDiverged
	if d.System != "" {
		what = saidUnstable
	}
	if p := m.byID[d.Player]; p != nil && p.first(what) {
		m.config.Logger.Warn("worlds differ; more of this client is only counted", "client", d.Player, "divergence", d)
	}
	if m.config.Diverged != nil {
		m.config.Diverged(d)
	}
}
