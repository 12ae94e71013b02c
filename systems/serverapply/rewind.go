package serverapply

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Rewind is ServerApply where each input is used in the tick that its client stamped it with.
// For one that comes late it goes back, once a tick, to the oldest tick that has changed
// (rule B3).
type Rewind struct {
	*Intake
	line     *timeline.Timeline
	window   uint32
	early    int64
	rewrites bool // late inputs change completed ticks
	lead     lead
	reserved []uint32 // players that are waited for
	still    []int32  // the neutral input
}

// RewindConfig is how far inputs may be from the tick that comes.
type RewindConfig struct {
	Window    uint32     // ticks that one may be late
	Early     int64      // and ahead
	Rewrites  bool       // late ones change completed ticks
	Fills     int        // see timeline.Config
	First     uint32     // tick
	Players   int        // at most
	Authority *ecs.Stage // behind Simulate
}

// NewRewind makes the system. The listener hears of ticks as they are simulated.
func NewRewind(i *Intake, c RewindConfig, l timeline.Listener) *Rewind {
	m := &Rewind{Intake: i, window: max(c.Window, 1), early: c.Early, rewrites: c.Rewrites, still: []int32{}}
	m.lead.most = int32(min(m.early/2, wire.MaxShift))
	if m.rewrites {
		m.lead.most = int32(min((m.window+1)/2, wire.MaxShift))
	}
	if in := i.config.Protocol.Input(); in != nil && in.Schema.Words > 0 {
		value := make([]uint64, (in.Schema.Size+7)/8)
		m.still = make([]int32, in.Schema.Words)
		in.Schema.Snap(unsafe.Pointer(&value[0]))
		in.Schema.Quantize(m.still, in.Schema.Words, unsafe.Pointer(&value[0]), 1)
	}
	m.line = timeline.New(i.world, timeline.Config{
		First: c.First, Window: int(m.window), Early: int(m.early),
		Fills: c.Fills, Players: c.Players, Hashes: -1, Authority: c.Authority,
	}, l)
	return m
}

// Timeline is the inputs of all players by tick.
func (m *Rewind) Timeline() *timeline.Timeline { return m.line }

// Run is the system: it simulates again what late inputs have changed, each tick with Simulate
// and Authority, and begins the next one, for which these follow.
func (m *Rewind) Run(*ecs.World) {
	tick := m.config.Tick()
	for _, id := range m.reserved {
		m.line.Overrule(id, tick, m.still)
	}
	m.guide(int64(tick))
	m.line.Resimulate()
	m.line.BeginTick()
}

// Done ends the tick.
func (m *Rewind) Done() {
	m.line.EndTick()
	tick := m.config.Tick()
	for _, c := range m.clients.All() {
		m.processed(c, tick)
	}
}

// processed settles which tick the own state of a client is told of: the newest for
// which all of its inputs are there or will not come. Before the first came it is the
// newest of all.
func (m *Rewind) processed(c *Client, newest uint32) {
	in := &c.in
	if known, ok := m.line.Decided(c.id); ok && in.any {
		newest = min(newest, known)
	}
	in.expected = newest + 1
	in.stats.Missing = m.line.Missing(c.id) - c.missed
	if in.any {
		in.stats.Ticks++
		in.stats.Depth += uint64(in.waiting())
	}
}

// Enter makes a client play from the tick that comes, as what value says; with back its player was waited for.
func (m *Rewind) Enter(c *Client, value string, back bool) error {
	tick := m.config.Tick()
	c.in.follow(max(tick, 1) - 1)
	c.missed = m.line.Missing(c.id)
	if back {
		m.reserved = slices.DeleteFunc(m.reserved, func(id uint32) bool { return id == c.id })
		return nil
	}
	return m.line.Join(c.id, tick, tick, value)
}

// Await begins to wait for a player whose client has left: it has neutral inputs.
func (m *Rewind) Await(player uint32) {
	m.close(player)
	m.reserved = append(m.reserved, player)
}

// Command makes a player do something in the tick that comes.
func (m *Rewind) Command(player uint32, command string) {
	if err := m.line.AddCommand(player, m.config.Tick(), command); err != nil {
		panic(err) // the tick that comes is never final
	}
}

// Depart takes a player that is gone for good out of the game, in the tick that comes.
func (m *Rewind) Depart(player uint32) {
	tick := m.config.Tick()
	m.reserved = slices.DeleteFunc(m.reserved, func(id uint32) bool { return id == player })
	if m.line.Leave(player, tick) != nil {
		_ = m.line.Leave(player, tick+1) // who came in that tick; else it never joined
	}
}

// close decides that no more inputs come for ticks that have been simulated.
func (m *Rewind) close(player uint32) {
	tick := m.config.Tick()
	for t := tick - min(tick, m.window); t < tick; t++ {
		m.line.Overrule(player, t, nil)
	}
}

// Receive takes in a message of inputs. It returns what it had besides, good until the next;
// nil where it could not be read for want of an earlier one.
func (m *Rewind) Receive(c *Client, pk netsys.Packet) (*wire.Input, error) {
	msg, err := m.read(0, c, pk)
	if msg != nil {
		m.take(c, msg)
	}
	return msg, err
}

// take gives the inputs of a message to their ticks.
func (m *Rewind) take(c *Client, msg *wire.Input) {
	in, next := &c.in, m.config.Tick()
	tick := int64(next)
	newest := codec.Lift(msg.Newest, next)
	if newest == 0 || int64(newest) < int64(msg.Count) {
		in.stats.Rejected += uint64(msg.Count)
		return
	}
	oldest := newest - uint32(msg.Count) + 1
	if ahead := int64(newest) - tick; ahead <= m.early {
		m.listen(c, oldest)
		before := max(in.newest, in.expected-1)
		in.newest = max(in.newest, newest)
		m.noteFast(c, before)
		m.tellFast(c)
	}
	// What the slack would be without a lead.
	led := min(max(float64(msg.Shift)/wire.ShiftUnit, 0), float64(m.lead.ticks)+1)
	n := in.table.Words
	for i := range msg.Count {
		seq := oldest + uint32(i)
		if m.put(c, seq, msg.Words[i*n:(i+1)*n]) {
			in.slack.packet(tick, int(int64(seq)-tick), -led, true)
		}
	}
}

// listen begins to wait for the inputs of a client with the first message: its first
// input is for no tick before that, nor for one that has been simulated.
func (m *Rewind) listen(c *Client, oldest uint32) {
	if c.in.any {
		return
	}
	c.in.any = true
	tick := m.config.Tick()
	c.in.slack.clear(int64(tick))
	m.close(c.id)
	for t := tick; t < oldest; t++ {
		m.line.Overrule(c.id, t, nil)
	}
}

// put gives one input to its tick, where the game allows it; it reports whether it says
// how long inputs of this client are under way.
func (m *Rewind) put(c *Client, tick uint32, words []int32) (news bool) {
	st, v := &c.in.stats, timeline.TooOld
	if tick >= m.config.Tick() || m.rewrites {
		v = m.line.Put(c.id, tick, words)
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
	if m.Refuse(c.id, tick, tick, words) {
		m.line.Overrule(c.id, tick, nil)
	}
	return true
}

// past is the state that a client's own entities are told of, where that is not the
// world's.
func (m *Rewind) past(c *Client) (ecs.Past, bool) {
	if c.in.expected >= m.line.Next() {
		return ecs.Past{}, false
	}
	past, err := m.line.History().At(c.in.expected)
	return past, err == nil
}

// Own is where the value is that the owner of an entity is told of a component: that after
// the tick that own state tells of; the newest for what was not there then, or was another's
// secret.
func (m *Rewind) Own(c *Client, e ecs.Entity, comp *ecs.Component) unsafe.Pointer {
	if past, is := m.past(c); is && (comp.Mode&ecs.OwnerOnly == 0 || ownedAt(past, e) == c.id) {
		if at := past.Pointer(e, comp); at != nil {
			return at
		}
	}
	return m.world.Netcode().Pointer(e, comp)
}

// ownedAt is the client that owned an entity then, 0 for none.
func ownedAt(past ecs.Past, e ecs.Entity) uint32 {
	o, _ := ecs.GetAt[components.Owner](past, e)
	return o.Client
}
