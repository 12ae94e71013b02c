package systems

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/overload"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/travel"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// Client plays on a server: it predicts its own entities, reconciles them with
// the server's, and keeps a view to draw from. It belongs to one goroutine;
// make it with [Dial], or with [NewClient] on any wire.
type Client struct {
	config   ClientConfig
	protocol *ecs.Protocol
	policies policy.Policies // once connected
	model    clientModel     // likewise
	world    *ecs.World
	view     *ecs.World
	stats    ClientStats
	owned    ownership.Client
	link     clientLink
	steps    clientSteps
	stages   clientStages
	followed followers
	shape    clientShape

	mirror *mirror.Mirror // what the server said

	// what this client does of it
	predictor    *predict.System // nil before it is connected, and where it simulates everything
	inputs       clientInputs
	reconciler   *reconcile.System   // likewise
	interpolator *interpolate.System // nil before it is connected
}

// clientLink is the session with the server.
type clientLink struct {
	endpoint *netsys.Client
	session  netsys.Session
	id       uint32
	err      error         // why it ended for good
	lost     error         // why it ended, while the client reconnects
	again    time.Time     // when the next attempt is due
	pause    time.Duration // before the newest attempt
	trying   bool          // an attempt is under way
	resumes  bool          // this session follows one that was lost
	notices  notice.Reader
	loss     clock.Loss
	commands *commands.Queue // nil: nothing has been commanded
	guide    *travel.Guide   // nil: it was never sent elsewhere
	before   ClientStats     // of the rooms before
}

// clientSteps says when which tick is due.
type clientSteps struct {
	now      time.Time
	loop     *ecs.Loop
	behind   overload.Behind
	steering clock.Steering
}

// clientStages is the schedule, by stage.
type clientStages struct {
	schedule   *ecs.Schedule
	before     *ecs.Stage
	onTick     *ecs.Stage
	after      *ecs.Stage
	render     *ecs.Stage
	simulate   *ecs.Stage
	predicting bool // the schedule has Predict
	drawing    bool // the schedule has Interpolate
}

// clientShape is what the protocol and the welcome fix once for all.
type clientShape struct {
	replicated []*ecs.Component
	predicted  uint64
	private    uint64 // components that only their owner sees
	sendEvery  uint32 // ticks
}

// NewClient assembles a client on a wire, connecting to server; the zero AddrPort
// means the addresses of ClientConfig.Token, in turn. It returns an error that wraps
// [ErrConfig] or [ErrStageOrder] when c is wrong, netcode.ErrToken when the token is,
// and netsys.ErrInsecure when there is none and the server is elsewhere.
func NewClient(on netsys.Wire, server netip.AddrPort, p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.filled()
	if _, udp := on.(*netsys.UDP); udp && cfg.Reach == nil {
		cfg.Reach = reachUDP
	}
	for i, of := range []func(*ecs.Protocol) *ecs.Component{cfg.Gather.of, cfg.Partial.of, cfg.Assume.of} {
		if of != nil && (p.Input() == nil || of(p) != p.Input()) {
			return nil, fmt.Errorf("%w: %s fills another type than the protocol's input: %s", ErrConfig, [...]string{"Gather", "Partial", "Assume"}[i], inputgather.Type(p))
		}
	}
	c := &Client{config: cfg, protocol: p}
	c.shape = clientShape{replicated: p.Replicated(), predicted: wire.Predicted(p), private: wire.Private(p)}
	blank(c)

	c.stages.simulate = p.SimulateStage()
	c.stages.before = ecs.NewStage("Before",
		ecs.System{Name: "Receive", Run: c.receive},
		ecs.System{Name: "Reconcile", Run: func(w *ecs.World) { c.model.systems.reconcile(w) }})
	c.stages.onTick = ecs.NewStage("OnTick",
		ecs.System{Name: "InputGather", Run: func(w *ecs.World) { c.model.systems.gather(w) }},
		ecs.System{Name: "Predict", Run: func(w *ecs.World) { c.model.systems.predict(w) }, Runs: c.stages.simulate})
	c.stages.after = ecs.NewStage("After", ecs.System{Name: "Send", Run: func(w *ecs.World) { c.model.systems.send(w) }})
	c.stages.render = ecs.NewStage("Render", ecs.System{Name: "Interpolate", Run: func(w *ecs.World) { c.model.systems.interpolate(w) }})
	c.stages.schedule = ecs.NewSchedule(c.stages.before, c.stages.onTick, c.stages.after, c.stages.render)
	if err := finalizeSchedule(c.stages.schedule, cfg.Schedule, clientStageOrder); err != nil {
		return nil, err
	}
	names := c.stages.schedule.Names()
	c.stages.predicting = slices.Contains(names, "Predict")
	c.stages.drawing = slices.Contains(names, "Interpolate")

	session, err := cfg.Session(p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	session.ConnectTimeout = cfg.connectTimeout(server)
	if c.link.endpoint, err = netsys.NewClient(on, server, session); err != nil {
		return nil, err
	}
	c.config.Token = nil                       // whoever prints a client does not print that
	c.config.ClientID = c.Session().ClientID() // which a reconnection keeps, where it was made up
	if c.steps.now = cfg.Start; cfg.Start.IsZero() {
		c.steps.now = time.Now()
	}
	c.steps.loop = ecs.NewLoop(c.steps.now, ecs.DefaultTickRate) // to poll by, until the server says its rate
	return c, nil
}

// Next is when the next tick is due.
func (c *Client) Next() time.Time { return c.steps.loop.Next() }

// Advance runs the ticks that are due and returns how many that were. Packets
// are received and own state reconciled once before them, where the server rewinds
// before the last of them; inputs are sent once after.
func (c *Client) Advance(now time.Time) int {
	if g := c.link.guide; g != nil && c.link.err == nil {
		g.Step(now)
	}
	if c.link.err != nil {
		return 0
	}
	if c.link.lost != nil {
		if c.steps.loop.Advance(now) > 0 { // which says when to come again
			c.reconnect(now)
		}
		return 0
	}
	if c.world == nil {
		if c.steps.loop.Advance(now) > 0 {
			c.steps.now = now
			c.receive(nil)
		}
		return 0
	}
	n := c.steps.loop.Advance(now)
	if n == 0 {
		return 0
	}
	c.steps.now = now
	c.steps.behind.Tell(c.config.Logger, now, c.steps.loop.Dropped, "client", int(c.link.id))
	ran := 0
	for ; ran < c.model.pace.BeforeReceive(n); ran++ {
		c.tick()
	}
	c.stages.before.Run(c.world)
	if !c.Connected() {
		return 0
	}
	for ; ran < n || c.model.pace.More(ran-n); ran++ {
		c.tick()
	}
	c.followed.all.Settle(c.model.firstOpen())
	if q := c.link.commands; q != nil {
		q.Send(now, c.link.session)
	}
	c.stages.after.Run(c.world)
	return n
}

func (c *Client) tick() {
	c.stages.onTick.Run(c.world)
	c.stats.Ticks++
	c.steps.loop.SetRate(c.model.pace.Rate())
}

// Frame brings the view up to date for a frame drawn at now.
func (c *Client) Frame(now time.Time) {
	if c.world == nil {
		return
	}
	c.steps.now = now
	c.link.loss.Measured(now, c.link.session.Stats().LossIn)
	c.interpolator.Frame(now, c.link.loss.Share)
	if !c.stages.drawing {
		c.interpolator.Still(c.mirror.Newest.Tick)
	}
	c.stages.render.Run(c.world)
}

// Run plays in real time until ctx ends, then leaves and returns nil; or until
// the session ends, and returns why. frame, which may be nil, is called after
// every step with the view up to date.
func (c *Client) Run(ctx context.Context, frame func(c *Client)) error {
	err := runRealTime(ctx, frames{c, frame}, func() error { return c.Close(time.Now()) })
	if c.link.err != nil && ctx.Err() == nil {
		return c.link.err
	}
	return err
}

// frames draws after every step.
type frames struct {
	*Client
	frame func(*Client)
}

func (f frames) Advance(now time.Time) int {
	n := f.Client.Advance(now)
	if n > 0 {
		f.Client.Frame(now)
		if f.frame != nil {
			f.frame(f.Client)
		}
	}
	return n
}

// clientInputs are the inputs of this client, once it is connected.
type clientInputs struct {
	*inputgather.System
	sender *inputgather.Sender
}

// send is the system Send of a client.
func (c *Client) send(*ecs.World) { c.inputs.sender.Send(c.steps.now, c.link.session) }

// beginPartial lets the world stand, while a frame is drawn, where it will be when what has
// passed of the time to the next tick is simulated with the input of this moment: a partial
// tick, as Netcode for Entities calls it. It is the tick that comes, in a smaller step. The
// world is given back as it was, so that nothing but the view tells of it, and a visual
// error, which is measured between whole ticks, has no part of it. It returns how much of the
// tick that is, 0 where nothing of it is drawn.
func (c *Client) beginPartial() (share float64) {
	if c.config.Partial.fill == nil || !c.stages.predicting {
		return 0
	}
	tick, input, share := c.model.numbering.Coming()
	if share <= 0 {
		return 0
	}
	c.world.Netcode().BeginPartial(tick, c.link.id, input, share)
	c.model.numbering.Foresee(input)
	c.world.Netcode().SimulateStage().Run(c.world)
	return share
}
