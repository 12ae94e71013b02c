package snapshot

import (
	"cmp"
	"io"
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config is the configuration of a [System].
type Config struct {
	World    *ecs.World    // the server's world
	Protocol *ecs.Protocol // of the world
	Clock    Clock         // decides when a send is due
	// SendRate is the maximum number of sends a second, see [System.SetEvery].
	SendRate int
	// Usual is the usual number of sends a second; 0: SendRate. A client is sent fewer if its snapshots are too large.
	Usual int
	// Budget limits a client's snapshot in bytes at the usual rate, see [System.SetBudget].
	Budget int
	// Reports are the results that clients report: owner state is sent only to correct them. Nil: it is always sent.
	Reports *report.Judge
	// Coders are the coders that blocks may use, and Trained is a model trained on the game.
	Coders  delta.Coders
	Trained *delta.Trained // nil: the built-in model
	// Record receives the state of each send; nil: none.
	Record io.Writer
	// Interest decides what a client may see; nil: everything.
	Interest *interest.Program
	// Priority returns the priority of an entity for a client; nil: 1.
	Priority func(w *ecs.World, e ecs.Entity, client uint32) float32
	Logger   logging.Logger // reports entities that fit no datagram, exhausted budgets and failed recordings
	// Workers build snapshots; nil: the caller builds them all.
	Workers *workers.Pool
}

// Clock is the time of the server.
type Clock interface {
	// Now returns the time of the wake-up.
	Now() time.Time
	// Tick returns the number of the next tick. Snapshots contain it as the tick of their state.
	Tick() uint32
}

// System is the system Snapshot.
type System struct {
	config     Config
	comps      []*ecs.Component // replicated ones
	ownerParts uint64           // components of owner state
	sends      sends
	frames     *frames.Ring
	recorder   recorder
	codecs     codecs
	shared     shared
	drafts     []*draft // by worker
	clients    []*Client
	views      []*view
	stats      Stats
}

// recorder records the state of each send.
type recorder struct {
	to *delta.Recorder // nil: none, or it failed
}

// sends counts and numbers the sends. Clients know them by their numbers: a send can happen every few steps, and all these times are
// numbered, whether there is a send or not. On the server, everything is kept by the count, so that none is kept for nothing.
type sends struct {
	steps  uint32 // simulation steps from one number to the next
	every  uint32 // see [System.SetEvery]
	usual  uint32 // every at the usual rate
	newest uint32 // count
	number uint32 // of the newest send
	tick   uint32 // of the newest send
	recent []sent // a ring of the newest sends
	spread bool   // see [System.Spread]
	length uint32 // number of steps over which the snapshots of the newest send are spread
	left   uint32 // number of the last steps of the newest send whose snapshots are not built yet
}

// sent is the number of a send.
type sent struct{ send, number uint32 }

// numberOf returns the number of a send, or 0 if it is too long ago.
func (s *System) numberOf(send uint32) uint32 {
	if x := s.sends.recent[send%uint32(len(s.sends.recent))]; x.send == send {
		return x.number
	}
	if f := s.frames.At(send); f != nil { // a client joins with it
		return f.Number
	}
	return 0
}

// back returns how many numbers before that of the newest send a send has, given how many sends it was before that one.
func (s *System) back(sends uint32) uint32 { return s.sends.number - s.numberOf(s.sends.newest-sends) }

// sendOf returns the send with a number, or 0 if there is none or it is too long ago.
func (s *System) sendOf(number uint32) uint32 {
	for _, x := range s.sends.recent {
		if x.number == number {
			return x.send
		}
	}
	return 0
}

// Sends returns the number of sends.
func (s *System) Sends() uint64 { return s.stats.Sends }

// Stats holds the counters of a [System].
type Stats struct {
	Sends      uint64 // of the world, to any number of clients
	Updates    uint64 // snapshots sent, over all clients
	OverBudget uint64 // snapshots that did not hold everything
	Oversized  uint64 // times an entity was left out because it fits no snapshot
	Delay      uint64 // ticks by which snapshots were built after their send, over all snapshots: see [System.Spread]
	Clamped    uint64 // values outside their declared range
	Joins      int    // states that are kept at the moment for joining clients
	Encodes    EncodeStats
	Traffic    traffic.Stats
}

// New returns a system whose first send follows the given tick.
func New(c Config, tick uint32) *System {
	steps := c.World.TickRate() / c.SendRate
	s := &System{
		config: c, codecs: newCodecs(&c, steps),
		sends: sends{
			steps: uint32(steps), every: 1, usual: uint32(c.SendRate / cmp.Or(c.Usual, c.SendRate)), newest: tick / uint32(steps), number: tick / uint32(steps), tick: tick, length: uint32(steps),
			recent: make([]sent, 2*frames.Kept(c.SendRate)),
		},
		comps: c.Protocol.Replicated(), ownerParts: wire.Predicted(c.Protocol) | wire.Private(c.Protocol),
	}
	if c.Record != nil {
		s.recorder.to = delta.NewRecorder(c.Record, s.codecs.layout)
	}
	s.frames = frames.New(frames.Config{
		World: c.World, Layout: s.codecs.layout, Steps: steps, Logger: c.Logger,
		Hides: c.Interest.Limits(), Restricted: c.Interest.RestrictedSets(),
	})
	s.shared.prepare(s)
	s.drafts = make([]*draft, c.Workers.Workers())
	for i := range s.drafts {
		s.drafts[i] = newDraft(s)
	}
	return s
}

// Spread sets whether the snapshots of a send are built over the ticks until the next send, instead of all in one tick. They
// contain the state of the send. The last ones leave one send interval minus one tick later.
func (s *System) Spread(on bool) { s.sends.spread = on }

// SetEvery sets the rate: there is a send at each number that is a multiple of every. 1 is the configured rate.
func (s *System) SetEvery(every uint32) {
	s.sends.every = every
	s.frames.SetEvery(every)
}

// Rate returns the current number of sends a second.
func (s *System) Rate() float64 { return float64(s.config.SendRate) / float64(s.sends.every) }

// EverySteps returns the number of simulation steps from one send to the next.
func (s *System) EverySteps() int { return int(s.sends.steps * s.sends.every) }

// Every returns the number of ticks from one snapshot of a client to the next.
func (s *System) Every(c *Client) uint32 { return s.sends.steps * s.sends.every * c.pace.skip }

// isDue reports whether a client is sent a snapshot of the newest send.
func (s *System) isDue(c *Client) bool { return s.sends.newest%c.pace.skip == 0 }

// Step notes that a tick has passed.
func (s *System) Step() { s.frames.Step() }

// Run is the system. If a send is due it captures the world, and builds the snapshots of all clients or, if they are spread, of
// those whose turn it is.
func (s *System) Run(w *ecs.World) {
	tick, x := s.config.Clock.Tick(), &s.sends
	if number := tick / x.steps; number == x.number || number/x.every == x.number/x.every {
		s.buildUntil(tick - x.tick)
		return
	}
	s.buildUntil(x.length) // snapshots of the previous send that are late
	f := s.capture(tick)
	s.stats.Sends++
	s.shared.blocks.reset()
	for i := range s.drafts {
		s.drafts[i].startSend(w, f)
	}
	s.updateViews(f)
	if x.length = x.steps * x.every; !x.spread || x.length == 1 {
		s.buildAll(buildWhole)
		return
	}
	s.buildAll(buildStart)
	x.left = x.length
	s.buildUntil(0)
}

// buildUntil builds the snapshots of a send that are spread, up to those of a step.
func (s *System) buildUntil(step uint32) {
	for s.sends.left > 0 && s.sends.length-s.sends.left <= step {
		s.sends.left--
		s.buildAll(buildRest)
	}
}

// hasTurn reports whether the snapshot of a client is to be built now, if they are spread.
func (s *System) hasTurn(c *Client) bool {
	return c.started == s.sends.newest && c.id%s.sends.length == s.sends.length-1-s.sends.left
}

// capture captures the world and the places of the entities for the interest. It is stage 1 of a send, for all clients.
func (s *System) capture(tick uint32) *frames.Frame {
	x := &s.sends
	x.newest, x.number, x.tick = x.newest+1, tick/x.steps, tick
	x.recent[x.newest%uint32(len(x.recent))] = sent{x.newest, x.number}
	f := s.frames.Take(x.newest, tick)
	s.record()
	if s.config.Interest != nil {
		s.config.Interest.Begin(f, s.frames)
	}
	return f
}

// record writes the state of a send to the recording, if there is one.
func (s *System) record() {
	if s.recorder.to == nil {
		return
	}
	if err := s.recorder.to.Record(s.Groups()); err != nil {
		s.recorder.to = nil
		s.config.Logger.Error("recording ended", "error", err)
	}
}

// Add adds a client. trained is the hash of its trained file.
func (s *System) Add(id uint32, p Peer, trained uint64) *Client {
	c := newClient(id, p, s.codecs.model, s.config.Budget, frames.Kept(s.config.SendRate))
	c.view = s.viewOf(id)
	if s.codecs.agreement.With(trained, "client", id) {
		c.model = s.codecs.trained
	}
	s.clients = append(s.clients, c)
	return c
}

// Record adds a recorder: a client without a budget that has no trained file.
func (s *System) Record(id uint32, p Peer) *Client {
	c := newClient(id, p, s.codecs.model, math.MaxInt32, frames.Kept(s.config.SendRate))
	c.recorder, c.view = true, s.viewOf(id)
	s.clients = append(s.clients, c)
	return c
}

// Watch makes a client see what the client with number sight sees, or everything if sight is 0. If own is true, it also receives the
// owner state of that client.
func (s *System) Watch(c *Client, sight uint32, own bool) {
	s.leaveView(c.view)
	c.sight, c.view = sight, s.viewOf(sight)
	d := s.drafts[0]
	d.rejoin(c)
	if own {
		c.own = sight
	}
}

// Remove removes a client.
func (s *System) Remove(c *Client) {
	s.shared.joins.release(s, c)
	c.held.releaseJoined(s)
	s.leaveView(c.view)
	s.clients = slices.DeleteFunc(s.clients, func(x *Client) bool { return x == c })
}

// Acked notes that a client received a packet. It returns the tick of the state in the packet;
// ok is false if that state is no longer kept. It may run for several clients at once.
func (s *System) Acked(c *Client, seq uint16) (tick uint32, ok bool) {
	x := c.sent.Take(seq)
	if x == nil {
		return 0, false
	}
	for _, i := range x.pieces {
		if c.join.stream.arrived(x.kept, int(i)) {
			s.endStream(c)
		}
	}
	if x.own {
		c.private.held.acked(x.send)
	}
	if x.view && c.held.acked(x.send) {
		if j := c.held.joined; j != nil && j.send < c.held.whole {
			c.held.releaseJoined(s)
		}
		if c.join.state == joinNow && x.send >= max(c.join.at, c.floor) {
			c.join.state = joinNone
		}
	}
	s.noteAcked(c, x.send)
	f := s.frames.At(x.send)
	if f == nil {
		return 0, false
	}
	return f.Tick, true
}

// MinBudget is the least budget: a header, a little owner state and one entity fit it.
const MinBudget = 200

// SetBudget limits each snapshot of a client to that many bytes at the usual rate, at least [MinBudget]. At higher rates it limits the
// bytes a second to the same.
func (s *System) SetBudget(c *Client, bytes int) {
	if bytes < c.budget && c.join.state == joinStream { // its blocks may be too long now
		s.shared.joins.release(s, c)
		c.join.state = joinNow
	}
	c.budget = bytes
}
