package systems

import (
	"cmp"
	"fmt"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// A model determines which parts a server and a client consist of. Only this file and config.go read the model; this file
// passes to each part the options that the part needs.
//
//	model              server: apply, send           client: number, pace, draw
//	LocalSync          system, snapshots             sequence, steering, between
//	Buffered           same                          sequence, steering, damped
//	CorrectOnMismatch  same, own state while open    sequence, steering, between
//	ServerRewind       rewind, snapshots             stamping, between
//	Rollback           relay                         following, in the present
//	Lockstep           same, waiting                 same, waiting

// stamped reports whether inputs name their tick and the server sends state. The sequence number of an input is then its tick.
func stamped(t policy.Traits) bool { return t.Stamped && !t.RelaysInputs }

// rewrites reports whether any peer simulates ticks of the server's world again.
func rewrites(t policy.Traits) bool { return t.RelaysInputs || t.Rewinds }

// stampedEarly returns how many ticks ahead of the server an input may be: as many as it may be late, and at least a second,
// because clocks may differ by more than a short window.
func stampedEarly(t policy.Traits, tickRate int) int { return max(t.WindowTicks(tickRate), tickRate) }

// newJudge returns the judge of reported results, or nil if clients do not report results.
func newJudge(w *ecs.World, m policy.Model) (*report.Judge, error) {
	if !policy.TraitsOf(m).Reports {
		return nil, nil
	}
	if err := report.Check(w.Protocol()); err != nil {
		return nil, fmt.Errorf("%w: under %s: %w", ErrConfig, m, err)
	}
	return report.NewJudge(w), nil
}

// newServerModel returns the parts of the server's model, the stage that runs in each tick, and the stage that runs after
// the ticks of a wake-up.
func newServerModel(s *Server) (m serverModel, onTick, after *ecs.Stage) {
	simulate, authority := s.world.Netcode().SimulateStage(), s.protocol.AuthorityStage()
	t := policy.TraitsOf(s.config.Model)
	s.intake = serverapply.NewIntake(s.world, intakeConfig(s, t))
	switch {
	case t.RelaysInputs:
		m = relayModel(s, t, authority)
	case stamped(t):
		m = rewindModel(s, t, authority)
	default:
		m = sequenceModel(s, t)
	}
	onTick = ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: m.applier.Run}).Nest(simulate).Nest(authority)
	after = ecs.NewStage("After",
		ecs.System{Name: "Snapshot", Run: m.sender.Run},
		ecs.System{Name: "Send", Run: m.sender.Send})
	return m, onTick, after
}

// intakeConfig returns how inputs are read, and what replaces missing inputs.
func intakeConfig(s *Server, t policy.Traits) serverapply.Config {
	c := serverapply.Config{
		Protocol: s.protocol, TickRate: s.config.TickRate, Batch: s.config.WakeEvery, Reported: t.Reports,
		Arrival: t.Arrival, Superseding: t.Missing == policy.Supersede, Neutral: t.Missing == policy.Neutral,
		Refuse: s.config.Players.Refuse.check, Logger: s.config.Logger, Now: func() time.Time { return s.link.now }, Tick: s.Tick, Workers: s.workers,
	}
	if s.flight != nil {
		c.Recorder = s.flight
	}
	return c
}

// traits returns the policies of the server's model.
func (s *Server) traits() policy.Traits { return policy.TraitsOf(s.config.Model) }

// relayModel returns the parts for Rollback and Lockstep: the server relays the inputs of all players.
func relayModel(s *Server, t policy.Traits, authority *ecs.Stage) serverModel {
	c := relayConfig(s.config)
	c.Timeline.Authority = authority
	sender := newRelaySender(s, c)
	r := sender.relay
	line := r.Timeline()
	receive := func(_ int, p *peer, pk netsys.Packet) error { return r.ReceivePacket(p.ID, pk) }
	return serverModel{
		applier: r, sender: sender, line: line, begin: sender.Begin, receive: receive, skip: receive, own: present(s.world),
		message: func(p *peer, number int, message []byte) (bool, error) { return r.Message(p.ID, number, message) },
		status: within(t.WindowTicks(s.config.TickRate), func(st ModelStatus) ModelStatus {
			st.Relay, st.WaitsFor = r.Stats(), r.Awaited()
			return st
		}),
		client: func(p *peer, st ClientStatus) ClientStatus {
			st.Joining = !r.Playing(p.ID)
			return st
		},
		entered:   func(kept uint32) uint32 { return kept },
		firstOpen: func() uint32 { return t.FirstOpen(s.config.TickRate, line.Next()-1, line.Horizon()) },
	}
}

// rewindModel returns the parts for ServerRewind: late inputs make the server simulate ticks again.
func rewindModel(s *Server, t policy.Traits, authority *ecs.Stage) serverModel {
	rate := s.config.TickRate
	c := serverapply.RewindConfig{
		Window: uint32(t.WindowTicks(rate)), Early: int64(stampedEarly(t, rate)), Rewrites: t.Rewinds,
		First: s.link.tick, Players: min(3*s.config.MaxClients, maxPeers), Authority: authority, // connected, reserved, and recently departed
	}
	if t.Missing == policy.Neutral {
		c.Fills = -1
	}
	r, snapshots := serverapply.NewRewind(s.intake, c, s.tickListener()), newSnapshotSender(s)
	line := r.Timeline()
	return serverModel{
		applier: r, sender: snapshots, line: line, receive: readInputs(r.Receive), skip: readInputs(s.intake.Skip), message: noMessage,
		own: func(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer { return r.Own(p.inputs, e, c) },
		status: within(t.WindowTicks(rate), func(st ModelStatus) ModelStatus {
			st.Lead = r.Lead()
			return st
		}),
		client: snapshots.status, snapshots: true,
		entered: func(uint32) uint32 { return s.link.tick },
		firstOpen: func() uint32 {
			if line.Next() == 0 {
				return 0
			}
			return t.FirstOpen(rate, line.Next()-1, line.Horizon())
		},
	}
}

// sequenceModel returns the parts for models whose server consumes inputs in order and simulates each tick once.
func sequenceModel(s *Server, t policy.Traits) serverModel {
	a, snapshots := serverapply.New(s.intake, s.followed.all), newSnapshotSender(s)
	return serverModel{
		applier: a, sender: snapshots, receive: readInputs(a.Receive), skip: readInputs(s.intake.Skip), workers: true, message: noMessage, own: present(s.world),
		status: func(st ModelStatus) ModelStatus { return st }, client: snapshots.status, snapshots: true,
		entered:   func(kept uint32) uint32 { return kept },
		firstOpen: func() uint32 { return s.link.tick },
	}
}

// present returns components with their current values.
func present(w *ecs.World) func(*peer, ecs.Entity, *ecs.Component) unsafe.Pointer {
	return func(_ *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer { return w.Netcode().Pointer(e, c) }
}

// within adds the window, in ticks, to a status.
func within(window int, status func(ModelStatus) ModelStatus) func(ModelStatus) ModelStatus {
	return func(st ModelStatus) ModelStatus {
		st.Window = window
		return status(st)
	}
}

// noMessage handles no messages: models that send snapshots use no channel.
func noMessage(*peer, int, []byte) (bool, error) { return false, nil }

// newClientModel returns the parts of the client's model.
func newClientModel(c *Client, t policy.Traits) clientModel {
	switch {
	case t.RelaysInputs:
		return followModel(c, t)
	case stamped(t):
		return stampModel(c, t)
	}
	return predictModel(c, t)
}

// followModel returns the parts for Rollback and Lockstep: the client simulates everything.
func followModel(c *Client, t policy.Traits) clientModel {
	rate := c.world.TickRate()
	config := followConfig(c.config, t, rate)
	config.Channel, _ = relay.BulkChannel(c.config.Session.Channels)
	if config.Channel < 0 {
		c.fail(fmt.Errorf("%w: Channels: none can bring the state of the world; see ServerConfig", ErrConfig))
	}
	player := c.link.id
	if _, config.Replay = c.link.session.(*replaySession); config.Replay {
		player = 0 // the number is that of the player who recorded
	}
	config.Start = c.steps.now
	m := newFollowing(c, player, config)
	c.interpolator = m.view.System
	c.recordRelayed(m.Client)
	line := m.line
	return clientModel{
		listener: m, numbering: m, pace: m, known: m, line: line, diverged: m.Diverged, count: m.count, leave: m.leave,
		systems: clientSystems{reconcile: m.reconcile, gather: m.gather, predict: m.predict, send: m.send, interpolate: m.interpolate},
		firstOpen: func() uint32 {
			if line.Next() == 0 {
				return 0
			}
			// The server may still report ticks that have left its window.
			return min(t.FirstOpen(rate, line.Next()-1, line.Horizon()), line.Horizon())
		},
	}
}

// predictModel returns the parts for models whose client simulates its own entities when it gathers an input.
func predictModel(c *Client, t policy.Traits) clientModel {
	predicting, corrections := predictParts(c), t.Reports
	predicting.Corrections, predicting.CoSimulates = corrections, t.Remotes == policy.CoSimulated
	if predicting.Stamped = stamped(t); predicting.Stamped {
		predicting.Delay = uint32(t.SuggestTicks(c.world.TickRate()))
	}
	c.predictor = predict.New(predicting, c.shape.predicted, c.config.historyTicks(c.world.TickRate()))
	c.interpolator = interpolate.New(drawingParts(c), interpolate.States{
		Mirror: c.mirror, CoSimulated: c.predictor.Scope.CoSimulates,
		Damped: t.Remotes == policy.Damped, Damping: damping(ownModel(c.config.Models, c.played)),
	})
	reconciling := reconcileParts(c)
	if reconciling.Waits = predicting.Stamped; corrections {
		reconciling.Results = report.NewCoder(c.protocol)
	}
	c.reconciler = reconcile.New(reconciling, c.shape.predicted)
	return clientModel{
		listener: snapshotListener{c, c.mirror.Has}, numbering: sequence{c}, pace: steered{&c.steps.steering}, known: mirroredEntities{c, t.Remotes != policy.Interpolated},
		firstOpen: func() uint32 { return c.reconciler.ConfirmedInput() + 1 }, count: func(s ClientStats) ClientStats { return s }, leave: func() { mirror.Leave(c.mirror) },
		systems: clientSystems{reconcile: c.reconciler.Run, gather: c.inputs.Run, predict: c.predictor.Run, send: c.send, interpolate: c.interpolator.Run},
	}
}

// ownModel returns the model of the list with the same name as m, or nil.
func ownModel(list []policy.Model, m policy.Model) policy.Model {
	for _, own := range list {
		if own.String() == m.String() {
			return own
		}
	}
	return nil
}

// damping returns how a client draws others that are damped.
func damping(m policy.Model) policy.Damping {
	b, _ := m.(policy.Buffered)
	return b.Damping
}

// stampModel returns the parts for ServerRewind: each input names the tick in which it applies.
func stampModel(c *Client, t policy.Traits) clientModel {
	rate := c.world.TickRate()
	m, window := predictModel(c, t), uint32(t.WindowTicks(rate))
	r := newStamping(c, uint32(t.SuggestTicks(rate)), uint32(stampedEarly(t, rate)))
	m.listener, m.numbering, m.pace = r, r, r
	m.systems.reconcile, m.systems.gather, m.systems.predict, m.systems.send = r.reconcile, r.gather, r.predict, r.send
	m.firstOpen = func() uint32 { // a confirmed tick is final once the server has simulated it and cannot rewrite it any more
		confirmed := min(c.reconciler.ConfirmedInput(), r.seen)
		return confirmed - min(confirmed, window)
	}
	return m
}

// peersTimeline returns the configuration that the timelines of all peers share.
func peersTimeline(t policy.Traits, tickRate int) timeline.Config {
	return timeline.Config{Window: t.WindowTicks(tickRate), Wait: t.Waits}
}

// relayConfig returns the configuration of a server's relay.
func relayConfig(c ServerConfig) relay.Config {
	peers := c.MaxClients
	if c.Players.ReconnectWindow > 0 {
		peers *= 2 // players in their reconnect window still take part
	}
	r := relay.Config{
		Timeline: peersTimeline(policy.TraitsOf(c.Model), c.TickRate),
		Peers:    min(peers, maxPeers) + c.Players.Spectators,
		Stall:    stallTicks(c),
	}
	r.Channel, r.Part = relay.BulkChannel(c.Session.Channels)
	r.Timeline.First, r.Timeline.Players = c.FirstTick, min(2*peers, maxPeers)
	return r
}

// stallTicks returns Lockstep.Stall in ticks, rounded down but at least 1.
func stallTicks(c ServerConfig) int {
	m, _ := c.Model.(policy.Lockstep)
	stall := cmp.Or(m.Stall, policy.DefaultStall)
	return max(int(int64(stall)*int64(c.TickRate)/int64(time.Second)), 1)
}

// desync returns the function of a model that is called for clients whose worlds differ, or nil.
func desync(m policy.Model) func(policy.Divergence) {
	switch m := m.(type) {
	case policy.Rollback:
		return m.Desync
	case policy.Lockstep:
		return m.Desync
	}
	return nil
}

// followConfig returns the configuration of a client's relay.
func followConfig(c ClientConfig, t policy.Traits, tickRate int) relay.ClientConfig {
	r := relay.ClientConfig{Timeline: peersTimeline(t, tickRate), Delay: min(t.SuggestTicks(tickRate), 255)}
	r.Late = r.Timeline.Window
	r.Timeline.Window = min(r.Timeline.Window+2*tickRate, maxPeers) // inputs travel up to two seconds from the server to this client
	if r.Timeline.Wait {
		r.Timeline.Window = 2 * tickRate
	}
	if r.MaxDelay = 255; r.Timeline.Wait {
		r.MaxDelay = min(max(tickRate, r.Delay), 255)
	}
	r.Timeline.Players = maxPeers
	return r
}
