package systems

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// ErrStageOrder is wrapped by the error that refuses a schedule whose systems
// stand in an order in which they cannot work.
var ErrStageOrder = errors.New("systems: wrong stage order")

// Server holds the truth: it runs the world, consumes inputs and sends
// snapshots. It belongs to one goroutine; make it with [NewServer], or let
// [Serve] do everything.
type Server struct {
	config    ServerConfig
	protocol  *ecs.Protocol
	policies  policy.Policies
	mode      serverMode
	outcomes  *outcome.Log // nil: none
	followers followers
	lagComp   *lagcomp.Compensator // nil: none
	world     *ecs.World
	schedule  *ecs.Schedule
	before    *ecs.Stage
	onTick    *ecs.Stage
	after     *ecs.Stage
	loop      *ecs.Loop
	endpoint  *netsys.Server
	now       time.Time

	tick       uint32 // the next one
	err        error  // why the server has ended
	ending     bool   // the log has told that it will
	sendEvery  uint32
	sentAt     uint32 // number of the last send boundary served
	peers      []*peer
	byID       map[uint32]*peer // for looking up alone
	replicated []*ecs.Component
	predicted  uint64 // set of replicated, predicted components with words
	message    inputMessage
	inputs     *inputCoder
	results    *resultCoder // nil: clients report none
	stats      ServerStats
	departed   departed
	numbers    uint32     // client numbers given
	returns    uint32     // handshakes of players that were waited for
	seats      []seat     // of players that are waited for, in the order in which they went
	left       []uint32   // clients whose leave is not carried out yet
	leaving    *ecs.Stage // carries it out
	changes    serverChanges
	notice     []byte // packet of notices
	polled     time.Time
	heardLimit int // messages of channels that a client may have delivered in a wake-up
	probe      Probe
	overload   growth
	usedFull   growth
	longLived  growth
	snapshots
}

// ServerStats counts what a server did.
type ServerStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	ResimulatedTicks  uint64 // Simulate calls for ticks already completed
	Sends             uint64 // of the world, to whatever number of clients
	Updates           uint64 // snapshots sent, or inputs of all relayed, over all clients
	OverBudget        uint64 // of these, those in which entities had to wait their turn
	Oversized         uint64 // times an entity was left out because it fits no snapshot
	SendErrors        uint64 // packets that the wire refused
	MalformedMessages uint64 // well-formed packets with a message that is not
	FloodedMessages   uint64 // messages beyond [MaxMessages], not read
	ChannelMessages   uint64 // messages of channels that OnMessage was told of
	Returned          uint64 // players that came back while they were waited for
	Divergences       uint64 // worlds of clients that left the server's: see ServerConfig.Diverged
	Mended            uint64 // clients that were sent the state of the world for it
	Deaf              uint64 // clients that were dropped because they acknowledged nothing
	Clamped           uint64 // values that were outside their declared range
	Untold            uint64 // refusals that clients were not told of: there were too many
	Inputs            InputStats
	Advice            AdviceStats
	Changes           ChangeStats
	Snapshots         SnapshotStats
	Encodes           EncodeStats
	RelayBytes        uint64 // of everybody's inputs as they were sent, where no snapshots are
	StateBytes        uint64 // of states of the world, likewise, for those who join
	InputBytes        uint64 // of messages read, without what the session adds
	BytesIn           uint64 // payload from the wire, session overhead included
	BytesOut          uint64
	DatagramsIn       uint64
	DatagramsOut      uint64
	Drops             netsys.Drops  // authentic packets thrown away, by reason
	DatagramDrops     netcode.Drops // datagrams thrown away before, of strangers above all
}

// NewServer assembles a server on a wire: world, sessions and schedule. It
// returns an error that wraps [ErrConfig] or [ErrStageOrder] when c is wrong, and
// netsys.ErrInsecure when it has no Key where others can reach it.
func NewServer(wire netsys.Wire, p *ecs.Protocol, c ServerConfig) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	s := &Server{config: c, policies: c.Policies, protocol: p, sendEvery: uint32(c.TickRate / c.SendRate), byID: make(map[uint32]*peer)}
	s.tick, s.sentAt = c.FirstTick, c.FirstTick/s.sendEvery
	s.inputs = newInputCoder(inputTable(p))
	if c.Policies.Correction == policy.CorrectionMismatch {
		if err := checkAdvice(p); err != nil {
			return nil, err
		}
		s.results, s.inputs.advised = newResultCoder(p), true
	}
	s.world = ecs.NewWorld(p, ecs.Config{Seed: c.Seed, TickRate: c.TickRate})
	s.replicated = p.Replicated()
	s.predicted = predictedMask(p)
	s.initSnapshots()
	s.attachEvents()
	s.heardLimit = heardLimit(c.Channels)
	s.outcomes = newOutcomes(s.world, c.Outcomes)
	s.followers = follow(s.config.Events, s.outcomes)
	s.mode = newServerMode(s)
	if err := s.attachChanges(); err != nil {
		return nil, err
	}
	if c.Refuse.look != nil && (p.Input() == nil || c.Refuse.of(p) != p.Input()) {
		return nil, fmt.Errorf("%w: Refuse looks at another type than the protocol's input", ErrConfig)
	}
	s.leaving = ecs.NewStage("Leave", ecs.System{Name: "Leave", Run: s.mode.departed})

	s.before = ecs.NewStage("Before", ecs.System{Name: "Receive", Run: s.receive})
	s.onTick, s.after = s.mode.stages()
	s.schedule = ecs.NewSchedule(s.before, s.onTick, s.after)
	if err := s.attachLagComp(); err != nil {
		return nil, err
	}
	if err := settle(s.schedule, c.Schedule, serverOrder); err != nil {
		return nil, err
	}

	sessions := c.sessions()
	sessions.Schema, sessions.ID, sessions.Welcome = p.Lines(), s.number, s.welcome
	endpoint, err := netsys.NewServer(wire, sessions)
	if err != nil {
		return nil, err
	}
	s.endpoint = endpoint
	s.config.Key = netcode.Key{} // whoever prints a server does not print that
	start := c.Start
	if start.IsZero() {
		start = time.Now()
	}
	s.loop = ecs.NewLoop(start, c.TickRate/c.WakeEvery)
	s.loop.Limit = max(ecs.MaxCatchUp/c.WakeEvery, 1)
	return s, nil
}

// welcome is what a client is told that gets an ID.
func (s *Server) welcome(id uint64) []byte {
	m := welcome{
		seed: s.config.Seed, tickRate: uint16(s.config.TickRate), sendRate: uint16(s.config.SendRate),
		tick: s.tick, trained: s.config.Trained.Hash(), policies: s.policies,
	}
	if i := slices.IndexFunc(s.seats, func(x seat) bool { return x.id == uint32(id) }); i >= 0 {
		m.input = s.seats[i].input
	}
	if stamped(s.policies) {
		m.input = s.tick
	}
	return m.append(make([]byte, 0, welcomeSize))
}

// World is the server's world.
func (s *Server) World() *ecs.World { return s.world }

// Schedule is what the server runs, in stages.
func (s *Server) Schedule() *ecs.Schedule { return s.schedule }

// Tick is the number of the next tick: of ticks completed, counted from
// ServerConfig.FirstTick.
func (s *Server) Tick() uint32 { return s.tick }

// Next is when the server wakes next.
func (s *Server) Next() time.Time { return s.loop.Next() }

// Advance runs the ticks that are due and returns how many that were. Packets
// are received once before and snapshots sent once after them.
func (s *Server) Advance(now time.Time) int {
	n := s.loop.Advance(now) * s.config.WakeEvery
	if n == 0 || s.err != nil {
		return 0
	}
	s.now = now
	s.tellOverload(now)
	if s.probe != nil {
		s.probe.Begin()
	}
	s.before.Run(s.world)
	if len(s.left) > 0 {
		s.forget(s.left)
		s.leaving.Run(s.world)
	}
	s.decideChanges()
	for range n {
		if s.tick > ecs.MaxTick {
			break
		}
		if s.mode.tick() {
			s.tick++
			s.stats.Ticks++
		}
	}
	s.followers.settle(s.mode.horizon())
	s.restoreChanges()
	s.tellNotices()
	s.after.Run(s.world)
	if s.probe != nil {
		s.probe.End()
	}
	s.lastTicks()
	return n
}

// dropped is how many ticks that were due have not been made, as the server was behind.
func (s *Server) dropped() uint64 { return s.loop.Dropped * uint64(s.config.WakeEvery) }

// Err is why the server has ended, nil while it runs: nothing that clients do ends it,
// see [ErrTicks].
func (s *Server) Err() error { return s.err }

// Run serves in real time until ctx ends, then tells the clients and returns
// nil; or until the server ends, and returns Err.
func (s *Server) Run(ctx context.Context) error {
	err := run(ctx, s, func() error { return s.Close(time.Now()) })
	return errors.Join(s.err, err)
}

// Close ends all sessions and closes the wire.
func (s *Server) Close(now time.Time) error { return s.endpoint.Close(now) }

// Serve assembles a server on a wire and runs it in real time until ctx ends.
// The wire is closed on return.
func Serve(ctx context.Context, wire netsys.Wire, p *ecs.Protocol, c ServerConfig) error {
	s, err := NewServer(wire, p, c)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	return s.Run(ctx)
}
