package systems

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/snapshot"
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

// SetBudget bounds the snapshots of one client to that many bytes each, from the
// next on; see ServerConfig.Budget. It returns an error that wraps [ErrConfig]
// below 200 bytes and when there is no such client.
func (s *Server) SetBudget(client uint32, bytes int) error {
	p := s.sessions.byID[client]
	switch {
	case bytes < snapshot.MinBudget:
		return fmt.Errorf("%w: Budget %d is less than %d bytes", ErrConfig, bytes, snapshot.MinBudget)
	case p == nil:
		return fmt.Errorf("%w: SetBudget: no client %d", ErrConfig, client)
	case p.snapshot != nil:
		s.snapshots.SetBudget(p.snapshot, bytes)
	}
	return nil
}

// Knowledge is what a server knows that a client knows of an entity, and why it was not
// told more.
type Knowledge = snapshot.Knowledge

// EncodeStats counts what a server encoded for snapshots.
type EncodeStats = snapshot.EncodeStats

// Baseline returns what a client knows of an entity; ok is false where there is no such
// client. It asks ServerConfig.Priority. It is for looking: its time grows with the
// number of packets and sends that are kept, not with that of entities.
func (s *Server) Baseline(client uint32, id components.NetID) (k Knowledge, ok bool) {
	p := s.sessions.byID[client]
	if p == nil {
		return k, false
	}
	k.Client, k.Entity = client, id
	if p.snapshot != nil {
		s.snapshots.Knowledge(p.snapshot, id, &k)
		return k, true
	}
	e, there := s.world.ByNetID(id)
	k.Everywhere, k.Exists = true, there && s.world.Alive(e)
	k.Own = k.Exists && ownership.Owner(s.world, e) == client
	k.Joining = s.status(p).Joining
	return k, true
}
