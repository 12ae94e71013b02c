package systems

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/overload"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// Server is the authoritative end: it runs the world, consumes inputs and sends snapshots. Use it from one
// goroutine. Create it with [NewServer], or call [Serve].
type Server struct {
	config    ServerConfig
	protocol  *ecs.Protocol
	workers   *workers.Pool
	model     serverModel
	world     *ecs.World
	stats     ServerStats
	probe     Probe
	lagComp   *lagcomp.Compensator // nil: none
	report    *report.Judge        // nil: clients report no results
	link      serverLink
	stages    serverStages
	followed  followers
	shape     serverShape
	sessions  serverSessions
	intake    *serverapply.Intake
	snapshots *snapshot.System
	flight    *flightRecorder // nil: none
}

// serverLink is the transport and the time.
type serverLink struct {
	endpoint *netsys.Server
	loop     *ecs.Loop
	now      time.Time
	tick     uint32 // the next tick
	err      error  // why the server has ended
	ending   bool   // the coming end was logged
	looked   uint32 // when logDistant looked at the inputs of clients
	paused   bool
	behind   overload.DropLog
	load     *overload.Control
}

// serverStages is the schedule by stage.
type serverStages struct {
	schedule *ecs.Schedule
	before   *ecs.Stage
	onTick   *ecs.Stage
	after    *ecs.Stage
	outside  []func(*ecs.World) // systems of the game in before and after
}

// serverShape holds constants of the protocol and the configuration.
type serverShape struct {
	sendEvery  uint32
	replicated []*ecs.Component
	predicted  uint64 // set of replicated, predicted components with words
}

// NewServer creates a server on a transport: world, sessions and schedule. It returns an error that wraps
// [ErrConfig] or [ErrStageOrder] if c is invalid, and netsys.ErrInsecure if it has no Key and other machines can
// reach it.
func NewServer(on netsys.Wire, p *ecs.Protocol, c ServerConfig) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Events != nil && c.Events.Attached() {
		return nil, fmt.Errorf("%w: Events belong to another server: create an event.Server for each server", ErrConfig)
	}
	c = c.filled()
	s := &Server{config: c, protocol: p, workers: workers.New(c.Workers)}
	s.shape.sendEvery = uint32(c.TickRate / c.maxSendRate())
	s.sessions.init(s)
	s.world = ecs.NewWorld(p, ecs.Config{Seed: c.Seed, TickRate: c.TickRate, Rewinds: rewrites(policy.TraitsOf(c.Model)), Workers: s.workers})
	loaded, err := s.loadWorld()
	if err != nil {
		return nil, err
	}
	c = s.config
	s.link.tick = c.FirstTick
	if s.report, err = newJudge(s.world, c.Model); err != nil {
		return nil, err
	}
	s.shape.replicated, s.shape.predicted = p.Replicated(), wire.Predicted(p)
	seen, err := interest.Compile(s.world, p, interest.Rules{Entities: c.Snapshots.Interest, Components: c.Snapshots.ComponentInterest})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	s.snapshots = snapshot.New(snapshot.Config{
		World: s.world, Protocol: p, Clock: snapshotClock{&s.link}, SendRate: c.maxSendRate(), Usual: c.usualSendRate(), Budget: c.Snapshots.Budget,
		Reports: s.report, Coders: c.Snapshots.Coders, Trained: c.Snapshots.Trained, Record: c.Snapshots.Record,
		Interest: seen, Priority: c.Snapshots.Priority, Logger: c.Logger, Workers: s.workers,
	}, c.FirstTick)
	s.followed.outcomes = newOutcomes(s.world, c.Outcomes)
	s.followed.all = newListeners(s.config.Events, s.followed.outcomes)
	if s.flight, err = newFlight(s); err != nil {
		return nil, err
	}
	model, onTick, after := newServerModel(s)
	s.model, s.stages.onTick, s.stages.after = model, onTick, after
	if c.Players.Refuse.check != nil && (p.Input() == nil || c.Players.Refuse.component(p) != p.Input()) {
		return nil, fmt.Errorf("%w: Refuse checks another type than the protocol's input", ErrConfig)
	}

	if s.sessions.commands, err = commands.NewReceiver(commands.Config{
		World: s.world, Rate: c.Players.CommandRate, Refuse: c.Players.RefuseCommands, TickRate: c.TickRate, Tick: &s.link.tick, Logger: c.Logger,
	}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}

	s.stages.before = ecs.NewStage("Before", ecs.System{Name: "Receive", Run: s.receive})
	s.stages.schedule = ecs.NewSchedule(s.stages.before, s.stages.onTick, s.stages.after)
	if err := s.attachLagComp(); err != nil {
		return nil, err
	}
	own := s.stages.schedule.Names()
	if err := finalizeSchedule(s.stages.schedule, c.Schedule, serverStageOrder); err != nil {
		return nil, err
	}
	s.listOutside(own)
	if err := requireServerSystems(s.stages.schedule.Names(), c.Model); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}

	wired := c.sessions()
	if wired.Login, err = c.Players.Login.checker(p, c.Logger); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if c.Start.IsZero() {
		c.Start = time.Now()
	}
	if err = s.loadPlayers(loaded, c.Start); err != nil {
		return nil, err
	}
	s.link.loop = ecs.NewLoop(c.Start, c.TickRate/c.WakeEvery)
	s.link.loop.Limit = max(ecs.MaxCatchUp/c.WakeEvery, 1)
	s.link.load = overload.New(overload.Config{Policy: c.Overload, Rates: c.sendRates(), SetRate: s.setSendRate, Spread: s.snapshots.Spread, Loop: s.link.loop, Expects: s.sessions.Expects, Logger: c.Logger})
	wired.Login = s.sessions.Admit(s.link.load.Guard(wired.Login))
	wired.Workers = s.workers
	wired.Schema, wired.ID, wired.Welcome = p.Lines(), s.sessions.Number, s.welcome
	if s.link.endpoint, err = netsys.NewServer(on, wired); err != nil {
		return nil, err
	}
	s.config.Session.Key = netcode.Key{} // so that a printed server does not contain the key
	s.attachEvents()
	return s, nil
}

// welcome returns the welcome for a client that receives an ID.
func (s *Server) welcome(id uint64) []byte {
	m := wire.Welcome{
		Seed: s.config.Seed, TickRate: uint16(s.config.TickRate), SendRate: uint16(s.config.maxSendRate()),
		Tick: s.link.tick, Trained: s.config.Snapshots.Trained.Hash(), Model: s.config.Model,
	}
	m.Input = s.model.entered(s.sessions.ReservedInput(uint32(id)))
	return m.Append(make([]byte, 0, wire.WelcomeSize))
}

// Next returns the time of the next wake-up.
func (s *Server) Next() time.Time { return s.link.loop.Next() }

// Advance runs the due ticks and returns their number. It receives packets once before the ticks, and sends at the tick of each
// send among them and after the last one.
func (s *Server) Advance(now time.Time) int {
	if s.flight != nil {
		defer s.flight.panicked()
	}
	late := now.Sub(s.link.loop.Next())
	if late < time.Second/time.Duration(s.config.TickRate) {
		late = 0 // as a rule a little
	}
	n := s.link.loop.Advance(now) * s.config.WakeEvery
	if n == 0 || s.link.err != nil {
		return 0
	}
	s.link.now = now
	if s.link.paused {
		s.stages.before.Run(s.world)
		s.link.endpoint.Flush(now)
		return 0
	}
	s.link.load.BeginWakeUp()
	sends := s.snapshots.Sends()
	s.link.behind.Log(s.config.Logger, now, s.dropped(), "clients", s.sessions.peers.Len())
	if s.probe != nil {
		s.probe.Begin()
	}
	s.flight.beginWakeUp()
	s.stages.before.Run(s.world)
	if err := s.link.endpoint.Err(); err != nil {
		s.link.err = fmt.Errorf("%w: %w; start the server again", ErrTransport, err)
		s.config.Logger.Error("the server ends", "reason", s.link.err)
		return 0
	}
	if gone := s.sessions.Gone(); len(gone) > 0 {
		s.forget(gone)
		if s.config.Events != nil {
			for _, id := range gone {
				s.config.Events.Leave(id)
			}
		}
		s.model.applier.Depart(gone)
		s.sessions.ClearGone()
	}
	if s.model.begin != nil {
		s.model.begin()
	}
	for left := n; left > 0; {
		k := s.ticksUntilSend(left)
		left -= k
		s.runTicks(k)
		s.followed.all.Settle(s.model.firstOpen())
		s.stages.after.Run(s.world)
	}
	s.pumpRecorders()
	if s.probe != nil {
		s.probe.End()
	}
	s.logDistant()
	s.checkLastTick()
	s.link.load.EndWakeUp(time.Duration(n)*time.Second/time.Duration(s.config.TickRate), late, s.snapshots.Sends() > sends)
	return n
}

// Pause stops the world, and Pause(false) lets it go on. While it stands still, Advance receives packets and sends notices and
// channel data, and runs no ticks: package rooms pauses a room while another process loads its last save. Call it on the
// server's goroutine.
func (s *Server) Pause(paused bool) { s.link.paused = paused }

// setSendRate sets the rate of snapshots to one of sendRates, divided by a divisor.
func (s *Server) setSendRate(rate int, divisor uint32) {
	s.snapshots.SetEvery(uint32(s.config.maxSendRate()/rate) * divisor)
}

// ticksUntilSend returns how many of the due ticks to run until snapshots are sent. A server that catches up does not skip the tick
// of a send: clients extrapolate motion from send to send, and a state of another tick would depart from that in every entity.
func (s *Server) ticksUntilSend(due int) int {
	every := s.snapshots.EverySteps()
	for k := s.config.WakeEvery; k < due && s.model.snapshots; k += s.config.WakeEvery {
		if (int(s.link.tick)+k)%every == 0 {
			return k
		}
	}
	return due
}

// runTicks runs ticks.
func (s *Server) runTicks(n int) {
	for range n {
		if s.link.tick > ecs.MaxTick {
			break
		}
		if !s.model.applier.Ready() {
			continue
		}
		s.stages.onTick.Run(s.world)
		s.model.applier.Done()
		s.judgeReports()
		if s.model.snapshots {
			s.snapshots.Step()
		}
		s.link.tick++
		s.stats.Ticks++
	}
}

// dropped returns the number of due ticks that were dropped because the server was behind.
func (s *Server) dropped() uint64 { return s.link.loop.Dropped * uint64(s.config.WakeEvery) }

// Run serves in real time until ctx ends, then closes all sessions and returns nil, or until the server ends, and
// returns Err.
func (s *Server) Run(ctx context.Context) error {
	s.link.load.Measure(time.Now())
	err := runRealTime(ctx, s, func() error { return s.Close(time.Now()) })
	return errors.Join(s.link.err, err)
}

// Close ends all sessions, closes the transport and ends the server's goroutines.
func (s *Server) Close(now time.Time) error {
	s.workers.Close()
	if s.flight != nil {
		s.flight.writing.Wait()
	}
	return s.link.endpoint.Close(now)
}

// Serve creates a server on a transport and runs it in real time until ctx ends. The transport is closed on return.
func Serve(ctx context.Context, wire netsys.Wire, p *ecs.Protocol, c ServerConfig) error {
	s, err := NewServer(wire, p, c)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	return s.Run(ctx)
}

// ErrTransport is wrapped by the error with which a server ends whose transport has failed: see netsys.Failing.
var ErrTransport = errors.New("systems: the transport has failed")

// ErrTicks is wrapped by the error with which a server ends after ecs.MaxTick. The match is over, and all sessions
// are closed. Start a new server for the next match.
var ErrTicks = errors.New("systems: the world has no more ticks")

// checkLastTick ends a server that has simulated ecs.MaxTick, and logs a warning a day earlier.
func (s *Server) checkLastTick() {
	left := ecs.MaxTick + 1 - s.link.tick
	if !s.link.ending && float64(left) < 24*60*60*float64(s.config.TickRate) {
		s.link.ending = true
		s.config.Logger.Warn("the world approaches its last tick: start another match before",
			"ticks", left, "time", time.Duration(left)*s.world.StepDuration())
	}
	if left > 0 {
		return
	}
	s.link.err = fmt.Errorf("%w: %d was the last; start another match with a new server", ErrTicks, uint32(ecs.MaxTick))
	s.config.Logger.Error("the server ends", "reason", s.link.err)
	if err := s.Close(s.link.now); err != nil {
		s.link.err = errors.Join(s.link.err, err)
	}
}
