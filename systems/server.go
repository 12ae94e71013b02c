package systems

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// ErrStageOrder is wrapped by the error that refuses a schedule whose systems
// stand in an order in which they cannot work.
var ErrStageOrder = errors.New("systems: wrong stage order")

// Server holds the truth: it runs the world, consumes inputs and sends
// snapshots. It belongs to one goroutine; make it with [NewServer], or let
// [Serve] do everything.
type Server struct {
	config   ServerConfig
	protocol *ecs.Protocol
	world    *ecs.World
	schedule *ecs.Schedule
	before   *ecs.Stage
	onTick   *ecs.Stage
	after    *ecs.Stage
	loop     *ecs.Loop
	endpoint *netsys.Server
	now      time.Time

	tick       uint32 // ticks completed
	sendEvery  uint32
	sentAt     uint32 // number of the last send boundary served
	peers      []*peer
	replicated []*ecs.Component
	predicted  uint64 // set of replicated, predicted components with words
	message    inputMessage
	inputs     *inputCoder
	stats      ServerStats
	departed   departed
	numbers    uint32     // client numbers given
	returns    uint32     // handshakes of players that were waited for
	seats      []seat     // of players that are waited for, in the order in which they went
	vacant     []uint32   // clients that went, with a seat, whose input is not neutral yet
	left       []uint32   // clients whose leave is not carried out yet
	leaving    *ecs.Stage // carries both out
	polled     time.Time
	heardLimit int // messages of channels that a client may have delivered in a wake-up
	snapshots
}

// ServerStats counts what a server did.
type ServerStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	ResimulatedTicks  uint64 // Simulate calls for ticks already completed
	Sends             uint64 // of the world, to whatever number of clients
	Updates           uint64 // snapshots sent, over all clients
	OverBudget        uint64 // of these, those in which entities had to wait their turn
	Oversized         uint64 // times an entity was left out because it fits no snapshot
	SendErrors        uint64 // packets that the wire refused
	MalformedMessages uint64 // well-formed packets with a message that is not
	FloodedMessages   uint64 // messages beyond [MaxMessages], not read
	ChannelMessages   uint64 // messages of channels that OnMessage was told of
	Returned          uint64 // players that came back while they were waited for
	Deaf              uint64 // clients that were dropped because they acknowledged nothing
	Clamped           uint64 // values that were outside their declared range
	Inputs            InputStats
	Snapshots         SnapshotStats
	Encodes           EncodeStats
	InputBytes        uint64 // of messages read, without what the session adds
	BytesIn           uint64 // payload from the wire, session overhead included
	BytesOut          uint64
	DatagramsIn       uint64
	DatagramsOut      uint64
	Drops             netsys.Drops  // authentic packets thrown away, by reason
	DatagramDrops     netcode.Drops // datagrams thrown away before, of strangers above all
}

// welcome is what the server tells a client that joins.
type welcome struct {
	seed     uint64
	tickRate uint16
	sendRate uint16
	tick     uint32
	trained  uint64 // hash of what the server's coders learned, 0: nothing
	input    uint32 // after which the client's inputs are counted; 0 but for players that come back
}

const welcomeSize = 28

func (m welcome) append(b []byte) []byte {
	for i := range 8 {
		b = append(b, byte(m.seed>>(8*i)))
	}
	b = append(b, byte(m.tickRate), byte(m.tickRate>>8), byte(m.sendRate), byte(m.sendRate>>8),
		byte(m.tick), byte(m.tick>>8), byte(m.tick>>16), byte(m.tick>>24))
	for i := range 8 {
		b = append(b, byte(m.trained>>(8*i)))
	}
	return append(b, byte(m.input), byte(m.input>>8), byte(m.input>>16), byte(m.input>>24))
}

func readWelcome(b []byte) (m welcome, err error) {
	var r codec.ByteReader
	r.Reset(b)
	m.seed = r.Uint64()
	m.tickRate, m.sendRate = r.Uint16(), r.Uint16()
	m.tick, m.trained, m.input = r.Uint32(), r.Uint64(), r.Uint32()
	switch {
	case r.Err() != nil || r.Len() != 0:
		return m, fmt.Errorf("%w: welcome of %d bytes", ErrMessage, len(b))
	case m.tickRate == 0 || m.tickRate > 1000 || m.sendRate == 0 || m.tickRate%m.sendRate != 0:
		return m, fmt.Errorf("%w: welcome with %d ticks and %d sends a second", ErrMessage, m.tickRate, m.sendRate)
	}
	return m, nil
}

// NewServer assembles a server on a wire: world, sessions and schedule. It
// returns an error that wraps [ErrConfig] or [ErrStageOrder] when c is wrong, and
// netsys.ErrInsecure when it has no Key where others can reach it.
func NewServer(wire netsys.Wire, p *ecs.Protocol, c ServerConfig) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	s := &Server{config: c, protocol: p, sendEvery: uint32(c.TickRate / c.SendRate)}
	s.inputs = newInputCoder(inputTable(p))
	s.world = ecs.NewWorld(p, ecs.Config{Seed: c.Seed, TickRate: c.TickRate})
	s.replicated = p.Replicated()
	s.predicted = predictedMask(p)
	s.initSnapshots()
	s.attachEvents()
	s.heardLimit = heardLimit(c.Channels)
	s.leaving = ecs.NewStage("Leave", ecs.System{Name: "Leave", Run: s.leave})

	s.before = ecs.NewStage("Before", ecs.System{Name: "Receive", Run: s.receive})
	s.onTick = ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: s.apply}).
		Nest(s.world.SimulateStage()).Nest(p.AuthorityStage())
	s.after = ecs.NewStage("After",
		ecs.System{Name: "Snapshot", Run: s.snapshot},
		ecs.System{Name: "Send", Run: s.send})
	s.schedule = ecs.NewSchedule(s.before, s.onTick, s.after)
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
		tick: s.tick, trained: s.config.Trained.Hash(),
	}
	if i := slices.IndexFunc(s.seats, func(x seat) bool { return x.id == uint32(id) }); i >= 0 {
		m.input = s.seats[i].input
	}
	return m.append(make([]byte, 0, welcomeSize))
}

// predictedMask is the set of components that travel to their owner raw.
func predictedMask(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.Predicted != 0 && c.Words > 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// privateMask is the set of components that only the owner may see.
func privateMask(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.OwnerOnly != 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// tablesOf are the field tables of what is replicated, nil where only the presence
// is.
func tablesOf(p *ecs.Protocol) (tables []*schema.Table) {
	for _, c := range p.Replicated() {
		if c.Words > 0 {
			tables = append(tables, c.Schema)
		} else {
			tables = append(tables, nil)
		}
	}
	return tables
}

// World is the server's world.
func (s *Server) World() *ecs.World { return s.world }

// Schedule is what the server runs, in stages.
func (s *Server) Schedule() *ecs.Schedule { return s.schedule }

// Tick is the number of ticks completed.
func (s *Server) Tick() uint32 { return s.tick }

// Next is when the server wakes next.
func (s *Server) Next() time.Time { return s.loop.Next() }

// Advance runs the ticks that are due and returns how many that were. Packets
// are received once before and snapshots sent once after them.
func (s *Server) Advance(now time.Time) int {
	n := s.loop.Advance(now) * s.config.WakeEvery
	if n == 0 {
		return 0
	}
	s.now = now
	s.before.Run(s.world)
	if len(s.left)+len(s.vacant) > 0 {
		s.leaving.Run(s.world)
	}
	for range n {
		s.world.SetTick(s.tick)
		if s.config.Events != nil {
			s.config.Events.Start(s.tick)
		}
		s.onTick.Run(s.world)
		if s.config.Events != nil {
			s.config.Events.Done()
		}
		s.world.ReleaseHolds()
		s.frames.Step()
		s.tick++
		s.stats.Ticks++
	}
	if s.config.Events != nil {
		s.config.Events.Settle(s.tick)
	}
	s.after.Run(s.world)
	return n
}

// MaxMessages is how many messages of one client a server reads in one wake-up:
// what an honest client sends in four seconds at 60 ticks a second. More are
// counted and not read, so that no client can make a tick longer than that.
const MaxMessages = 256

// receive is the system Receive of a server: it takes in what arrived.
func (s *Server) receive(*ecs.World) {
	for _, p := range s.peers {
		p.messages, p.heard = 0, 0
	}
	s.endpoint.Poll(s.now, (*serverHandler)(s))
	s.expireSeats()
	s.dropDeaf()
	s.polled = s.now
}

// dropDeaf ends the sessions of clients that acknowledged nothing for the timeout,
// although they send: nothing reaches them, or they do not read.
func (s *Server) dropDeaf() {
	if s.polled.IsZero() {
		return
	}
	passed := min(s.now.Sub(s.polled), time.Second) // a process that was held did not listen
	for _, p := range s.peers {
		if !p.unheard {
			continue
		}
		if p.silence += passed; p.silence >= s.config.Timeout && !p.deaf {
			p.deaf = true
			s.stats.Deaf++
			p.session.Close(s.now, netsys.ReasonKicked)
		}
	}
}

// serverHandler keeps the session callbacks out of Server's methods.
type serverHandler Server

func (h *serverHandler) Connected(_ time.Time, session netsys.Session) {
	s := (*Server)(h)
	id := uint32(session.ID())
	kept, back := s.takeSeat(session.ClientID(), id)
	if !back && session.ID()>>numberBits != 0 {
		// Owners have 32 bits, and a number that was used before must not own
		// what its first bearer left behind. All numbers are used up; or who comes
		// back took longer than anybody waits.
		session.Close(s.now, netsys.ReasonServerClosing)
		s.config.Logger.Error("client refused: there is no client number for it", "address", session.RemoteAddr())
		return
	}
	p := &peer{id: id, session: session, budget: s.config.Budget, model: s.model}
	p.expectPackets()
	if s.agreement.with(s.endpoint.Tag(session), "client", id) {
		p.model = s.trainedModel
	}
	in := s.protocol.Input()
	p.inputs = newInputBuffer(inputTable(s.protocol), s.config.TickRate, s.config.WakeEvery)
	if in != nil {
		p.held = make([]byte, in.Schema.Size)
		if held := p.heldInput(); held != nil {
			in.Schema.Snap(held)
		}
	}
	s.peers = append(s.peers, p)
	if s.config.Events != nil {
		s.config.Events.Join(id, session.Channels())
	}
	if back {
		p.inputs.follow(kept.input)
		s.stats.Returned++
		s.config.Logger.Info("client is back", "client", id, "address", session.RemoteAddr())
		if s.config.Rejoin != nil {
			s.config.Rejoin(s.world, id)
		}
		return
	}
	s.config.Logger.Info("client joined", "client", id, "address", session.RemoteAddr())
	if s.config.Join != nil {
		s.config.Join(s.world, id)
	}
}

func (h *serverHandler) Disconnected(_ time.Time, session netsys.Session, reason error) {
	s := (*Server)(h)
	i := slices.IndexFunc(s.peers, func(p *peer) bool { return p.session == session })
	if i < 0 {
		return // it never joined
	}
	p := s.peers[i]
	s.peers = slices.Delete(s.peers, i, i+1)
	if s.config.Events != nil {
		s.config.Events.Leave(p.id)
	}
	s.unpin(p)
	s.departed.inputs.add(p.inputs.stats)
	s.departed.link.add(p.session.Stats())
	if s.waits(p, reason) {
		s.config.Logger.Info("client is gone, and waited for", "client", p.id, "reason", reason)
		s.keepSeat(p)
		return
	}
	s.config.Logger.Info("client left", "client", p.id, "reason", reason)
	s.left = append(s.left, p.id)
}

// leave carries out what follows from leaves. It runs behind Receive: what Join
// spawned for a client that came and went within one Receive is there by then.
func (s *Server) leave(w *ecs.World) {
	for _, id := range s.vacant {
		s.setInput(id, nil)
	}
	s.vacant = s.vacant[:0]
	for _, id := range s.left {
		if s.config.Leave != nil {
			s.config.Leave(w, id)
		}
		if s.config.LeavePolicy == DespawnOwned {
			s.despawnOwned(id)
		} else {
			s.setInput(id, nil)
		}
	}
	s.left = s.left[:0]
}

func (h *serverHandler) Acked(session netsys.Session, seq uint16) {
	s := (*Server)(h)
	if p := s.peer(session); p != nil {
		p.unheard, p.silence = false, 0
		s.acked(p, seq)
	}
}

func (h *serverHandler) Received(_ time.Time, session netsys.Session, pk netsys.Packet) {
	s := (*Server)(h)
	p := s.peer(session)
	if p == nil {
		return
	}
	p.loss.packet(s.now)
	if p.messages++; p.messages > MaxMessages {
		s.stats.FloodedMessages++
		return
	}
	s.stats.InputBytes += uint64(len(pk.Data))
	in := p.inputs
	switch err := s.inputs.read(pk.Data, &s.message, pk.Seq, in.bases); {
	case errors.Is(err, errUnread):
		in.miss(pk.Newest)
		return
	case err != nil:
		s.refuse(p, err)
		return
	}
	in.bases.put(pk.Seq, &s.message, s.inputs.state)
	if pk.Newest {
		p.asked, in.unread = s.message.epoch, false
	}
	in.receive(int64(s.tick), &s.message, pk.Newest)
}

// refuse counts a malformed message. A client that goes on sending them must
// fill neither the log nor the server's time.
func (s *Server) refuse(p *peer, err error) {
	s.stats.MalformedMessages++
	p.malformed++
	if p.malformed == 1 {
		s.config.Logger.Warn("message refused; more from this client are only counted", "client", p.id, "error", err)
	}
	if p.malformed >= MaxMalformed {
		p.session.Close(s.now, netsys.ReasonProtocol)
	}
}

func (s *Server) peer(session netsys.Session) *peer {
	for _, p := range s.peers {
		if p.session == session {
			return p
		}
	}
	return nil
}

// ownedRow finds the entities of an owner.
type ownedRow struct {
	Owner *components.Owner
}

func (s *Server) despawnOwned(id uint32) {
	for e, r := range ecs.Each[ownedRow](s.world) {
		if r.Owner.Client == id {
			s.world.Despawn(e) // within a stage, so it waits for the end of the walk
		}
	}
}

// setInput writes an input, or the neutral one, to a client's entities.
func (s *Server) setInput(id uint32, value unsafe.Pointer) {
	if in := s.protocol.Input(); in != nil {
		writeInput(s.world, in, id, value)
	}
}

// Err is always nil: nothing that clients do ends a server.
func (s *Server) Err() error { return nil }

// Run serves in real time until ctx ends, then tells the clients and returns
// nil.
func (s *Server) Run(ctx context.Context) error {
	return run(ctx, s, func() error { return s.Close(time.Now()) })
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
