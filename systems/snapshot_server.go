package systems

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// sequenced consumes the inputs of a client in the order of their sequence, and runs each
// tick once.
type sequenced struct {
	s  *Server
	in *serverapply.System
}

// Join begins with a client: where it is back, behind the newest input of its that was
// consumed.
func (a *sequenced) Join(p *peer, kept sessions.Reservation, back bool) {
	p.report = a.s.report.Join(p.ID)
	if back {
		a.in.Resume(p.inputs, kept.Input)
		return
	}
	a.in.Enter(p.ID, string(a.s.link.endpoint.Login(p.Session)))
}

// Leave ends with a client, whose entities stand as they are until Depart.
func (a *sequenced) Leave(p *peer, _ bool) { a.s.report.Leave(p.ID) }

// Depart takes players that are gone for good out of the game, in the tick that comes.
func (a *sequenced) Depart(gone []uint32) {
	for _, id := range gone {
		a.in.Depart(id)
	}
}

// Plays is true: a player comes with the tick after its session's begin.
func (*sequenced) Plays(*peer) bool { return true }

// Command makes a player do something in the tick that comes.
func (a *sequenced) Command(player uint32, command string) { a.in.Command(player, command) }

// Receive takes in a message of inputs.
func (a *sequenced) Receive(p *peer, pk netsys.Packet) {
	if err := a.ReceiveOn(0, p, pk); err != nil {
		a.s.sessions.Refuse(p.Client, err)
	}
}

// ReceiveOn does so on a worker.
func (a *sequenced) ReceiveOn(worker int, p *peer, pk netsys.Packet) error {
	m, err := a.in.Receive(worker, p.inputs, pk)
	if m != nil {
		p.passOn(pk, m)
		p.report.Take(m.Newest, p.inputs.Newest(), &m.Report)
	}
	return err
}

// passOn passes on what a message had besides inputs: which baselines the client asks for.
func (p *peer) passOn(pk netsys.Packet, m *wire.Input) {
	if pk.Newest {
		p.snapshot.Ask(m.Epoch)
	}
}

// Run is the system ServerApply.
func (a *sequenced) Run(w *ecs.World) { a.in.Run(w) }

// Ready begins a tick: nobody waits for inputs.
func (a *sequenced) Ready() bool {
	a.s.world.Netcode().SetTick(a.s.link.tick)
	a.s.followed.all.Start(a.s.link.tick)
	return true
}

// Done ends it.
func (a *sequenced) Done() {
	s := a.s
	s.followed.all.Done()
	s.world.Netcode().SkipNobody()
	a.judge()
	s.snapshots.Step()
}

// judge compares, at the end of a tick, what clients report with what became of their
// inputs here.
func (a *sequenced) judge() {
	s := a.s
	if s.report == nil {
		return
	}
	s.report.List()
	for _, p := range s.sessions.peers.All() {
		s.report.Compare(p.report, p.inputs.Consumed(), p.inputs.Running())
	}
}

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
	if err := m.in.Enter(p.inputs, string(m.s.link.endpoint.Login(p.Session)), back); err != nil {
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
func (m *rewinder) Depart(gone []uint32) {
	for _, id := range gone {
		m.in.Depart(id)
	}
}

// Plays is true: a player comes with the tick after its session's begin.
func (*rewinder) Plays(*peer) bool { return true }

// Command makes a player do something in the tick that comes.
func (m *rewinder) Command(player uint32, command string) { m.in.Command(player, command) }

// Receive takes in a message of inputs.
func (m *rewinder) Receive(p *peer, pk netsys.Packet) {
	switch msg, err := m.in.Receive(p.inputs, pk); {
	case err != nil:
		m.s.sessions.Refuse(p.Client, err)
	case msg != nil:
		p.passOn(pk, msg)
	}
}

// own is the value after the tick that own state tells of.
func (m *rewinder) own(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.in.Own(p.inputs, e, c)
}

// snapshotTeller sends clients states of the world.
type snapshotTeller struct {
	s     *Server
	told  []*peer          // who has packets
	links []netsys.Session // of these
	send  func(worker, i int)
}

// newSnapshotTeller makes the teller of a server.
func newSnapshotTeller(s *Server) *snapshotTeller {
	t := &snapshotTeller{s: s}
	t.send = t.sendTo
	return t
}

// Join begins to tell a client.
func (t *snapshotTeller) Join(p *peer) {
	p.snapshot = t.s.snapshots.Add(p.ID, snapshotPeer{t.s, p}, t.s.link.endpoint.Tag(p.Session))
}

// Leave lets go of the state with which a client was to join.
func (t *snapshotTeller) Leave(p *peer) { t.s.snapshots.Remove(p.snapshot) }

// Acked notes what a client holds.
func (t *snapshotTeller) Acked(p *peer, seq uint16) {
	if tick, ok := t.s.snapshots.Acked(p.snapshot, seq); ok {
		p.acked = max(p.acked, tick)
	}
}

// Run is the system Snapshot.
func (t *snapshotTeller) Run(w *ecs.World) { t.s.snapshots.Run(w) }

// Send is the system Send: it hands the packets of a send to the sessions.
func (t *snapshotTeller) Send(*ecs.World) {
	s := t.s
	t.told, t.links = t.told[:0], t.links[:0]
	for _, p := range s.sessions.peers.All() {
		if len(p.snapshot.Packets()) > 0 {
			t.told, t.links = append(t.told, p), append(t.links, p.Session)
		}
	}
	s.link.endpoint.Spread(s.link.now, t.links, t.send)
	clear(t.told) // so that nobody who leaves is kept
	clear(t.links)
	s.link.endpoint.Flush(s.link.now)
}

// sendTo sends the packets of one client, on a worker.
func (t *snapshotTeller) sendTo(_, i int) {
	p := t.told[i]
	packets := p.snapshot.Packets()
	for k := range packets {
		if seq, ok := t.s.sessions.Send(p.Client, packets[k].Bytes); ok {
			p.snapshot.Sent(seq, &packets[k])
		}
	}
	p.snapshot.Clear()
}

// status says what the server knows of a client that is sent states.
func (t *snapshotTeller) status(p *peer, st ClientStatus) ClientStatus {
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

func (x snapshotPeer) Ack() (input uint32, depth uint8, shift int16) { return x.p.inputs.Ack() }

func (x snapshotPeer) Touch() byte { return x.p.inputs.Touch() }

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
