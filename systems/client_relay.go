package systems

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// following is a client that simulates everything from the inputs of all players. Under rollback it stays at the server's
// tick and guesses inputs that have not arrived. Under lockstep it simulates a tick when the inputs have arrived, at the same
// time as all other clients.
type following struct {
	*relay.Client
	c        *Client
	line     *timeline.Timeline
	view     *interpolate.Present
	watch    *mirror.Watch
	table    *schema.Table // of the input component
	words    []int32       // input for the coming tick
	shown    []int32       // memory for the input of a frame
	advanced bool          // a tick was simulated since the last drawn frame
	loaded   bool          // a state of the world has arrived
}

// newFollowing returns a client that plays as a player.
func newFollowing(c *Client, player uint32, config relay.ClientConfig) *following {
	t := wire.InputTable(c.protocol)
	m := &following{c: c, table: t, words: t.NeutralWords(), shown: t.NeutralWords()}
	m.view = interpolate.NewPresent(drawingParts(c), func() uint32 { return m.line.Next() })
	m.Client = relay.NewClient(c.world, player, config, unsettledListeners{Listeners: c.followed.all}, m.view)
	m.line = m.Timeline()
	m.watch = &mirror.Watch{Confirmed: m.line.Confirmed}
	return m
}

// Receive processes inputs of all players.
func (m *following) Receive(pk netsys.Packet) error {
	err := m.ReceivePacket(m.c.link.session, pk)
	if err == nil {
		m.c.mirror.Newest.Tick = max(m.c.mirror.Newest.Tick, m.ServerTick())
		if r := &m.c.recorded.relayed; r.from != nil {
			r.write(pk.At)
		}
	}
	return err
}

// Acked does nothing: messages contain acknowledgements.
func (m *following) Acked(uint16) {}

// Confirm delivers events whose ticks can no longer change. The world is ahead of these ticks.
func (m *following) Confirm() {
	c, confirmed := m.c, m.line.Horizon()
	if m.loaded = m.loaded || m.Following(); !m.loaded {
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

// reconcile is the system Reconcile. It simulates ticks again whose guessed inputs turned out wrong.
func (m *following) reconcile(*ecs.World) {
	m.view.BeginStep(m.line.Next())
	if m.Following() {
		m.line.Resimulate()
	}
	m.view.EndStep()
}

// gather is the system InputGather. It asks the game for the input of the coming tick if that input will be used.
func (m *following) gather(w *ecs.World) {
	if m.Due() {
		m.c.inputs.Run(w)
		m.words = m.c.inputs.Log.Words(m.c.inputs.Log.Newest)
	}
}

// predict is the system Predict. It simulates the next tick, after ticks that own inputs have changed. Final ticks count as
// confirmed.
func (m *following) predict(w *ecs.World) {
	m.view.BeginStep(m.line.Next())
	m.advanced = m.Step(m.words) || m.advanced
	m.view.EndStep()
	if _, loaded := m.c.mirror.Loaded(); loaded && m.c.config.OnPresence != nil {
		m.watch.Update(w, m.line.Horizon(), m.c.config.OnPresence)
	}
	m.c.mirror.Own.Newest.Tick = m.line.Horizon()
}

// send is the system Send.
func (m *following) send(*ecs.World) { m.Send(m.c.steps.now, m.c.link.session) }

// interpolate is the system Interpolate. It draws all entities at the present tick. The view stalls if no tick was simulated
// since the last frame.
func (m *following) interpolate(w *ecs.World) {
	if m.loaded && !m.advanced && !m.Stepped() {
		m.view.Stall()
	}
	m.advanced = false
	m.view.Run(w)
}

// Applied returns the newest simulated tick, which under these models is the number of its input.
func (m *following) Applied() uint32 {
	if next := m.line.Next(); m.Playing() && next > 0 {
		return next - 1
	}
	return 0
}

// Gathering returns the tick of the input that the game is filling in, which is its number.
func (m *following) Gathering() uint32 { return m.line.Next() + uint32(m.Delay()) }

// Coming returns the timeline's next tick, in which everything is simulated.
func (m *following) Coming() (tick, input uint32, share float64) {
	tick = m.line.Next()
	switch {
	case !m.Following():
		return tick, tick, 0
	case !m.Stepped():
		return tick, tick, 1 // the tick was due and was not simulated: the view has drawn all of it already
	}
	return tick, tick, m.passed()
}

// Foresee sets the known and guessed inputs of all players for the coming tick.
func (m *following) Foresee(uint32) { m.PredictInputs(m.currentInput) }

// currentInput returns the input as the game gathers it for this frame.
func (m *following) currentInput() []int32 {
	if p := m.c.inputs.Now(); p != nil {
		m.table.Quantize(m.shown, m.table.Words, p, 1)
	}
	return m.shown
}

// passed returns the fraction of the time to the next tick that has passed.
func (m *following) passed() float64 { return m.c.steps.loop.Passed(m.c.steps.now) }

// Rate returns the speed that keeps the client at the server's tick.
func (m *following) Rate() float64 { return m.Client.Rate(m.c.steps.now, m.passed()) }

// BeforeReceive returns 0: all ticks are simulated after receiving.
func (m *following) BeforeReceive(int) int { return 0 }

// More catches up.
func (m *following) More(extra int) bool { return m.Client.More(m.c.steps.now, m.passed(), extra) }

// leave reports all entities as left behind.
func (m *following) leave() {
	m.watch.Leave(m.c.world, m.line.Horizon(), m.c.config.OnPresence)
}

// count adds the counters of the timeline.
func (m *following) count(s ClientStats) ClientStats {
	t, r := m.line.Stats(), m.Client.Stats()
	s.Ticks, s.Resimulated, s.LongestReplay, s.Corrections = t.Ticks, t.Resimulated, uint64(t.Longest), t.Passes
	s.InputsSent, s.Renewals = r.Sent, r.Lost
	s.InputBytes, s.SendErrors = s.InputBytes+r.Bytes, s.SendErrors+r.SendErrors
	return s
}

// Presence returns the presence of an entity: all existing entities are simulated.
func (m *following) Presence(id components.NetID) Presence {
	if _, there := m.c.world.ByNetID(id); there {
		return Present
	}
	if _, loaded := m.c.mirror.Loaded(); !loaded {
		return NotLoaded
	}
	return Destroyed
}

// Shows reports whether a tick is drawn with the inputs of a player.
func (m *following) Shows(player, tick uint32) bool {
	decided, known := m.line.Decided(player)
	return known && decided >= tick && m.line.Next() > tick
}

// StateTick returns the newest tick whose inputs are final.
func (m *following) StateTick(id components.NetID) (tick uint32, ok bool) {
	return m.c.mirror.Own.Newest.Tick, m.Presence(id) == Present
}
