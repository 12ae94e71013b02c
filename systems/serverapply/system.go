package serverapply

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// System is ServerApply where each tick is run once: the inputs of a client are consumed in
// the order of their sequence.
type System struct {
	*Intake
	doings *commands.Log
	settle func(worker, piece int)
}

// New makes the system.
func New(i *Intake) *System {
	s := &System{Intake: i, doings: commands.New(i.world)}
	s.settle = s.settlePiece
	return s
}

// Enter makes a player come in the tick that comes, as what value says.
func (s *System) Enter(player uint32, value string) {
	s.doings.Add(commands.Entry{Tick: s.config.Tick(), Player: player, Kind: commands.Join, Value: value})
}

// Depart makes a player go in the tick that comes; in the one after that where it comes in that.
func (s *System) Depart(player uint32) {
	tick := s.config.Tick()
	if s.doings.Comes(player, tick) {
		tick++
	}
	s.doings.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Leave})
}

// Command makes a player do something in the tick that comes.
func (s *System) Command(player uint32, command string) {
	s.doings.Add(commands.Entry{Tick: s.config.Tick(), Player: player, Kind: commands.Command, Value: command})
}

// Resume makes the inputs of a client whose player was waited for count on from the newest
// that was consumed.
func (s *System) Resume(c *Client, consumed uint32) { c.in.follow(consumed) }

// Receive takes in a message of inputs, on a worker: of different clients on several at once. It
// returns what it had besides, good until the worker's next; nil where it could not be read for want
// of an earlier one.
func (s *System) Receive(worker int, c *Client, pk netsys.Packet) (*wire.Input, error) {
	m, err := s.read(worker, c, pk)
	if m == nil {
		return nil, err
	}
	in := &c.in
	before, any := max(in.newest, in.expected-1), in.any
	in.receive(int64(s.config.Tick()), m, pk.Newest)
	if any {
		s.noteFast(c, before)
	}
	return m, nil
}

// lossEvery is how many ticks pass between two looks at a link's loss rate.
const lossEvery = 32

// Run is the system: players go and come, then for each client it decides which input this
// tick consumes, and it gives all entities the inputs of their owners. The server
// never goes back: a late input changes no completed tick.
func (s *System) Run(w *ecs.World) {
	tick := s.config.Tick()
	s.doings.Run(tick)
	s.doings.Forget(tick + 1)
	clients := s.clients.All()
	s.config.Workers.Each((len(clients)+perPiece-1)/perPiece, s.settle)
	for _, c := range clients {
		s.tellFast(c)
		switch {
		case s.config.Arrival:
			s.arrived(w, c)
		case !c.in.turn.step:
			w.Netcode().SkipOwner(c.id)
		default:
			s.stage(w, c, c.in.turn.words)
		}
	}
	w.Netcode().GiveInputs(s.inputOf)
}

// perPiece is how many clients make a piece of work that is worth handing out.
const perPiece = 64

// turn is what a buffer decided for a tick.
type turn struct {
	step  bool
	words []int32 // nil: a filler
}

// settlePiece does, for some clients, what is about each alone: what came is settled, and which input its
// turn is.
func (s *System) settlePiece(worker, piece int) {
	clients, tick := s.clients.All(), s.config.Tick()
	clients = clients[piece*perPiece : min((piece+1)*perPiece, len(clients))]
	for i, c := range clients {
		if i%together == 0 {
			s.readers[worker].touch(clients[i:min(i+together, len(clients))])
		}
		if tick%lossEvery == 0 {
			c.Loss.Measured(s.config.Now(), c.session.Stats().LossIn)
		}
		c.in.settle(int64(tick))
		if !s.config.Arrival {
			c.in.turn.step, c.in.turn.words = c.in.buffered(int64(tick), c.Loss.Share)
		}
	}
}

// arrived steps everything that arrived: all but the last input run
// Simulate for this client's entities alone, the last one joins the tick.
func (s *System) arrived(w *ecs.World, c *Client) {
	c.arrival.begin()
	steps := 0
	for {
		words, ok := c.arrival.step(&c.in, steps)
		if !ok {
			break
		}
		if steps > 0 {
			w.Netcode().GiveInput(c.id, c.newestInput())
			w.Netcode().SimulateOnly(c.id)
		}
		s.stage(w, c, words)
		steps++
		if words == nil {
			break
		}
	}
	if steps == 0 {
		if c.in.any {
			c.in.stats.Holds++
		}
		w.Netcode().SkipOwner(c.id)
	}
}

// stage makes an input, or the filler for a missing one, what the client holds in
// the coming Simulate.
func (s *System) stage(w *ecs.World, c *Client, words []int32) {
	in, held := &c.in, c.newestInput()
	t := in.table
	if words != nil && s.Refuse(c.id, in.expected-1, s.config.Tick(), words) {
		words = nil
	}
	if words == nil {
		if late := in.superseded(); len(late) > 0 && held != nil {
			t.Dequantize(held, late, t.Words, 1)
		}
	}
	switch {
	case held == nil:
	case words != nil:
		t.Dequantize(held, words, t.Words, 1)
	case in.neutral() || s.config.Neutral:
		clear(c.lastInput)
		t.Snap(held)
	default:
		t.ClearEdges(held)
	}
	w.Netcode().SetInputSequence(c.id, in.expected-1)
}

// inputOf is the input that a client holds, nil for who has no client.
func (s *System) inputOf(client uint32) unsafe.Pointer {
	if c := s.byID[client]; c != nil {
		return c.newestInput()
	}
	return nil
}

// Stats counts what became of one client's inputs.
type Stats struct {
	Consumed uint64 // real inputs stepped
	Missing  uint64 // fillers stepped because the real input was not there; under policy.LateRewrite, those that stand
	Late     uint64 // inputs that came after a filler had been stepped for them, and could still be read; Rewrote are among them
	Rewrote  uint64 // inputs for which the server went back: under policy.LateRewrite
	Rejected uint64 // inputs too far from the expected one, or older than the window, or Capped
	Capped   uint64 // late inputs of a client that has made the server go back too far too often
	Refused  uint64 // inputs that ServerConfig.Refuse did not let pass: consumed, but the filler was stepped
	Fast     uint64 // inputs beyond one a tick, in the long run: a client whose clock is too fast, or that cheats
	Holds    uint64 // ticks in which the client's entities took no step
	Resyncs  uint64 // times the buffer was set afresh: after a stall of either end, or with half a second too much in it
	Unread   uint64 // messages that continue from one that was not read; see systems.MaxMessages
	Depth    uint64 // sum over ticks of inputs waiting; with Ticks, the mean depth
	Ticks    uint64 // ticks since the first input was consumed
}

// Add adds what became of others.
func (s *Stats) Add(o Stats) {
	s.Consumed += o.Consumed
	s.Missing += o.Missing
	s.Late += o.Late
	s.Rewrote += o.Rewrote
	s.Rejected += o.Rejected
	s.Capped += o.Capped
	s.Refused += o.Refused
	s.Fast += o.Fast
	s.Holds += o.Holds
	s.Resyncs += o.Resyncs
	s.Unread += o.Unread
	s.Depth += o.Depth
	s.Ticks += o.Ticks
}
