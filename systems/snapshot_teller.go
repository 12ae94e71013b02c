package systems

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/report"
)

// snapshotTeller sends clients states of the world.
type snapshotTeller struct{ s *Server }

// Join begins to tell a client.
func (t snapshotTeller) Join(p *peer) {
	p.snapshot = t.s.snapshots.Add(p.ID, snapshotPeer{t.s, p}, t.s.link.endpoint.Tag(p.Session))
}

// Leave lets go of the state with which a client was to join.
func (t snapshotTeller) Leave(p *peer) { t.s.snapshots.Remove(p.snapshot) }

// Acked notes what a client holds.
func (t snapshotTeller) Acked(p *peer, seq uint16) {
	if tick, ok := t.s.snapshots.Acked(p.snapshot, seq); ok {
		t.s.has(p.ID, tick)
	}
}

// Run is the system Snapshot.
func (t snapshotTeller) Run(w *ecs.World) { t.s.snapshots.Run(w) }

// Send is the system Send: it hands the packets of a send to the sessions.
func (t snapshotTeller) Send(*ecs.World) {
	s := t.s
	for _, p := range s.sessions.peers {
		packets := p.snapshot.Packets()
		for i := range packets {
			if seq, ok := s.sessions.Send(p.Client, packets[i].Bytes); ok {
				p.snapshot.Sent(seq, &packets[i])
			}
		}
		p.snapshot.Clear()
	}
	s.link.endpoint.Flush(s.link.now)
}

// status says what the server knows of a client that is sent states.
func (t snapshotTeller) status(p *peer, st ClientStatus) ClientStatus {
	st.Budget, st.OverBudget = p.snapshot.Budget()
	st.Allowed, st.Joining = t.s.snapshots.Allowed(p.snapshot), p.snapshot.Joining()
	st.Lead = p.inputs.Lead()
	st.Correcting = p.report.Correcting()
	return st
}

// snapshotClock is the time of sends.
type snapshotClock struct{ link *serverLink }

func (c snapshotClock) Now() time.Time { return c.link.now }
func (c snapshotClock) Tick() uint32   { return c.link.tick }

// snapshotPeer is what a client is told of what other rooms know of it.
type snapshotPeer struct {
	s *Server
	p *peer
}

func (x snapshotPeer) Ack() (input uint32, depth uint8, shift int16) {
	ack := x.p.inputs.Ack()
	return ack.Input, ack.Depth, ack.Shift
}

func (x snapshotPeer) Report() *report.Client { return x.p.report }

func (x snapshotPeer) Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return x.s.model.own(x.p, e, c)
}

func (x snapshotPeer) Allowance(now time.Time) int { return x.p.Session.Channels().Allowance(now) }

func (x snapshotPeer) RoundTrip() time.Duration {
	if st := x.p.Session.Stats(); st.RTT > 0 {
		return st.RTT + 2*st.Jitter
	}
	return 0
}
