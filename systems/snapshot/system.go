package snapshot

import (
	"io"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/systems/explain"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config is what a [System] is made of.
type Config struct {
	World    *ecs.World    // that is captured
	Protocol *ecs.Protocol // of the world
	Clock    Clock         // by which sends are due
	// SendRate is the number of sends a second.
	SendRate int
	// Budget bounds a client's snapshot in bytes, see [System.SetBudget].
	Budget int
	// Reports is what clients report: own state travels only to correct it. Nil: nothing.
	Reports *report.Judge
	// Coders are those that blocks may use, and Trained is what they learned of the game.
	Coders  delta.Coders
	Trained *delta.Trained // nil: what is built in
	// Record is written the state of each send; nil: none.
	Record io.Writer
	// Interest says what a client may know of, and how much groups matter to it; nil: of all, and all the same.
	Interest *interest.Program
	// Priority is how much an entity matters to a client, in place of what Interest says; nil: 1.
	Priority func(w *ecs.World, e ecs.Entity, client uint32) float32
	Logger   logging.Logger // for what goes wrong
	// Workers share the clients; nil: the caller has them all.
	Workers *workers.Pool
}

// Clock says what the time is.
type Clock interface {
	// Now is the time of the wake-up.
	Now() time.Time
	// Tick is the tick after which the world stands.
	Tick() uint32
}

// System is the system Snapshot.
type System struct {
	config   Config
	comps    []*ecs.Component // that are replicated
	ownParts uint64           // components of own state
	sends    sends
	frames   *capture.Ring
	recorder recorder
	codecs   codecs
	shared   shared   // of all clients
	drafts   []*draft // of each worker
	clients  []*Client
	stats    Stats
	watches  explain.Watches
}

// recorder is what states are recorded by.
type recorder struct {
	to   *delta.Recorder // nil: none, or no longer
	room []delta.Group
}

// sends are the numbers of sends.
type sends struct {
	steps  uint32 // simulation steps between two
	newest uint32
	before uint32 // the one before that
	far    uint32 // what is far is told in every such send
	all    uint32 // a client is told in every such one
}

// Stats counts what a [System] did.
type Stats struct {
	Sends      uint64 // of the world, to whatever number of clients
	Updates    uint64 // snapshots sent, over all clients
	OverBudget uint64 // of these, those in which entities had to wait their turn
	Oversized  uint64 // times an entity was left out because it fits no snapshot
	Clamped    uint64 // values that were outside their declared range
	Joins      int    // states that are kept at the moment for clients to join with
	Encodes    EncodeStats
	Traffic    traffic.Stats
}

// New makes a system that goes on behind a tick.
func New(c Config, tick uint32) *System {
	steps := c.World.TickRate() / c.SendRate
	s := &System{
		config: c, sends: sends{steps: uint32(steps), newest: tick / uint32(steps), far: 1, all: 1}, codecs: newCodecs(&c, steps),
		comps: c.Protocol.Replicated(), ownParts: wire.Predicted(c.Protocol) | wire.Private(c.Protocol),
	}
	if c.Record != nil {
		s.recorder.to = delta.NewRecorder(c.Record, s.codecs.layout)
	}
	s.frames = capture.New(c.World, s.codecs.layout, steps, c.Interest.Homes(), c.Logger)
	s.shared.begin(s)
	s.drafts = make([]*draft, c.Workers.Workers())
	for i := range s.drafts {
		s.drafts[i] = new(draft)
		s.drafts[i].begin(s)
	}
	return s
}

// Divide divides the rate at which clients are told of what is far from them, and that at which they
// are told anything: 1 is what is configured.
func (s *System) Divide(far, all uint32) { s.sends.far, s.sends.all = far, all }

// Step notes that a tick has passed.
func (s *System) Step() { s.frames.Step() }

// Run is the system: it captures the world when a send is due and lays out for each client
// what that client does not hold.
func (s *System) Run(w *ecs.World) {
	tick := s.config.Clock.Tick()
	if tick/s.sends.steps == s.sends.newest {
		return
	}
	s.sends.before, s.sends.newest = s.sends.newest, tick/s.sends.steps
	f := s.frames.Take(s.sends.newest, tick)
	s.record()
	if s.config.Interest != nil {
		s.config.Interest.Begin(f)
	}
	s.stats.Sends++
	s.watches.Lapse(s.sends.newest)
	s.shared.blocks.reset()
	s.shared.turns.begin(f, s.frames.At(s.sends.before), s.shared.crowded || s.config.Interest.Limits())
	for i := range s.drafts {
		s.drafts[i].beginSend(w, f)
	}
	_, n := portions(len(s.clients), len(s.drafts))
	s.config.Workers.Each(n, s.shared.layOut)
	putOff(s)
	s.shared.merge(s)
}

// together is how many clients a worker lays out in one go. Of a thousand clients none is in the caches when its turn
// comes, and a line of memory takes some 155 ns to come, one that need not be waited for a twentieth of that. So what a
// client needs lies in few lines, and before some clients are laid out a byte of each line of all of them is read: these
// reads do not depend on each other, and the processor waits for many at a time.
const together = 16

// portions are how many of so many clients are laid out in one go, so that each worker gets several portions, and how many
// portions there are.
func portions(clients, workers int) (each, portions int) {
	each = max(1, min(together, clients/(4*workers)))
	return each, (clients + each - 1) / each
}

// layOutSome makes the snapshots of the i-th portion of the clients.
func (s *System) layOutSome(worker, i int) {
	each, _ := portions(len(s.clients), len(s.drafts))
	d, first := s.drafts[worker], i*each
	some := s.clients[first:min(first+each, len(s.clients))]
	for _, c := range some {
		d.notes.touched ^= c.touch()
	}
	for _, c := range some {
		d.notes.touched ^= c.touchFurther(s.sends.newest)
	}
	for k := range some {
		s.layOut(worker, first+k)
	}
}

// layOut makes the snapshot of a client in the draft of a worker, or puts it off.
func (s *System) layOut(worker, client int) {
	d, c := s.drafts[worker], s.clients[client]
	if (s.sends.newest+c.id)%s.sends.all != 0 {
		return // its turn comes with another send
	}
	if len(s.drafts) > 1 && d.waits(c) {
		d.notes.later = append(d.notes.later, client)
		return
	}
	d.notes.client = client
	d.layOut(c)
}

// putOff lays out the clients that were put off.
func putOff(s *System) {
	x := &s.shared
	x.later = x.later[:0]
	for i := range s.drafts {
		d := s.drafts[i]
		x.later = append(x.later, d.notes.later...)
		d.notes.later = d.notes.later[:0]
	}
	s.config.Workers.Each(len(x.later), x.again)
}

// layOutLater makes the snapshot of a client that was put off.
func (s *System) layOutLater(worker, i int) {
	d := s.drafts[worker]
	d.notes.client = s.shared.later[i]
	d.layOut(s.clients[d.notes.client])
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

// Add begins to tell a client, whose trained file has a hash.
func (s *System) Add(id uint32, p Peer, trained uint64) *Client {
	c := newClient(id, p, s.codecs.model, s.config.Budget)
	c.sight.on = s.config.Interest.Limits()
	if s.codecs.agreement.With(trained, "client", id) {
		c.model = s.codecs.trained
	}
	s.clients = append(s.clients, c)
	return c
}

// Remove ends telling a client.
func (s *System) Remove(c *Client) {
	s.shared.joins.release(c)
	s.watches.Leave(c.id)
	s.clients = slices.DeleteFunc(s.clients, func(x *Client) bool { return x == c })
}

// Acked takes in that a client received a packet. It returns the tick whose state that was
// about; ok is false where it told of none that is kept. It may run for several clients at once.
func (s *System) Acked(c *Client, seq uint16) (tick uint32, ok bool) {
	x := c.baselines.Acked(seq)
	if x == nil {
		return 0, false
	}
	for i := range x.Blocks {
		if b := &x.Blocks[i]; b.Chunk >= 0 && c.join.arrived(b.Send, int(b.Chunk)) {
			s.shared.joins.release(c)
			c.joined()
		}
	}
	f := s.frames.At(x.Send)
	if f == nil {
		return 0, false
	}
	if c.join.state == joinNow && x.Send >= max(c.join.at, c.baselines.Floor()) && c.join.got(x) {
		c.joined()
	}
	return f.Tick, true
}

// MinBudget is what a header, a little own state and an entity need.
const MinBudget = 200

// SetBudget bounds the snapshots of a client to that many bytes each, at least [MinBudget].
func (s *System) SetBudget(c *Client, bytes int) {
	if bytes < c.contest.budget && c.join.state == joinStream { // in blocks that may be too long now
		s.shared.joins.release(c)
		c.join.state = joinNow
	}
	c.contest.budget = bytes
}
