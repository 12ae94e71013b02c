package systems

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// rewindServer uses each input in the tick that its client stamped it with. For one that
// comes late it goes back, once a tick, to the oldest tick that has changed (rule B3).
type rewindServer struct {
	s        *Server
	line     *timeline.Timeline
	visits   visits
	window   uint32
	early    int64
	lead     int32    // of all clients, in ticks
	leadAt   int64    // when it changed
	most     int32    // that it may be
	rewrites bool     // late inputs change completed ticks
	reserved []uint32 // players that are waited for
	still    []int32  // the neutral input
}

// rewindConfig is how far inputs may be from the tick that comes.
type rewindConfig struct {
	window    uint32 // ticks that one may be late
	early     int64  // and ahead
	rewrites  bool   // late ones change completed ticks
	fills     int    // see timeline.Config
	authority *ecs.Stage
}

func newRewindServer(s *Server, c rewindConfig) *rewindServer {
	m := &rewindServer{s: s, window: max(c.window, 1), early: c.early, rewrites: c.rewrites}
	m.most = int32(min(m.early/2, maxLead))
	if m.rewrites {
		m.most = int32(min((m.window+1)/2, maxLead))
	}
	m.visits.begin(s)
	m.still = []int32{}
	if in := s.protocol.Input(); in != nil && in.Schema.Words > 0 {
		value := make([]uint64, (in.Schema.Size+7)/8)
		m.still = make([]int32, in.Schema.Words)
		in.Schema.Snap(unsafe.Pointer(&value[0]))
		in.Schema.Quantize(m.still, in.Schema.Words, unsafe.Pointer(&value[0]), 1)
	}
	m.line = timeline.New(s.world, timeline.Config{
		First: s.link.tick, Window: int(m.window), Early: int(m.early),
		Fills: c.fills, Players: maxReservations(s.config.MaxClients), Hashes: -1, Authority: c.authority,
	}, rewindSteps{s.followed.followers, m})
	return m
}

// maxReservations is how many players there may be: as many as clients, as many who are waited
// for, and those who have left lately.
func maxReservations(clients int) int { return min(3*clients, maxPeers) }

// rewindSteps makes events, outcomes and whoever comes and goes follow the timeline.
type rewindSteps struct {
	followers
	m *rewindServer
}

func (l rewindSteps) Start(tick uint32) {
	l.followers.Start(tick)
	l.m.visits.repeat(l.m.s.world, tick)
}

// Run is the system ServerApply: it simulates the next tick, and before it again what
// late inputs have changed, each tick with Simulate and Authority.
func (m *rewindServer) Run(*ecs.World) {
	s := m.s
	for _, id := range m.reserved {
		m.line.Overrule(id, s.link.tick, m.still)
	}
	m.guide()
	m.line.Step()
	for _, p := range s.sessions.peers {
		m.processed(p)
	}
	m.visits.forget(s.link.tick - min(s.link.tick, m.window))
}

// tick runs a tick.
func (m *rewindServer) tick() bool {
	m.s.stages.onTick.Run(m.s.world)
	m.s.frames.Step()
	return true
}

// status says by how much clients lead.
func (m *rewindServer) status(st *ModelStatus) { st.Lead = int(m.lead) }

// processed settles which tick the own state of a client is told of: the newest for
// which all of its inputs are there or will not come. Before the first came it is the
// newest of all.
func (m *rewindServer) processed(p *peer) {
	in, newest := p.inputs, m.s.link.tick
	if known, ok := m.line.Decided(p.id); ok && in.any {
		newest = min(newest, known)
	}
	in.expected = newest + 1
	in.stats.Missing = m.line.Missing(p.id)
	if in.any {
		in.stats.Ticks++
		in.stats.Depth += uint64(in.waiting())
	}
}

// maxLead bounds the lead in ticks: it travels in 16 bits.
const maxLead = math.MaxInt16 / wire.ShiftUnit

// guide settles by how many ticks all clients lead: as many as the one that is furthest
// away needs for its inputs to be in time as a rule (rule B2). With leads of their own,
// what two players do at the same moment would not be for the same tick (rule B7). Once
// somebody has played for a while, it changes by a tick a second, which nobody sees.
func (m *rewindServer) guide() {
	tick, want, settled := int64(m.s.link.tick), int32(0), false
	for _, p := range m.s.sessions.peers {
		in := &p.inputs.slack
		if low, ok := in.usual(tick); ok && -low <= m.most+int32(m.window) { // else nothing helps it
			want = max(want, -low)
			settled = settled || tick-in.began >= slackWindow*in.tickRate
		}
	}
	due := tick-m.leadAt >= int64(m.s.config.TickRate)
	switch want = min(want, m.most); {
	case want > m.lead && !settled:
		m.lead = want
	case want > m.lead && due:
		m.lead, m.leadAt = m.lead+1, tick
	case want <= m.lead-2 && due:
		m.lead, m.leadAt = m.lead-1, tick
	}
	for _, p := range m.s.sessions.peers {
		p.inputs.slack.asked = m.lead
	}
}

// Join begins with a client, in the tick that comes.
func (m *rewindServer) Join(p *peer, _ reservation, back bool) {
	s := m.s
	p.inputs.follow(max(s.link.tick, 1) - 1)
	if back {
		m.reserved = slices.DeleteFunc(m.reserved, func(id uint32) bool { return id == p.id })
		m.visits.add(s.link.tick, p.id, returns)
		return
	}
	if err := m.line.Join(p.id, s.link.tick, s.link.tick); err != nil {
		s.config.Logger.Error("client refused", "client", p.id, "error", err)
		p.session.Close(s.link.now, netsys.ReasonServerClosing)
		return
	}
	m.visits.add(s.link.tick, p.id, comes)
}

// Leave ends with a client: while its player is waited for it has neutral inputs.
func (m *rewindServer) Leave(p *peer, waited bool) {
	if waited {
		m.close(p.id)
		m.reserved = append(m.reserved, p.id)
	}
}

// close decides that no more inputs come for ticks that have been simulated.
func (m *rewindServer) close(player uint32) {
	tick := m.s.link.tick
	for t := tick - min(tick, m.window); t < tick; t++ {
		m.line.Overrule(player, t, nil)
	}
}

// Depart takes players that are gone for good out of the game, in the tick that comes.
func (m *rewindServer) Depart(_ *ecs.World, gone []uint32) {
	s := m.s
	for _, id := range gone {
		m.reserved = slices.DeleteFunc(m.reserved, func(held uint32) bool { return held == id })
		if m.line.Leave(id, s.link.tick) != nil && m.line.Leave(id, s.link.tick+1) != nil {
			continue // it never joined
		}
		m.visits.add(s.link.tick, id, goes)
	}
}

// Receive takes in a message of inputs.
func (m *rewindServer) Receive(p *peer, pk netsys.Packet) {
	if readInputs(m.s, p, pk) {
		m.take(p)
	}
}

// take gives the inputs of a message to their ticks.
func (m *rewindServer) take(p *peer) {
	s, in, msg := m.s, p.inputs, &m.s.applying.message
	tick := int64(s.link.tick)
	newest := codec.Lift(msg.Newest, s.link.tick)
	if newest == 0 || int64(newest) < int64(msg.Count) {
		in.stats.Rejected += uint64(msg.Count)
		return
	}
	oldest := newest - uint32(msg.Count) + 1
	if ahead := int64(newest) - tick; ahead <= m.early {
		m.listen(p, oldest)
		before := max(in.newest, in.expected-1)
		in.newest = max(in.newest, newest)
		s.limitInputs(p, before)
	}
	// What the slack would be without a lead.
	led := min(max(float64(msg.Shift)/wire.ShiftUnit, 0), float64(m.lead)+1)
	n := in.table.Words
	for i := range msg.Count {
		seq := oldest + uint32(i)
		if m.put(p, seq, msg.Words[i*n:(i+1)*n]) {
			in.slack.packet(tick, int(int64(seq)-tick), -led, true)
		}
	}
}

// listen begins to wait for the inputs of a client with the first message: its first
// input is for no tick before that, nor for one that has been simulated.
func (m *rewindServer) listen(p *peer, oldest uint32) {
	if p.inputs.any {
		return
	}
	p.inputs.any = true
	p.inputs.slack.clear(int64(m.s.link.tick))
	m.close(p.id)
	for t := m.s.link.tick; t < oldest; t++ {
		m.line.Overrule(p.id, t, nil)
	}
}

// put gives one input to its tick, where the game allows it; it reports whether it says
// how long inputs of this client are under way.
func (m *rewindServer) put(p *peer, tick uint32, words []int32) (news bool) {
	s, st := m.s, &p.inputs.stats
	v := timeline.TooOld
	if tick >= s.link.tick || m.rewrites {
		v = m.line.Put(p.id, tick, words)
	}
	switch v {
	case timeline.Duplicate:
		return false
	case timeline.InTime:
	case timeline.Agreed:
		st.Late++
	case timeline.Rewrote:
		st.Late++
		st.Rewrote++
	case timeline.OverCap:
		st.Capped++
		fallthrough
	default:
		st.Rejected++
		return v == timeline.TooOld || v == timeline.OverCap
	}
	st.Consumed++
	if s.refuseInput(p.id, tick, tick, words) {
		m.line.Overrule(p.id, tick, nil)
	}
	return true
}

// past is the state that a client's own entities are told of, where that is not the
// world's.
func (m *rewindServer) past(p *peer) (ecs.Past, bool) {
	if p.inputs.expected >= m.line.Next() {
		return ecs.Past{}, false
	}
	past, err := m.line.History().At(p.inputs.expected)
	return past, err == nil
}

// own is the value after the tick that own state tells of; the newest for what was not
// there then, or was another's secret.
func (m *rewindServer) own(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	if past, is := m.past(p); is && (c.Mode&ecs.OwnerOnly == 0 || ownedAt(past, e) == p.id) {
		if at := past.Pointer(e, c); at != nil {
			return at
		}
	}
	return m.s.world.Netcode().Pointer(e, c)
}

// ownedAt is the client that owned an entity then, 0 for none.
func ownedAt(past ecs.Past, e ecs.Entity) uint32 {
	o, _ := ecs.GetAt[components.Owner](past, e)
	return o.Client
}
