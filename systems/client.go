package systems

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/snapshot"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// Client plays on a server: it predicts its own entities, reconciles them with
// the server's, and keeps a view to draw from. It belongs to one goroutine;
// make it with [Dial], or with [NewClient] on any wire.
type Client struct {
	config    ClientConfig
	protocol  *ecs.Protocol
	policies  policy.Policies // once connected
	mode      clientMode      // nil before
	outcomes  *outcome.Log    // nil: none
	followers followers
	void      uint32 // of inputs up to it nothing waits for proof any more: see proof
	endpoint  *netsys.Client
	session   netsys.Session
	id        uint32
	err       error
	now       time.Time

	world      *ecs.World
	view       *ecs.World
	schedule   *ecs.Schedule
	before     *ecs.Stage
	onTick     *ecs.Stage
	after      *ecs.Stage
	render     *ecs.Stage
	simulation *ecs.Stage
	loop       *ecs.Loop
	predicting bool // the schedule has Predict
	drawing    bool // the schedule has Interpolate

	// what the server said
	replicated  []*ecs.Component
	predicted   uint64
	private     uint64 // components that only their owner sees
	sendEvery   uint32 // ticks
	layout      *snapshot.Layout
	model       *snapshot.Model
	rawModel    *snapshot.Model // of own state
	decoder     snapshot.Decoder
	ownDecoder  snapshot.Decoder
	parts       []snapshot.Part
	reader      codec.ByteReader
	raw         []byte
	incoming    incoming
	groups      []*history
	ownGroups   []*history
	replicas    []*replica // in the order they came up
	byID        map[uint32]*replica
	absence     absence
	memory      memory
	newestSend  uint32
	newestTick  uint32
	controlSend uint32 // newest that had a control part
	floor       uint32 // oldest send that the server may still use as a baseline
	depth       int
	epoch       uint8  // of the baselines; see the messages
	epochSend   uint32 // from which on the server has heard of it; 0: not yet
	joinSend    uint32 // with whose state this client joins; 0: none yet
	toldAll     uint32 // all slots in sight were told of by that send or later
	joinTick    uint32
	joinGroups  int
	loaded      bool // it has joined
	loadedTick  uint32
	ownSend     uint32 // newest with a block of own state, if only to say that there is none
	privateSend uint32 // of own state, what is private in it is in the world
	own         ownState
	co          coSimulation
	advice      *adviser // nil: own state always comes
	clock       playback
	frameBefore time.Time // the one that the view showed until this one
	frameAt     time.Time
	damping     damping
	smoother    smoother
	asked       []uint64 // room for the input of a partial tick
	sight       sight
	claim       lagcomp.Claim // made last
	loss        lossMeter

	// what this client did
	log        *inputLog
	history    *ecs.History
	ackedInput uint32
	sent       [sentRing]sentInput
	steer      steer
	adopt      bool   // take over the next own state without comparing
	staleSince uint32 // tick of the first own state older than the history
	message    inputMessage
	inputs     *inputCoder
	bases      *inputBases
	packet     []byte
	scratch    []uint64
	pair       []int32 // two values in words
	stats      ClientStats
	counted    ClientStats // what Stats returned last
	changes    clientChanges
	blame      blame
	tally      tally
	overload   growth
}

// NewClient assembles a client on a wire, connecting to server; the zero AddrPort
// means the addresses of ClientConfig.Token, in turn. It returns an error that wraps
// [ErrConfig] or [ErrStageOrder] when c is wrong, netcode.ErrToken when the token is,
// and netsys.ErrInsecure when there is none and the server is elsewhere.
func NewClient(wire netsys.Wire, server netip.AddrPort, p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.filled()
	if cfg.Gather.fill != nil && (p.Input() == nil || cfg.Gather.of(p) != p.Input()) {
		return nil, fmt.Errorf("%w: Gather fills another type than the protocol's input", ErrConfig)
	}
	if cfg.Partial.fill != nil && (p.Input() == nil || cfg.Partial.of(p) != p.Input()) {
		return nil, fmt.Errorf("%w: Partial fills another type than the protocol's input", ErrConfig)
	}
	if cfg.Assume.fill != nil && (p.Input() == nil || cfg.Assume.of(p) != p.Input()) {
		return nil, fmt.Errorf("%w: Assume fills another type than the protocol's input", ErrConfig)
	}
	c := &Client{config: cfg, protocol: p, byID: make(map[uint32]*replica), epochSend: 1}
	c.replicated, c.predicted = p.Replicated(), predictedMask(p)
	c.private = privateMask(p)
	c.attachChanges()

	c.simulation = p.SimulateStage()
	c.before = ecs.NewStage("Before",
		ecs.System{Name: "Receive", Run: c.receive},
		ecs.System{Name: "Reconcile", Run: func(w *ecs.World) { c.mode.reconcile(w) }})
	c.onTick = ecs.NewStage("OnTick",
		ecs.System{Name: "InputGather", Run: func(w *ecs.World) { c.mode.gather(w) }},
		ecs.System{Name: "Predict", Run: func(w *ecs.World) { c.mode.predict(w) }, Runs: c.simulation})
	c.after = ecs.NewStage("After", ecs.System{Name: "Send", Run: func(w *ecs.World) { c.mode.send(w) }})
	c.render = ecs.NewStage("Render", ecs.System{Name: "Interpolate", Run: func(w *ecs.World) { c.mode.interpolate(w) }})
	c.schedule = ecs.NewSchedule(c.before, c.onTick, c.after, c.render)
	if err := settle(c.schedule, cfg.Schedule, clientOrder); err != nil {
		return nil, err
	}
	names := c.schedule.Names()
	c.predicting = slices.Contains(names, "Predict")
	c.drawing = slices.Contains(names, "Interpolate")

	session := cfg.session()
	session.Schema, session.ConnectTimeout = p.Lines(), cfg.connectTimeout(server)
	endpoint, err := netsys.NewClient(wire, server, session)
	if err != nil {
		return nil, err
	}
	c.endpoint = endpoint
	c.config.Token = nil // whoever prints a client does not print that
	start := cfg.Start
	if start.IsZero() {
		start = time.Now()
	}
	c.now = start
	c.loop = ecs.NewLoop(start, ecs.DefaultTickRate) // to poll by, until the server says its rate
	return c, nil
}

// welcome makes the world when the server has let this client in.
func (c *Client) welcome(session netsys.Session) error {
	m, err := readWelcome(c.endpoint.Welcome())
	if err != nil {
		return err
	}
	c.session, c.id, c.policies = session, uint32(session.ID()), m.policies
	if everywhere(m.policies) && !c.predicting {
		return fmt.Errorf("%w: Schedule without Predict: the server's model is %v, where every client simulates everything", ErrConfig, m.policies.Correction)
	}
	config := ecs.Config{Seed: m.seed, TickRate: int(m.tickRate), Client: !everywhere(m.policies), Simulate: c.simulation}
	c.world = ecs.NewWorld(c.protocol, config)
	config.Client = true
	c.view = ecs.NewWorld(c.protocol, config)
	if m.policies.Outcomes == policy.OutcomesPastHorizon {
		c.outcomes = newOutcomes(c.world, c.config.Outcomes)
	}
	c.followers = follow(c.config.Events, c.outcomes)
	c.mode = newClientMode(c)
	table := inputTable(c.protocol)
	if c.config.Events != nil {
		c.config.Events.Join(c.world, session.Channels())
	}
	c.log = newInputLog(table, c.config.History)
	c.log.jump(m.input)
	c.ackedInput = m.input
	c.inputs, c.bases = newInputCoder(table), newInputBases(table.Words)
	if m.policies.Correction == policy.CorrectionMismatch {
		c.advice, c.inputs.advised = &adviser{results: newResultCoder(c.protocol)}, true
	}
	c.history = ecs.NewHistory(c.world, c.config.History)
	c.clock = newPlayback(c.now, int(m.tickRate), int(m.sendRate))
	c.smoother = newSmoother(c.protocol)
	for _, comp := range c.replicated {
		c.clock.beyond = max(c.clock.beyond, comp.Beyond.Seconds()*float64(m.tickRate))
	}
	c.sendEvery = uint32(m.tickRate / m.sendRate)
	c.newestTick, c.newestSend = m.tick, m.tick/c.sendEvery
	tables := tablesOf(c.protocol)
	c.layout = snapshot.NewLayout(tables, int(c.sendEvery), int(m.sendRate))
	c.model = c.modelWith(m.trained)
	c.rawModel = snapshot.NewModel(snapshot.NewRawLayout(tables, int(c.sendEvery), int(m.sendRate)), nil)
	c.loop = ecs.NewLoop(c.now.Add(c.world.StepDuration()), int(m.tickRate))
	c.config.Logger.Info("connected", "client", c.id, "server", session.RemoteAddr())
	return nil
}

func (c *Client) fail(err error) {
	if c.err == nil {
		c.err = err
		if c.config.Events != nil {
			c.config.Events.Leave()
		}
		c.config.Logger.Info("session ended", "client", c.id, "reason", err)
	}
}

// Next is when the next tick is due.
func (c *Client) Next() time.Time { return c.loop.Next() }

// Advance runs the ticks that are due and returns how many that were. Packets
// are received and own state reconciled once before them, where the server rewinds
// before the last of them; inputs are sent once after.
func (c *Client) Advance(now time.Time) int {
	if c.err != nil {
		return 0
	}
	if c.world == nil {
		if c.loop.Advance(now) > 0 {
			c.now = now
			c.receive(nil)
		}
		return 0
	}
	n := c.loop.Advance(now)
	if n == 0 {
		return 0
	}
	c.now = now
	c.tellOverload(now)
	ran := 0
	for ; ran < c.mode.overdue(n); ran++ {
		c.tick()
	}
	c.before.Run(c.world)
	if c.err != nil {
		return 0
	}
	for ; ran < n || c.mode.behind(ran-n); ran++ {
		c.tick()
	}
	c.followers.settle(c.mode.horizon())
	c.after.Run(c.world)
	return n
}

func (c *Client) tick() {
	c.onTick.Run(c.world)
	c.stats.Ticks++
	c.loop.SetRate(c.mode.rate())
}

// Frame brings the view up to date for a frame drawn at now.
func (c *Client) Frame(now time.Time) {
	if c.world == nil {
		return
	}
	c.now = now
	c.frameBefore, c.frameAt = c.frameAt, now
	c.loss.take(now, c.session.Stats().LossIn)
	c.clock.loss = c.loss.share
	if !c.drawing {
		c.confirmedFrame()
	}
	c.render.Run(c.world)
}

// confirmedFrame counts stalls where nothing interpolates: what is drawn moves
// only when a snapshot comes.
func (c *Client) confirmedFrame() {
	if float64(c.newestTick) <= c.clock.head {
		c.stats.Stalls++
	}
	c.clock.head = float64(c.newestTick)
}

// Stats returns the counters.
func (c *Client) Stats() ClientStats {
	s := &c.counted // a variable of its own would be allocated for the mode
	*s = c.stats
	s.TicksDropped, s.InputBuffer, s.Snaps = c.loop.Dropped, c.depth, c.clock.snaps
	if c.mode != nil {
		c.mode.count(s)
	}
	if c.session != nil {
		s.Session = c.session.Stats()
	}
	return *s
}
