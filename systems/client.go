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
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/overload"
	"github.com/tactusgo/tactus/systems/internal/travel"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// Client plays on a server: it predicts its own entities, reconciles them with the server's state, and maintains a
// view to draw from. Use it from one goroutine. Create it with [Dial], or with [NewClient] on any transport.
type Client struct {
	config   ClientConfig
	protocol *ecs.Protocol
	played   policy.Model // what the server plays; nil before the client is connected
	model    clientModel  // once connected
	world    *ecs.World
	view     *ecs.World
	stats    ClientStats
	link     clientLink
	steps    clientSteps
	stages   clientStages
	followed followers
	shape    clientShape
	recorded clientRecord

	mirror   *mirror.Mirror // state received from the server
	sendRate int            // snapshots a second that it asks for at most; 0: any

	// parts that process this state
	predictor    *predict.System // nil before it is connected, and if it simulates everything
	inputs       clientInputs
	reconciler   *reconcile.System   // as for predictor
	interpolator *interpolate.System // nil before it is connected
}

// clientLink is the session with the server.
type clientLink struct {
	endpoint clientEndpoint
	token    bool // the client was given a token; otherwise each attempt makes one of its own
	session  netsys.Session
	id       uint32
	err      error         // why it ended for good
	lost     error         // why it ended, while the client reconnects
	again    time.Time     // when the next attempt is due
	pause    time.Duration // before the newest attempt
	trying   bool          // an attempt is in progress
	resumes  bool          // this session follows a lost one
	loss     clock.Loss
	guide    *travel.Guide // nil: no ticket was received
	before   ClientStats   // counters of the previous rooms
}

// clientEndpoint is a client's end of a session: a *netsys.Client, or a recording that is played.
type clientEndpoint interface {
	netsys.Endpoint
	Welcome() []byte
	Session() netsys.Session
	Away(now time.Time)
}

// clientSteps decides when ticks are due.
type clientSteps struct {
	now      time.Time
	loop     *ecs.Loop
	frames   frameTimes
	behind   overload.DropLog
	steering clock.Steering
	heard    uint64 // received datagrams, keep-alives included
	silent   int    // ticks since the newest of them
	woken    int    // ticks for which wokenSilence applies
	stale    bool   // it was logged that states are older than the history
}

// clientStages is the schedule by stage.
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

// clientShape holds constants of the protocol and the welcome.
type clientShape struct {
	replicated []*ecs.Component
	predicted  uint64
	private    uint64 // components that only their owner sees
	sendEvery  uint32 // ticks between sends
}

// NewClient creates a client on a transport and connects to server. The zero AddrPort selects the addresses in
// ClientConfig.Session.Token, in order. It returns an error that wraps [ErrConfig] or [ErrStageOrder] if cfg is invalid,
// netcode.ErrToken if the token is invalid, and netsys.ErrInsecure if there is no token and the server is not on
// this machine.
func NewClient(on netsys.Wire, server netip.AddrPort, p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	if _, udp := on.(*netsys.UDP); udp && cfg.Session.Reach == nil {
		cfg.Session.Reach = reachUDP
	}
	if cfg.Start.IsZero() {
		cfg.Start = time.Now()
	}
	c, err := newClient(p, cfg)
	if err != nil {
		return nil, err
	}
	session, err := c.config.SessionConfig(p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	session.ConnectTimeout = c.config.connectTimeout(server)
	if c.link.endpoint, err = netsys.NewClient(on, server, session); err != nil {
		return nil, err
	}
	c.link.token = c.config.Session.Token != nil
	c.config.Session.Token = nil                       // so that a printed client does not contain the token
	c.config.Session.ClientID = c.Session().ClientID() // keep a generated id for reconnections
	return c, nil
}

// newClient creates a client without a session.
func newClient(p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.filled()
	for i, of := range []func(*ecs.Protocol) *ecs.Component{cfg.Gather.of, cfg.Prediction.Partial.of, cfg.Prediction.Assume.of} {
		if of != nil && (p.Input() == nil || of(p) != p.Input()) {
			return nil, fmt.Errorf("%w: %s is for another type than the protocol's input: %s", ErrConfig, [...]string{"Gather", "Partial", "Assume"}[i], inputgather.Type(p))
		}
	}
	c := &Client{config: cfg, protocol: p}
	c.shape = clientShape{replicated: p.Replicated(), predicted: wire.Predicted(p), private: wire.Private(p)}
	resetMirror(c)

	c.stages.simulate = p.SimulateStage()
	c.stages.before = ecs.NewStage("Before",
		ecs.System{Name: "Receive", Run: c.receive},
		ecs.System{Name: "Reconcile", Run: func(w *ecs.World) { c.model.systems.reconcile(w) }})
	c.stages.onTick = ecs.NewStage("OnTick",
		ecs.System{Name: "InputGather", Run: c.gather},
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

	c.steps.now = cfg.Start
	c.steps.loop = ecs.NewLoop(c.steps.now, ecs.DefaultTickRate) // for polling, until the server sends its rate
	return c, nil
}

// Next returns the time at which the next tick is due.
func (c *Client) Next() time.Time { return c.steps.loop.Next() }

// Advance runs the due ticks and returns their number. It receives packets and reconciles owner state once before
// the ticks, or before the last of them if the server rewinds. It sends inputs once after the ticks.
func (c *Client) Advance(now time.Time) int {
	if g := c.link.guide; g != nil && c.link.err == nil {
		g.Step(now)
	}
	if c.link.err != nil {
		return 0
	}
	if c.link.lost != nil {
		if c.steps.loop.Advance(now) > 0 { // the loop decides when to try again
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
	before := c.steps.loop.Dropped
	n := c.steps.loop.Advance(now)
	if n == 0 {
		return 0
	}
	c.steps.now = now
	if c.steps.loop.Dropped-before > maxSilence {
		c.steps.silent, c.steps.woken = 0, 4*wokenSilence
	}
	c.steps.behind.Log(c.config.Logger, now, c.steps.loop.Dropped, "client", int(c.link.id))
	ran := 0
	for ; ran < c.model.pace.BeforeReceive(n); ran++ {
		c.tick()
	}
	c.stages.before.Run(c.world)
	c.endSilence(n)
	c.logStale()
	if !c.Connected() {
		return 0
	}
	for ; ran < n || c.model.pace.More(ran-n); ran++ {
		c.tick()
	}
	c.followed.all.Settle(c.model.firstOpen())
	c.stages.after.Run(c.world)
	return n
}

// endSilence ends a session in which nothing has arrived for too long, after n more ticks.
func (c *Client) endSilence(n int) {
	if _, recorded := c.link.session.(*replaySession); recorded {
		return // a recording may be silent: its server was suspended, for example
	}
	if heard := c.link.session.Stats().DatagramsIn; heard != c.steps.heard {
		c.steps.heard, c.steps.silent = heard, 0
	}
	c.steps.silent += n
	c.steps.woken = max(c.steps.woken-n, 0)
	if c.steps.silent > maxSilence || c.steps.woken > 0 && c.steps.silent > wokenSilence {
		c.link.session.Close(c.steps.now, netsys.ReasonAway)
		c.fail(fmt.Errorf("%w: nothing arrived for %d ticks", netsys.ErrTimeout, c.steps.silent))
	}
}

// logStale logs once if the states of a second were too old to be compared.
func (c *Client) logStale() {
	if c.reconciler == nil || c.steps.stale || c.reconciler.Counts.StaleStates < uint64(c.world.TickRate())/uint64(c.shape.sendEvery) {
		return
	}
	c.steps.stale = true
	c.config.Logger.Warn("states are older than the stored predictions and confirm nothing: raise ClientConfig.Prediction.History",
		"client", c.link.id, "history", c.config.historyTicks(c.world.TickRate()))
}

func (c *Client) tick() {
	c.stages.onTick.Run(c.world)
	c.stats.Ticks++
	c.steps.loop.SetRate(c.model.pace.Rate())
}

// Frame updates the view for a frame drawn at now.
func (c *Client) Frame(now time.Time) {
	if c.world == nil {
		return
	}
	c.steps.now = now
	c.steps.frames.note(now)
	c.link.loss.Measured(now, c.link.session.Stats().LossIn)
	c.interpolator.Frame(now, c.link.loss.Share)
	if !c.stages.drawing {
		c.interpolator.Still(c.mirror.Newest.Tick)
	}
	c.stages.render.Run(c.world)
}

// Run plays in real time until ctx ends, then leaves and returns nil, or until the session ends, and returns the
// reason. frame, which may be nil, is called after every step with the updated view.
func (c *Client) Run(ctx context.Context, frame func(c *Client)) error {
	err := runRealTime(ctx, drawing{c, frame}, func() error { return c.Close(time.Now()) })
	if c.link.err != nil && ctx.Err() == nil {
		return c.link.err
	}
	return err
}

// drawing draws after every step.
type drawing struct {
	*Client
	frame func(*Client)
}

func (f drawing) Advance(now time.Time) int {
	n := f.Client.Advance(now)
	if n > 0 {
		f.Client.Frame(now)
		if f.frame != nil {
			f.frame(f.Client)
		}
	}
	return n
}

// clientInputs holds the inputs of this client, once it is connected.
type clientInputs struct {
	*inputgather.System
	sender *inputgather.Sender
	newest uint32 // see Client.Gathered
}

// gather is the system InputGather of a client.
func (c *Client) gather(w *ecs.World) {
	before := c.inputs.System.Gathered
	if c.model.systems.gather(w); c.inputs.System.Gathered > before {
		c.inputs.newest = c.model.numbering.Gathering()
	}
}

// send is the system Send of a client.
func (c *Client) send(*ecs.World) { c.inputs.sender.Send(c.steps.now, c.link.session) }

// beginPartial simulates the passed part of the time to the next tick with the current input, while a frame is
// drawn: a partial tick. It is the coming tick with a smaller step. The world is restored afterwards, so that only
// the view changes. Visual errors are measured between whole ticks and do not include it. beginPartial returns the
// share of the tick, 0 if none is drawn.
func (c *Client) beginPartial() (share float64) {
	if c.config.Prediction.Partial.fill == nil || !c.stages.predicting {
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
