package systems

import (
	"errors"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// serverMode is what a server does by its policies, beside what all models share:
// sessions, reservations, the clock, events and messages.
type serverMode interface {
	// planned are what a tick runs, and what follows the ticks of a wake-up.
	planned() (onTick, after *ecs.Stage)
	// joined begins with a client; with back its player was waited for, with that reservation.
	joined(p *peer, kept reservation, back bool)
	// left ends with a client. With waited, its player may come back; else departed
	// follows, within the wake-up, or when it is waited for no longer.
	left(p *peer, waited bool)
	// departed takes players that are gone for good out of the game.
	departed(w *ecs.World)
	// received takes in a datagram.
	received(p *peer, pk netsys.Packet)
	// message takes in a message of a channel, if it is the model's own.
	message(p *peer, number int, message []byte) (own bool, err error)
	// acked hears of a datagram that arrived.
	acked(p *peer, seq uint16)
	// tick runs a tick that is due; it reports false when it has to wait.
	tick() bool
	// horizon is the first tick that may still change.
	horizon() uint32
	// ownValue is where a component of an entity of a client is that its own state tells.
	ownValue(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer
}

// newServerMode chooses by the policies.
func newServerMode(s *Server) serverMode {
	if stamped(s.policies) {
		return newRewindServer(s)
	}
	if everywhere(s.policies) {
		return newDeterministicServer(s)
	}
	return &forwardServer{s}
}

// forwardServer runs each tick once: inputs are consumed in the order of their
// sequence, and snapshots tell what came of them.
type forwardServer struct{ *Server }

func (m *forwardServer) planned() (onTick, after *ecs.Stage) {
	s := m.Server
	onTick = ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: s.apply}).
		Nest(s.world.Netcode().SimulateStage()).Nest(s.protocol.AuthorityStage())
	after = ecs.NewStage("After",
		ecs.System{Name: "Snapshot", Run: s.snapshot},
		ecs.System{Name: "Send", Run: s.send})
	return onTick, after
}

func (m *forwardServer) joined(p *peer, kept reservation, back bool) {
	s := m.Server
	p.baselines = baseline.New()
	p.inputs.superseding = s.policies.Late == policy.LateSuperseded
	if s.applying.results != nil {
		p.judge = newJudge()
	}
	switch {
	case back:
		p.inputs.follow(kept.input)
		if s.config.Rejoin != nil {
			s.config.Rejoin(s.world, p.id)
		}
	case s.config.Join != nil:
		s.config.Join(s.world, p.id)
	}
}

func (m *forwardServer) left(p *peer, _ bool) {
	m.unpin(p)
}

// departed runs behind Receive: what Join spawned for a client that came and went
// within one Receive is there by then.
func (m *forwardServer) departed(w *ecs.World) {
	s := m.Server
	for _, id := range s.sessions.toLeave {
		s.takeAway(w, id)
	}
	s.sessions.toLeave = s.sessions.toLeave[:0]
}

// takeAway carries out that a client is gone for good.
func (s *Server) takeAway(w *ecs.World, id uint32) {
	if s.config.Leave != nil {
		s.config.Leave(w, id)
	}
	if s.config.LeavePolicy == DespawnOwned {
		despawnOwned(w, id)
	}
	w.Netcode().ForgetInputs(id)
}

// read takes a message of inputs apart; it reports false where there is nothing in it.
func (m *forwardServer) read(p *peer, pk netsys.Packet) bool {
	s, in := m.Server, p.inputs
	switch err := s.applying.coder.Read(pk.Data, &s.applying.message, pk.Seq, in.bases); {
	case errors.Is(err, wire.ErrUnread):
		in.miss(pk.Newest)
		return false
	case err != nil:
		s.refuse(p, err)
		return false
	}
	in.bases.Put(pk.Seq, &s.applying.message, s.applying.coder.State)
	if pk.Newest {
		p.baselines.Ask(s.applying.message.Epoch)
		in.unread = false
	}
	return true
}

func (m *forwardServer) received(p *peer, pk netsys.Packet) {
	s, in := m.Server, p.inputs
	if !m.read(p, pk) {
		return
	}
	before, any := max(in.newest, in.expected-1), in.any
	in.receive(int64(s.link.tick), &s.applying.message, pk.Newest)
	s.judgeReport(p)
	if any {
		s.limitInputs(p, before)
	}
}

func (m *forwardServer) message(*peer, int, []byte) (bool, error) { return false, nil }

func (m *forwardServer) acked(p *peer, seq uint16) { m.Server.acked(p, seq) }

func (m *forwardServer) tick() bool {
	s := m.Server
	s.world.Netcode().SetTick(s.link.tick)
	s.followed.followers.Start(s.link.tick)
	s.stages.onTick.Run(s.world)
	s.followed.followers.Done()
	s.world.Netcode().SkipNobody()
	s.judge()
	s.frames.Step()
	return true
}

func (m *forwardServer) horizon() uint32 { return m.Server.link.tick }

func (s *Server) ownValue(_ *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return s.world.Netcode().Pointer(e, c)
}
