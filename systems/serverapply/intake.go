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
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config is what the inputs of all clients have in common.
type Config struct {
	// Protocol has the input.
	Protocol *ecs.Protocol
	// TickRate is the server's, in ticks a second.
	TickRate int
	// Batch is how many ticks a wake-up of the server runs.
	Batch int
	// Arrival says that inputs apply when they come; else in their turn, by a buffer.
	Arrival bool
	// Superseding says that of inputs that come late the newest one is held.
	Superseding bool
	// Neutral says that a missing input is neutral; else what is held is repeated.
	Neutral bool
	// Reported says that messages have the result of the newest input.
	Reported bool
	// Workers share the clients; nil: the caller has them all.
	Workers *workers.Pool
	// Refuse may refuse an input; nil refuses none.
	Refuse func(w *ecs.World, client uint32, in unsafe.Pointer) error
	// Logger is told of the first refusal of each client.
	Logger logging.Logger
	// Now is the time of this wake-up.
	Now func() time.Time
	// Tick is the server's next tick.
	Tick func() uint32
}

// Intake is what all ways to consume inputs share: it reads messages, asks the game about
// inputs, and notes who makes more of them than there are ticks.
type Intake struct {
	config  Config
	world   *ecs.World
	readers []reader          // by worker
	clients roll.Roll[Client] // in the order in which they joined
	byID    map[uint32]*Client
	left    Stats    // of clients that are gone
	scratch []uint64 // room for one input
}

// reader is what a worker reads messages with.
type reader struct {
	coder   *wire.InputCoder
	message wire.Input
	touched byte // means nothing
}

// touch reads what clients need who are done next.
func (r *reader) touch(clients []*Client) {
	for _, c := range clients {
		r.touched ^= c.Touch()
	}
	for _, c := range clients {
		r.touched ^= c.TouchFurther()
	}
}

// NewIntake makes the intake of a server's world.
func NewIntake(w *ecs.World, c Config) *Intake {
	i := &Intake{config: c, world: w, byID: make(map[uint32]*Client), readers: make([]reader, c.Workers.Workers())}
	for n := range i.readers {
		i.readers[n].coder = wire.NewInputCoder(wire.InputTable(c.Protocol))
		i.readers[n].coder.Reported = c.Reported
	}
	i.clients = roll.New(func(c *Client) *int { return &c.place })
	return i
}

// Join begins with a client of a number, who is told in notices of what is refused.
func (i *Intake) Join(id uint32, session netsys.Session, notices *notice.Queue, logged *notice.Once) *Client {
	c := newClient(i.config, id, session, notices, logged)
	i.clients.Add(c)
	i.byID[id] = c
	return c
}

// Leave ends with a client.
func (i *Intake) Leave(c *Client) {
	i.clients.Remove(c)
	delete(i.byID, c.id)
	i.left.Add(c.in.stats)
}

// Stats counts what became of the inputs of all clients, those that are gone included.
func (i *Intake) Stats() Stats {
	st := i.left
	for _, c := range i.clients.All() {
		st.Add(c.in.stats)
	}
	return st
}

// read takes a message of inputs apart, on a worker; it is nil where it continues from one that was
// not read.
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

// Refuse asks the game whether an input of a player may be simulated in a tick. Where it may
// not, that is counted and the client is told, if the player has one.
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
		c.notices.Tell(&wire.Notice{Kind: wire.NoticeInput, Tick: tick, Input: input, Reason: err.Error()}, i.config.TickRate, i.config.Tick())
	}
	return true
}
