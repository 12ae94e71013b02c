package serverapply

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// System is ServerApply for models without rollback on the server: each tick runs once, and the inputs of a client
// are consumed in order.
type System struct {
	*Intake
	log        *commands.Log
	listener   timeline.Listener
	absent     []*Client // players of a save, while they have pending inputs; no buffer decides for them
	decideFunc func(worker, piece int)
	words      []int32 // scratch
}

// New returns the system. It calls l at the start and the end of each tick.
func New(i *Intake, l timeline.Listener) *System {
	s := &System{Intake: i, log: commands.New(i.world), listener: l}
	s.decideFunc = s.decidePiece
	return s
}

// Join adds the player of a client, which [Intake.Add] has added, to the game in the next tick. request is the encoded join request.
// If back is true, the player is in the game already, and its inputs continue after consumed, the newest input consumed in its
// previous session. Join returns no error.
func (s *System) Join(player uint32, request string, back bool, consumed uint32) error {
	if back {
		s.byID[player].in.follow(consumed)
		return nil
	}
	s.log.Add(commands.Entry{Tick: s.config.Tick(), Player: player, Kind: commands.Join, Value: request})
	return nil
}

// Leave does nothing: the entities of a player whose client has left stay until [System.Depart].
func (*System) Leave(player uint32, waited bool) {}

// Depart removes players from the game in the next tick, or one tick later if they join in the next tick.
func (s *System) Depart(players []uint32) {
	for _, player := range players {
		delete(s.byID, player) // its pending inputs
		tick := s.config.Tick()
		if s.log.HasJoin(player, tick) {
			tick++
		}
		s.log.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Leave})
	}
}

// Plays returns true: a player joins in the tick after its session starts.
func (*System) Plays(player uint32) bool { return true }

// Command runs a command of a player in the next tick.
func (s *System) Command(player uint32, command string) {
	s.log.Add(commands.Entry{Tick: s.config.Tick(), Player: player, Kind: commands.Command, Value: command})
}

// Receive processes a message of inputs on a worker. Different workers may process different clients at the same
// time. It returns the message for its other fields, valid until the worker's next call, or nil if the message
// could not be decoded because an earlier one is missing.
func (s *System) Receive(worker int, c *Client, pk netsys.Packet) (*wire.Input, error) {
	m, err := s.read(worker, c, pk)
	if m == nil {
		return nil, err
	}
	in := &c.in
	tick, was, before, any := int64(s.config.Tick()), in.newest, max(in.newest, in.expected-1), in.any
	in.receive(tick, m, pk.Newest)
	if any {
		s.countFast(c, before)
	}
	if any && pk.Newest && pk.Seq == c.seq+1 && in.newest-was <= in.window {
		in.slack.advanced(tick, in.newest-was)
	}
	if pk.Newest {
		c.seq = pk.Seq
	}
	return m, nil
}

// lossInterval is the number of ticks between two readings of a link's loss.
const lossInterval = 32

// Ready starts the next tick and returns true: no tick waits for inputs.
func (s *System) Ready() bool {
	s.world.Netcode().SetTick(s.config.Tick())
	s.listener.Start(s.config.Tick())
	return true
}

// Run is the system. It runs joins, leaves and commands. Then it decides which input of each client this tick
// consumes, and sets the inputs of all entities. The server never goes back: a late input changes no completed
// tick.
func (s *System) Run(w *ecs.World) {
	tick, recorder := s.config.Tick(), s.config.Recorder
	if recorder != nil {
		recorder.Begin(tick)
		s.log.Describe(tick, recorder)
	}
	s.log.Run(tick)
	s.log.Forget(tick + 1)
	clients := s.clients.All()
	s.config.Workers.Each((len(clients)+perPiece-1)/perPiece, s.decideFunc)
	for _, c := range clients {
		s.notifyFast(c)
		switch {
		case s.config.Arrival:
			s.stepArrived(w, c)
		case !c.in.turn.step:
			s.skip(w, c)
		default:
			s.holdInput(w, c, c.in.turn.words)
		}
	}
	s.stepAbsent(w)
	if recorder != nil {
		recorder.Run()
	}
	w.Netcode().GiveInputs(s.inputOf)
}

// Done ends the tick.
func (s *System) Done() {
	s.listener.Done()
	s.world.Netcode().SkipNobody()
}

// skip leaves the entities of a client out of this tick.
func (s *System) skip(w *ecs.World, c *Client) {
	if s.config.Recorder != nil {
		s.config.Recorder.Skip(c.id)
	}
	w.Netcode().SkipOwner(c.id)
}

// perPiece is the number of clients per unit of work for a worker.
const perPiece = 64

// turn is the decision of a buffer for a tick.
type turn struct {
	step  bool
	words []int32 // nil: a filler
}

// decidePiece processes the received packets of some clients and decides their inputs for this tick. It touches
// only data of these clients.
func (s *System) decidePiece(worker, piece int) {
	clients, tick := s.clients.All(), s.config.Tick()
	clients = clients[piece*perPiece : min((piece+1)*perPiece, len(clients))]
	for i, c := range clients {
		if i%touchAhead == 0 {
			s.readers[worker].touch(clients[i:min(i+touchAhead, len(clients))])
		}
		if tick%lossInterval == 0 {
			c.Loss.Measured(s.config.Now(), c.session.Stats().LossIn)
		}
		c.in.finishReceive(int64(tick))
		if !s.config.Arrival {
			c.in.turn.step, c.in.turn.words = c.in.nextBuffered(int64(tick), c.Loss.Share)
		}
	}
}

// stepArrived steps all inputs that arrived. All but the last run Simulate for this client's entities alone; the
// last one takes part in the tick.
func (s *System) stepArrived(w *ecs.World, c *Client) {
	c.arrival.refill()
	steps := 0
	for {
		words, ok := c.arrival.step(&c.in, steps)
		if !ok {
			break
		}
		if steps > 0 {
			if s.config.Recorder != nil {
				s.config.Recorder.Alone(c.id)
			}
			w.Netcode().GiveInput(c.id, c.newestInput())
			w.Netcode().SimulateOnly(c.id)
		}
		s.holdInput(w, c, words)
		steps++
		if words == nil {
			break
		}
	}
	if steps == 0 {
		if c.in.any {
			c.in.stats.Holds++
		}
		s.skip(w, c)
	}
}

// holdInput makes an input, or the filler for a missing one, the held input of the client for the next Simulate.
func (s *System) holdInput(w *ecs.World, c *Client, words []int32) {
	in, held := &c.in, c.newestInput()
	t := in.table
	if words != nil && s.Refuse(c.id, in.expected-1, s.config.Tick(), words) {
		words = nil
	}
	if words == nil {
		if late := in.takeSuperseding(); len(late) > 0 && held != nil {
			t.Dequantize(held, late, t.Words, 1)
		}
	}
	switch {
	case held == nil:
	case words != nil:
		t.Dequantize(held, words, t.Words, 1)
	case in.isNeutral() || s.config.Neutral:
		clear(c.lastInput)
		t.Snap(held)
	default:
		t.ClearEdges(held)
	}
	w.Netcode().SetInputSequence(c.id, in.expected-1)
	if s.config.Recorder != nil {
		s.record(c, words)
	}
}

// record records the held input of a client. words, which may be nil, are its words.
func (s *System) record(c *Client, words []int32) {
	if held := c.newestInput(); words == nil && held != nil {
		t := c.in.table
		s.words = reuse.Slice(s.words, t.Words)
		t.Quantize(s.words, t.Words, held, 1)
		words = s.words
	}
	s.config.Recorder.Hold(c.id, c.in.expected-1, words)
}

// inputOf returns the held input of a client, or nil for an owner without a client.
func (s *System) inputOf(client uint32) unsafe.Pointer {
	if c := s.byID[client]; c != nil {
		return c.newestInput()
	}
	return nil
}

// Stats counts the inputs of one client.
type Stats struct {
	Consumed uint64 // inputs stepped
	Missing  uint64 // fillers stepped because the input was missing; if the server rewinds, those that were not replaced
	Late     uint64 // inputs that arrived after a filler was stepped for them and were still readable; includes Rewrote
	Rewrote  uint64 // inputs for which the server went back, if the server rewinds
	Rejected uint64 // inputs too far from the expected one or older than the window; includes Capped
	Capped   uint64 // late inputs of a client that has made the server go back too far too often
	Refused  uint64 // inputs that ServerConfig.Players.Refuse refused: consumed, but a filler was stepped
	Fast     uint64 // inputs in excess of one per tick in the long run: the client's clock is too fast, or the client cheats
	Holds    uint64 // ticks in which the client's entities took no step
	Resyncs  uint64 // resets of the buffer, after a stall of either end or with half a second too much in it
	Unread   uint64 // messages that could not be decoded because an earlier one is missing; see systems.MaxMessages
	Depth    uint64 // sum of waiting inputs over all ticks; divided by Ticks, the mean depth
	Ticks    uint64 // ticks since the first input was consumed
}

// Add adds the counters of o.
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
