package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// rewinder goes back for inputs that come late.
type rewinder struct {
	s  *Server
	in *serverapply.Rewind
}

// maxReservations is how many players there may be: as many as clients, as many who are waited
// for, and those who have left lately.
func maxReservations(clients int) int { return min(3*clients, maxPeers) }

// Ready is true: nobody waits for inputs.
func (m *rewinder) Ready() bool { return true }

// Run is the system ServerApply.
func (m *rewinder) Run(w *ecs.World) { m.in.Run(w) }

// Done ends the tick.
func (m *rewinder) Done() {
	m.in.Done()
	m.s.snapshots.Step()
}

// status says by how much clients lead.
func (m *rewinder) status(st ModelStatus) ModelStatus {
	st.Lead = m.in.Lead()
	return st
}

// Join begins with a client, in the tick that comes.
func (m *rewinder) Join(p *peer, _ sessions.Reservation, back bool) {
	if err := m.in.Enter(p.inputs, back); err != nil {
		m.s.config.Logger.Error("client refused", "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Leave ends with a client: while its player is waited for it has neutral inputs.
func (m *rewinder) Leave(p *peer, waited bool) {
	if waited {
		m.in.Await(p.ID)
	}
}

// Depart takes players that are gone for good out of the game, in the tick that comes.
func (m *rewinder) Depart(_ *ecs.World, gone []uint32) {
	for _, id := range gone {
		m.in.Depart(id)
	}
}

// Receive takes in a message of inputs.
func (m *rewinder) Receive(p *peer, pk netsys.Packet) {
	msg, err := m.in.Receive(p.inputs, pk)
	passOn(m.s, p, pk, msg, err)
}

// own is the value after the tick that own state tells of.
func (m *rewinder) own(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.in.Own(p.inputs, e, c)
}
