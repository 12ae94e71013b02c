package systems

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// sequenced consumes the inputs of a client in order, and runs each tick once.
type sequenced struct {
	s  *Server
	in *serverapply.System
}

// Join adds a client. A returning client continues after its newest consumed input.
func (a *sequenced) Join(p *peer, kept sessions.Reservation, back bool) {
	p.report = a.s.report.Join(p.ID)
	if back {
		a.in.Resume(p.inputs, kept.Input)
		return
	}
	a.in.Enter(p.ID, string(a.s.link.endpoint.Login(p.Session)))
}

// Watch does nothing: a spectator has no inputs.
func (*sequenced) Watch(*peer) {}

// Leave removes a client. Its entities stay until Depart.
func (a *sequenced) Leave(p *peer, _ bool) { a.s.report.Leave(p.ID) }

// Depart removes players who have left for good from the game in the next tick.
func (a *sequenced) Depart(gone []uint32) {
	for _, id := range gone {
		a.in.Depart(id)
	}
}

// Plays returns true: a player joins in the tick after its session starts.
func (*sequenced) Plays(*peer) bool { return true }

// Command runs a command of a player in the next tick.
func (a *sequenced) Command(player uint32, command string) { a.in.Command(player, command) }

// Receive processes a message of inputs.
func (a *sequenced) Receive(p *peer, pk netsys.Packet) {
	if err := a.ReceiveOn(0, p, pk); err != nil {
		a.s.sessions.Refuse(p.Client, err)
	}
}

// skipInputs processes a message of inputs of a spectator, which nobody consumes.
func (s *Server) skipInputs(p *peer, pk netsys.Packet) {
	switch m, err := s.intake.Skip(p.inputs, pk); {
	case err != nil:
		s.sessions.Refuse(p.Client, err)
	case m != nil:
		p.forwardEpoch(pk, m)
	}
}

// ReceiveOn processes a message of inputs on a worker.
func (a *sequenced) ReceiveOn(worker int, p *peer, pk netsys.Packet) error {
	m, err := a.in.Receive(worker, p.inputs, pk)
	if m != nil {
		p.forwardEpoch(pk, m)
		p.report.Receive(m.Newest, p.inputs.Newest(), &m.Report)
	}
	return err
}

// forwardEpoch passes the epoch in a message to the snapshots.
func (p *peer) forwardEpoch(pk netsys.Packet, m *wire.Input) {
	if pk.Newest {
		p.snapshot.Ask(m.Epoch)
	}
}

// Run is the system ServerApply.
func (a *sequenced) Run(w *ecs.World) {
	a.s.flight.beginTick(a.s.link.tick)
	a.in.Run(w)
}

// Ready starts a tick: no tick waits for inputs.
func (a *sequenced) Ready() bool {
	a.s.world.Netcode().SetTick(a.s.link.tick)
	a.s.followed.all.Start(a.s.link.tick)
	return true
}

// Done ends the tick.
func (a *sequenced) Done() {
	s := a.s
	s.followed.all.Done()
	s.world.Netcode().SkipNobody()
	a.judgeReports()
	s.snapshots.Step()
}

// judgeReports compares the clients' results with the server's state at the end of a tick.
func (a *sequenced) judgeReports() {
	s := a.s
	if s.report == nil {
		return
	}
	s.report.List()
	for _, p := range s.sessions.peers.All() {
		if p.spectator {
			continue
		}
		s.report.Compare(p.report, p.inputs.Consumed(), p.inputs.Running())
	}
}

// rewinder goes back for late inputs.
type rewinder struct {
	s  *Server
	in *serverapply.Rewind
}

// maxReservations returns the maximum number of players: connected ones, those with reserved seats, and recently
// departed ones.
func maxReservations(clients int) int { return min(3*clients, maxPeers) }

// Ready returns true: no tick waits for inputs.
func (m *rewinder) Ready() bool { return true }

// Run is the system ServerApply.
func (m *rewinder) Run(w *ecs.World) { m.in.Run(w) }

// Done ends the tick.
func (m *rewinder) Done() {
	m.in.Done()
	m.s.snapshots.Step()
}

// status adds the lead of the clients.
func (m *rewinder) status(st ModelStatus) ModelStatus {
	st.Lead = m.in.Lead()
	return st
}

// Join adds a client in the next tick.
func (m *rewinder) Join(p *peer, _ sessions.Reservation, back bool) {
	if err := m.in.Enter(p.inputs, string(m.s.link.endpoint.Login(p.Session)), back); err != nil {
		m.s.config.Logger.Error("client refused", "client", p.ID, "error", err)
		p.Session.Close(m.s.link.now, netsys.ReasonServerClosing)
	}
}

// Watch does nothing: a spectator has no inputs.
func (*rewinder) Watch(*peer) {}

// Leave removes a client. While its player's seat is reserved, the player has neutral inputs.
func (m *rewinder) Leave(p *peer, waited bool) {
	if waited {
		m.in.Reserve(p.ID)
	}
}

// Depart removes players who have left for good from the game in the next tick.
func (m *rewinder) Depart(gone []uint32) {
	for _, id := range gone {
		m.in.Depart(id)
	}
}

// Plays returns true: a player joins in the tick after its session starts.
func (*rewinder) Plays(*peer) bool { return true }

// Command runs a command of a player in the next tick.
func (m *rewinder) Command(player uint32, command string) { m.in.Command(player, command) }

// Receive processes a message of inputs.
func (m *rewinder) Receive(p *peer, pk netsys.Packet) {
	switch msg, err := m.in.Receive(p.inputs, pk); {
	case err != nil:
		m.s.sessions.Refuse(p.Client, err)
	case msg != nil:
		p.forwardEpoch(pk, msg)
	}
}

// own returns the value after the tick of the owner state.
func (m *rewinder) own(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.in.Own(p.inputs, e, c)
}

// snapshotSender sends snapshots to clients.
type snapshotSender struct {
	s         *Server
	receivers []*peer          // clients with packets to send
	links     []netsys.Session // sessions of these clients
	send      func(worker, i int)
}

// newSnapshotSender returns the sender of a server.
func newSnapshotSender(s *Server) *snapshotSender {
	t := &snapshotSender{s: s}
	t.send = t.sendTo
	return t
}

// Join adds a client.
func (t *snapshotSender) Join(p *peer) {
	if p.recorder != nil {
		p.snapshot = t.s.snapshots.Record(p.ID, snapshotPeer{t.s, p})
		t.s.snapshots.Watch(p.snapshot, p.recorder.sight, p.recorder.to.OwnerOnly())
		return
	}
	p.snapshot = t.s.snapshots.Add(p.ID, snapshotPeer{t.s, p}, t.s.link.endpoint.Tag(p.Session))
	if p.spectator {
		sight := uint32(0)
		if f := t.s.config.Players.Sight; f != nil {
			sight = f(p.Session)
		}
		t.s.snapshots.Watch(p.snapshot, sight, false)
	}
}

// Leave releases the state of a client.
func (t *snapshotSender) Leave(p *peer) { t.s.snapshots.Remove(p.snapshot) }

// Acked records which state a client has.
func (t *snapshotSender) Acked(p *peer, seq uint16) {
	if tick, ok := t.s.snapshots.Acked(p.snapshot, seq); ok {
		p.acked = max(p.acked, tick)
	}
}

// Run is the system Snapshot.
func (t *snapshotSender) Run(w *ecs.World) {
	for _, r := range t.s.sessions.recorders {
		if x := r.p.snapshot; r.open && r.to.Due(t.s.link.now) {
			x.Ask(x.Epoch() + 1)
		}
	}
	t.s.snapshots.Run(w)
}

// Send is the system Send: it passes the packets of a send to the sessions.
func (t *snapshotSender) Send(*ecs.World) {
	s := t.s
	t.receivers, t.links = t.receivers[:0], t.links[:0]
	for _, p := range s.sessions.peers.All() {
		if p.recorder != nil {
			t.record(p)
			continue
		}
		if len(p.snapshot.Packets()) > 0 {
			t.receivers, t.links = append(t.receivers, p), append(t.links, p.Session)
		}
	}
	s.link.endpoint.Spread(s.link.now, t.links, t.send)
	clear(t.receivers) // keep no departed client in memory
	clear(t.links)
	s.link.endpoint.Flush(s.link.now)
}

// record passes the packets of a send to a recorder. Another segment starts with a full state.
func (t *snapshotSender) record(p *peer) {
	if r, epoch := p.recorder, p.snapshot.Epoch(); len(p.snapshot.Packets()) > 0 && (!r.open || r.epoch != epoch) {
		r.begin()
		r.epoch = epoch
	}
	t.sendPackets(p)
}

// sendTo sends the packets of one client, on a worker.
func (t *snapshotSender) sendTo(_, i int) { t.sendPackets(t.receivers[i]) }

func (t *snapshotSender) sendPackets(p *peer) {
	packets := p.snapshot.Packets()
	for k := range packets {
		if seq, ok := t.s.sessions.Send(p.Client, packets[k].Bytes); ok {
			p.snapshot.Sent(seq, &packets[k])
		}
	}
	p.snapshot.Clear()
}

// status adds what the server knows of a client's snapshots.
func (t *snapshotSender) status(p *peer, st ClientStatus) ClientStatus {
	st.Budget, st.OverBudget = p.snapshot.Budget()
	st.Allowed, st.Joining = t.s.snapshots.Allowed(p.snapshot), p.snapshot.Joining()
	st.Lead = p.inputs.Lead()
	st.Correcting = p.report.Correcting()
	return st
}

// snapshotClock provides the time and tick of sends.
type snapshotClock struct{ link *serverLink }

func (c snapshotClock) Now() time.Time { return c.link.now }
func (c snapshotClock) Tick() uint32   { return c.link.tick }

// snapshotPeer provides the data of a client from other packages.
type snapshotPeer struct {
	s *Server
	p *peer
}

func (x snapshotPeer) Ack() (input uint32, depth uint8, shift int16) { return x.p.inputs.Ack() }

func (x snapshotPeer) Touch() byte { return x.p.inputs.Touch() }

func (x snapshotPeer) Report() *report.Client { return x.p.report }

func (x snapshotPeer) Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return x.s.model.own(x.p, e, c)
}

func (x snapshotPeer) Allowance(now time.Time) int {
	if x.p.recorder != nil {
		return math.MaxInt32
	}
	return x.p.Session.Channels().Allowance(now)
}

func (x snapshotPeer) RoundTrip() time.Duration {
	if st := x.p.Session.Stats(); st.RTT > 0 {
		return st.RTT + 2*st.Jitter
	}
	return 0
}
