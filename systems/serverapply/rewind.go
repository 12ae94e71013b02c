package serverapply

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Rewind is ServerApply under ServerRewind: each input is used in the tick that its client stamped it with. Once
// per tick the world goes back to the oldest tick that late inputs changed (rule B3).
type Rewind struct {
	*Intake
	line     *timeline.Timeline
	window   uint32
	early    int64
	rewrites bool // late inputs change completed ticks
	lead     lead
	reserved []uint32 // players whose seats are reserved
	neutral  []int32  // words of the neutral input
}

// RewindConfig configures a Rewind.
type RewindConfig struct {
	Window    uint32     // maximum ticks by which an input may be late
	Early     int64      // maximum ticks by which an input may be early
	Rewrites  bool       // late inputs change completed ticks
	Fills     int        // see timeline.Config
	First     uint32     // first tick
	Players   int        // maximum number of players
	Authority *ecs.Stage // runs after Simulate
}

// NewRewind returns the system. l follows the simulated ticks.
func NewRewind(i *Intake, c RewindConfig, l timeline.Listener) *Rewind {
	m := &Rewind{Intake: i, window: max(c.Window, 1), early: c.Early, rewrites: c.Rewrites, neutral: []int32{}}
	m.lead.limit = int32(min(m.early/2, wire.MaxShift))
	if m.rewrites {
		m.lead.limit = int32(min((m.window+1)/2, wire.MaxShift))
	}
	if in := i.config.Protocol.Input(); in != nil {
		m.neutral = in.Schema.NeutralWords()
	}
	m.line = timeline.New(i.world, timeline.Config{
		First: c.First, Window: int(m.window), Early: int(m.early),
		Fills: c.Fills, Players: c.Players, Hashes: -1, Authority: c.Authority,
	}, l)
	return m
}

// Timeline returns the inputs of all players by tick.
func (m *Rewind) Timeline() *timeline.Timeline { return m.line }

// Ready returns true: no tick waits for inputs.
func (*Rewind) Ready() bool { return true }

// Run is the system. It simulates ticks again that late inputs have changed, each with Simulate and Authority, and
// begins the next tick. Simulate and Authority follow.
func (m *Rewind) Run(*ecs.World) {
	tick := m.config.Tick()
	for _, id := range m.reserved {
		if !m.line.Arrived(id, tick) {
			m.line.Overrule(id, tick, m.neutral)
		}
	}
	m.updateLead(int64(tick))
	m.line.Resimulate()
	m.line.BeginTick()
}

// Done ends the tick.
func (m *Rewind) Done() {
	m.line.EndTick()
	tick := m.config.Tick()
	for _, c := range m.clients.All() {
		m.updateConsumed(c, tick)
	}
}

// updateConsumed determines the tick whose owner state the client receives: the newest tick for which all its
// inputs have arrived or will not arrive. Before its first input that is the newest tick.
func (m *Rewind) updateConsumed(c *Client, newest uint32) {
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

// Join adds the player of a client, which [Intake.Add] has added, to the game in the next tick. request is the encoded join request.
// If back is true, the player is in the game already. Inputs name their tick, so consumed has no meaning. The error is that of
// [timeline.Timeline.Join].
func (m *Rewind) Join(player uint32, request string, back bool, consumed uint32) error {
	c, tick := m.byID[player], m.config.Tick()
	c.in.follow(max(tick, 1) - 1)
	c.missed = m.line.Missing(player)
	if back {
		m.reserved = slices.DeleteFunc(m.reserved, func(id uint32) bool { return id == player })
		return nil
	}
	return m.line.Join(player, tick, tick, request)
}

// Save adds the inputs of the players to x, and removes players who are not in the game. It returns the leaves and commands that
// wait for a tick.
func (m *Rewind) Save(x *saved.State) []commands.Entry {
	x.KeepPresent(m.line)
	return m.line.AppendPending(nil)
}

// Load adds a player of a save to the game before the first tick. Its seat is reserved unless it leaves.
func (m *Rewind) Load(p *saved.Player) error {
	if !p.Leaves {
		m.reserved = append(m.reserved, p.Client)
	}
	return m.line.Resume(p.Client, p.First, p.Inputs, func(timeline.Input) {})
}

// Leave follows the end of a client's session. If waited is true, its player stays in the game with neutral inputs after those that
// have arrived.
func (m *Rewind) Leave(player uint32, waited bool) {
	if waited {
		m.closePast(player)
		m.reserved = append(m.reserved, player)
	}
}

// Plays returns true: a player joins in the tick after its session starts.
func (*Rewind) Plays(player uint32) bool { return true }

// Command runs a command of a player in the next tick.
func (m *Rewind) Command(player uint32, command string) {
	if err := m.line.AddCommand(player, m.config.Tick(), command); err != nil {
		panic(err) // the next tick is never final
	}
}

// Depart removes players from the game in the next tick.
func (m *Rewind) Depart(players []uint32) {
	tick := m.config.Tick()
	for _, player := range players {
		m.reserved = slices.DeleteFunc(m.reserved, func(id uint32) bool { return id == player })
		if m.line.Leave(player, tick) != nil {
			_ = m.line.Leave(player, tick+1) // the player joins in that tick, or never joined
		}
	}
}

// closePast marks a player's missing inputs of simulated ticks as absent.
func (m *Rewind) closePast(player uint32) {
	tick := m.config.Tick()
	for t := tick - min(tick, m.window); t < tick; t++ {
		m.line.Overrule(player, t, nil)
	}
}

// Receive processes a message of inputs. It returns the message for its other fields, valid until the next call, or
// nil if the message could not be decoded because an earlier one is missing.
func (m *Rewind) Receive(worker int, c *Client, pk netsys.Packet) (*wire.Input, error) {
	msg, err := m.read(worker, c, pk)
	if msg != nil {
		m.storeInputs(c, msg)
	}
	return msg, err
}

// storeInputs stores the inputs of a message in their ticks.
func (m *Rewind) storeInputs(c *Client, msg *wire.Input) {
	in, next := &c.in, m.config.Tick()
	tick := int64(next)
	newest := codec.Lift(msg.Newest, next)
	if newest == 0 || int64(newest) < int64(msg.Count) {
		in.stats.Rejected += uint64(msg.Count)
		return
	}
	oldest := newest - uint32(msg.Count) + 1
	if ahead := int64(newest) - tick; ahead <= m.early {
		m.startInputs(c, oldest)
		before := max(in.newest, in.expected-1)
		in.newest = max(in.newest, newest)
		m.countFast(c, before)
		m.notifyFast(c)
	}
	// The slack is measured as it would be without a lead.
	led := min(max(float64(msg.Shift)/wire.ShiftUnit, 0), float64(in.slack.asked)+1)
	n := in.table.Words
	for i := range msg.Count {
		seq := oldest + uint32(i)
		if m.putInput(c, seq, msg.Words[i*n:(i+1)*n]) {
			in.slack.packet(tick, int(int64(seq)-tick), -led, true)
		}
	}
}

// startInputs waits for the inputs of a client from its first message on. Earlier ticks, and ticks that have been
// simulated, have no input.
func (m *Rewind) startInputs(c *Client, oldest uint32) {
	if c.in.any {
		return
	}
	c.in.any = true
	tick := m.config.Tick()
	c.in.slack.clear(int64(tick))
	m.closePast(c.id)
	for t := tick; t < oldest; t++ {
		m.line.Overrule(c.id, t, nil)
	}
}

// putInput stores one input in its tick unless the game refuses it. It reports whether the input says something
// about the delay of the path.
func (m *Rewind) putInput(c *Client, tick uint32, words []int32) (news bool) {
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

// past returns the state of the tick whose owner state the client receives, if that is not the current world.
func (m *Rewind) past(c *Client) (ecs.Past, bool) {
	if c.in.expected >= m.line.Next() {
		return ecs.Past{}, false
	}
	past, err := m.line.History().At(c.in.expected)
	return past, err == nil
}

// Own returns a pointer to a component of an entity as its owner receives it: its value after the tick of the owner
// state. For components that did not exist then or belonged to another owner, it returns the newest value.
func (m *Rewind) Own(c *Client, e ecs.Entity, comp *ecs.Component) unsafe.Pointer {
	if past, is := m.past(c); is && (comp.Mode&ecs.OwnerOnly == 0 || ownedAt(past, e) == c.id) {
		if at := past.Pointer(e, comp); at != nil {
			return at
		}
	}
	return m.world.Netcode().Pointer(e, comp)
}

// ownedAt returns the client that owned an entity in the past, 0 for none.
func ownedAt(past ecs.Past, e ecs.Entity) uint32 {
	o, _ := ecs.GetAt[components.Owner](past, e)
	return o.Client
}
