package systems

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// readInputs returns a function that processes a message of inputs of a client that receives snapshots. read decodes it.
func readInputs(read func(int, *serverapply.Client, netsys.Packet) (*wire.Input, error)) func(int, *peer, netsys.Packet) error {
	return func(worker int, p *peer, pk netsys.Packet) error {
		m, err := read(worker, p.inputs, pk)
		if m == nil {
			return err
		}
		if pk.Newest {
			p.snapshot.Ask(m.Epoch, m.Every)
		}
		p.report.Receive(m.Newest, p.inputs.Newest(), &m.Report)
		return nil
	}
}

// judgeReports compares the clients' results with the server's state at the end of a tick.
func (s *Server) judgeReports() {
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
			x.Ask(x.Epoch()+1, 0)
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
	st.SendRate = float64(t.s.config.TickRate) / float64(t.s.snapshots.Every(p.snapshot))
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
