package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/baseline"
)

// snapshotTeller sends clients states of the world.
type snapshotTeller struct{ s *Server }

// Join makes room for what packets tell of.
func (snapshotTeller) Join(p *peer) { p.baselines = baseline.New() }

// Leave lets go of the state with which a client was to join.
func (t snapshotTeller) Leave(p *peer) { t.s.unpin(p) }

// Acked notes what a client holds.
func (t snapshotTeller) Acked(p *peer, seq uint16) { t.s.acked(p, seq) }

// Send is the system Send.
func (t snapshotTeller) Send(w *ecs.World) { t.s.send(w) }

// status says what the server knows of a client that is sent states.
func (t snapshotTeller) status(p *peer, st *ClientStatus) {
	st.Budget, st.Allowed = p.contest.budget, t.s.allowed(p)
	st.OverBudget, st.Joining = p.contest.over, p.join.state != joinNone
	st.Lead = p.inputs.Lead()
	st.Correcting = p.report.Correcting()
}
