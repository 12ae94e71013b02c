package systems

import (
	"errors"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// sequenced consumes the inputs of a client in the order of their sequence, and runs each
// tick once.
type sequenced struct {
	s        *Server
	takeAway func(w *ecs.World, player uint32)
}

// Join begins with a client: where it is back, behind the newest input of its that was
// consumed.
func (a *sequenced) Join(p *peer, kept reservation, back bool) {
	s := a.s
	p.inputs.superseding = s.applying.superseding
	if s.report != nil {
		p.report = s.report.Join(p.id)
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

// Leave ends with a client, whose entities stand as they are until Depart.
func (a *sequenced) Leave(p *peer, _ bool) {
	if a.s.report != nil {
		a.s.report.Leave(p.id)
	}
}

// Depart runs behind Receive: what Join spawned for a client that came and went
// within one Receive is there by then.
func (a *sequenced) Depart(w *ecs.World, gone []uint32) {
	for _, id := range gone {
		a.takeAway(w, id)
	}
}

// readInputs takes a message of inputs apart; it reports false where there is nothing in it.
func readInputs(s *Server, p *peer, pk netsys.Packet) bool {
	in := p.inputs
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

// Receive takes in a message of inputs.
func (a *sequenced) Receive(p *peer, pk netsys.Packet) {
	s, in := a.s, p.inputs
	if !readInputs(s, p, pk) {
		return
	}
	before, any := max(in.newest, in.expected-1), in.any
	in.receive(int64(s.link.tick), &s.applying.message, pk.Newest)
	p.report.Take(s.applying.message.Newest, in.newest, &s.applying.message.Report)
	if any {
		s.limitInputs(p, before)
	}
}

// Run is the system ServerApply.
func (a *sequenced) Run(w *ecs.World) { a.s.apply(w) }

// tick runs a tick.
func (a *sequenced) tick() bool {
	s := a.s
	s.world.Netcode().SetTick(s.link.tick)
	s.followed.followers.Start(s.link.tick)
	s.stages.onTick.Run(s.world)
	s.followed.followers.Done()
	s.world.Netcode().SkipNobody()
	a.judge()
	s.frames.Step()
	return true
}

// judge compares, at the end of a tick, what clients report with what became of their
// inputs here.
func (a *sequenced) judge() {
	s := a.s
	if s.report == nil {
		return
	}
	s.report.List()
	for _, p := range s.sessions.peers {
		s.report.Compare(p.report, p.inputs.expected-1, p.inputs.running)
	}
}
