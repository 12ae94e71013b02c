package serverapply

import (
	"errors"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config configures the handling of all clients' inputs.
type Config struct {
	// Protocol defines the input component.
	Protocol *ecs.Protocol
	// TickRate is the number of ticks per second.
	TickRate int
	// Batch is the number of ticks per wake-up of the server.
	Batch int
	// Arrival makes inputs apply on arrival; otherwise a buffer orders them.
	Arrival bool
	// Superseding makes the newest late input the held one.
	Superseding bool
	// Neutral makes missing inputs neutral; otherwise the held input is repeated.
	Neutral bool
	// Reported means that messages contain the result of the newest input.
	Reported bool
	// Workers process clients in parallel; nil: only the caller.
	Workers *workers.Pool
	// Refuse returns an error to refuse an input; nil refuses none.
	Refuse func(w *ecs.World, client uint32, in unsafe.Pointer) error
	// Logger receives the first refusal of each client.
	Logger logging.Logger
	// Recorder records what each tick does with the inputs. System calls it before it does so. Rewind does not use it. May be nil.
	Recorder Recorder
	// Now returns the time of this wake-up.
	Now func() time.Time
	// Tick returns the server's next tick.
	Tick func() uint32
}

// Recorder records what a tick does with the inputs of the clients.
type Recorder interface {
	timeline.Recorder
	// Begin precedes the other calls of a tick.
	Begin(tick uint32)
	// Skip records that the entities of a client take no step.
	Skip(client uint32)
	// Alone records that Simulate runs only for the entities of a client, with the input of the last call of Hold.
	Alone(client uint32)
	// Run records that the tick is simulated.
	Run()
}

// Intake is shared by all input timings: it reads messages, asks the game whether to refuse inputs, and counts
// clients whose inputs are faster than ticks.
type Intake struct {
	config   Config
	world    *ecs.World
	readers  []reader          // by worker
	clients  roll.Roll[Client] // in joining order
	byID     map[uint32]*Client
	departed Stats    // counters of clients that left
	scratch  []uint64 // room for one input
}

// reader is a worker's state for reading messages.
type reader struct {
	coder   *wire.InputCoder
	message wire.Input
	touched byte // has no meaning
}

// touch reads memory of the clients that are processed next.
func (r *reader) touch(clients []*Client) {
	for _, c := range clients {
		r.touched ^= c.Touch()
	}
	for _, c := range clients {
		r.touched ^= c.TouchFurther()
	}
}

// NewIntake returns the intake of a server's world.
func NewIntake(w *ecs.World, c Config) *Intake {
	i := &Intake{config: c, world: w, byID: make(map[uint32]*Client), readers: make([]reader, c.Workers.Workers())}
	for n := range i.readers {
		i.readers[n].coder = wire.NewInputCoder(wire.InputTable(c.Protocol))
		i.readers[n].coder.Reported = c.Reported
	}
	i.clients = roll.New(func(c *Client) *int { return &c.index })
	return i
}

// Add adds a client. notices receives the notices about refused inputs.
func (i *Intake) Add(id uint32, session netsys.Session, notices *notice.Queue, logged *notice.Once) *Client {
	c := newClient(i.config, id, session, notices, logged)
	i.clients.Add(c)
	i.byID[id] = c
	return c
}

// Watch returns a client whose inputs reach no player: see [Intake.Skip].
func (i *Intake) Watch(id uint32, session netsys.Session, notices *notice.Queue, logged *notice.Once) *Client {
	return newClient(i.config, id, session, notices, logged)
}

// Skip processes a message of a client of [Intake.Watch]. Its inputs count as consumed. The result is that of [System.Receive].
func (i *Intake) Skip(worker int, c *Client, pk netsys.Packet) (*wire.Input, error) {
	m, err := i.read(worker, c, pk)
	if m != nil {
		c.in.receive(int64(i.config.Tick()), m, pk.Newest)
		c.in.follow(c.in.newest)
	}
	return m, err
}

// Remove removes a client.
func (i *Intake) Remove(c *Client) {
	i.clients.Remove(c)
	delete(i.byID, c.id)
	i.departed.Add(c.in.stats)
}

// Stats returns the sum of the counters of all clients, including those that left.
func (i *Intake) Stats() Stats {
	st := i.departed
	for _, c := range i.clients.All() {
		st.Add(c.in.stats)
	}
	return st
}

// read decodes a message of inputs, on a worker. It returns nil if the message is encoded as a difference to one
// that is not available.
func (i *Intake) read(worker int, c *Client, pk netsys.Packet) (*wire.Input, error) {
	r, with := &c.reading, &i.readers[worker]
	switch err := with.coder.Read(pk.Data, &with.message, pk.Seq, &r.bases); {
	case errors.Is(err, wire.ErrUnread):
		c.in.stats.Unread++
		r.unread = r.unread || pk.Newest
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.bases.Put(pk.Seq, &with.message, with.coder.State)
	if pk.Newest {
		r.unread = false
	}
	return &with.message, nil
}

// Refuse asks the game whether to refuse an input of a player for a tick. It counts refusals and notifies the
// client, if the player has one.
func (i *Intake) Refuse(player, input, tick uint32, words []int32) (refused bool) {
	in := i.config.Protocol.Input()
	if i.config.Refuse == nil || in == nil {
		return false
	}
	i.scratch = reuse.Slice(i.scratch, int(in.Schema.Size+7)/8+1)
	value := unsafe.Pointer(&i.scratch[0])
	in.Schema.Dequantize(value, words, in.Schema.Words, 1)
	err := i.config.Refuse(i.world, player, value)
	if err == nil {
		return false
	}
	if c := i.byID[player]; c != nil {
		c.in.stats.Refused++
		if c.logged.First(notice.Input) {
			i.config.Logger.Warn("input refused; more from this client are only counted", "client", player, "tick", tick, "reason", err)
		}
		c.notices.AddLimited(&wire.Notice{Kind: wire.NoticeInput, Tick: tick, Input: input, Reason: err.Error()}, i.config.TickRate, i.config.Tick())
	}
	return true
}
