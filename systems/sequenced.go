package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// sequenced consumes the inputs of a client in the order of their sequence, and runs each
// tick once.
type sequenced struct {
	s        *Server
	in       *serverapply.System
	takeAway func(w *ecs.World, player uint32)
}

// Join begins with a client: where it is back, behind the newest input of its that was
// consumed.
func (a *sequenced) Join(p *peer, kept sessions.Reservation, back bool) {
	s := a.s
	p.report = s.report.Join(p.ID)
	switch {
	case back:
		a.in.Resume(p.inputs, kept.Input)
		if s.config.Rejoin != nil {
			s.config.Rejoin(s.world, p.ID)
		}
	case s.config.Join != nil:
		s.config.Join(s.world, p.ID)
	}
}

// Leave ends with a client, whose entities stand as they are until Depart.
func (a *sequenced) Leave(p *peer, _ bool) { a.s.report.Leave(p.ID) }

// Depart runs behind Receive: what Join spawned for a client that came and went
// within one Receive is there by then.
func (a *sequenced) Depart(w *ecs.World, gone []uint32) {
	for _, id := range gone {
		a.takeAway(w, id)
	}
}

// Receive takes in a message of inputs.
func (a *sequenced) Receive(p *peer, pk netsys.Packet) {
	m, err := a.in.Receive(p.inputs, pk)
	if m := passOn(a.s, p, pk, m, err); m != nil {
		p.report.Take(m.Newest, p.inputs.Newest(), &m.Report)
	}
}

// passOn passes on what a message had besides inputs: which baselines the client asks for.
// It returns the message, nil where there was nothing to be read.
func passOn(s *Server, p *peer, pk netsys.Packet, m *wire.Input, err error) *wire.Input {
	if err != nil {
		s.sessions.Refuse(p.Client, err)
		return nil
	}
	if m != nil && pk.Newest {
		p.snapshot.Ask(m.Epoch)
	}
	return m
}

// Run is the system ServerApply.
func (a *sequenced) Run(w *ecs.World) { a.in.Run(w) }

// Ready begins a tick: nobody waits for inputs.
func (a *sequenced) Ready() bool {
	a.s.world.Netcode().SetTick(a.s.link.tick)
	a.s.followed.followers.Start(a.s.link.tick)
	return true
}

// Done ends it.
func (a *sequenced) Done() {
	s := a.s
	s.followed.followers.Done()
	s.world.Netcode().SkipNobody()
	a.judge()
	s.snapshots.Step()
}

// judge compares, at the end of a tick, what clients report with what became of their
// inputs here.
func (a *sequenced) judge() {
	s := a.s
	s.report.List()
	for _, p := range s.sessions.peers {
		s.report.Compare(p.report, p.inputs.Consumed(), p.inputs.Running())
	}
}
