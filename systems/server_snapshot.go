package systems

import (
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// snapshots turns the world into packets, one state a send and client.
type snapshots struct {
	frames   *capture.Ring
	recorder *delta.Recorder // nil: none, or no longer
	lastSend uint32          // before the one at hand
	private  uint64          // components that only the owner may see
	joins    []*joinSnapshot
	codecs   codecs
	encoder  blockEncoder
	planner  planner
	contest  contest
}

// codecs is how states become bytes.
type codecs struct {
	layout       *delta.Layout
	rawLayout    *delta.Layout
	model        *delta.Model
	rawModel     *delta.Model
	trainedModel *delta.Model // for clients that were trained alike
	agreement    agreement
}

// blockEncoder encodes each block once.
type blockEncoder struct {
	encodes  encodes
	cache    blockCache // of the send at hand
	ownArena []byte
	raw      []byte
}

// planner fits blocks into datagrams.
type planner struct {
	packing packing
	long    map[blockKey]longRun
	bigTold map[uint64]bool // component masks of entities that were reported as too big
	unseen  [1]delta.Group
	empty   [1]delta.Group
}

// contest is room for sorting who goes first.
type contest struct {
	candidates []candidate
	order      []slotPriority
}

func (s *Server) initSnapshots() {
	tables := wire.Tables(s.protocol)
	steps, rate := int(s.shape.sendEvery), s.config.SendRate
	s.codecs.layout = delta.NewLayout(tables, steps, rate)
	s.codecs.rawLayout = delta.NewRawLayout(tables, steps, rate)
	s.codecs.model, s.codecs.rawModel = delta.NewModel(s.codecs.layout, nil), delta.NewModel(s.codecs.rawLayout, nil)
	if s.config.Trained.Fits(s.codecs.layout) {
		s.codecs.trainedModel = s.config.Trained.Model(s.codecs.layout)
	}
	s.encoder.encodes.begin(s.config.Coders, s.codecs.trainedModel)
	s.encoder.encodes.accounts.Begin(s.codecs.layout, s.shape.replicated)
	s.codecs.agreement = agreement{trained: s.config.Trained, layout: s.codecs.layout, log: s.config.Logger}
	if s.config.Record != nil {
		s.recorder = delta.NewRecorder(s.config.Record, s.codecs.layout)
	}
	s.frames = capture.New(s.world, s.codecs.layout, steps, s.config.Logger)
	s.planner.long, s.planner.bigTold = make(map[blockKey]longRun), make(map[uint64]bool)
	s.private = wire.Private(s.protocol)
	for k := range delta.GroupSize {
		s.planner.unseen[0].Clear(k, true)
		s.planner.empty[0].Clear(k, false)
	}
}

// snapshot is the system Snapshot: it captures the world when a send is due and
// lays out for each client what that client does not hold.
func (s *Server) snapshot(w *ecs.World) {
	if s.link.tick/s.shape.sendEvery == s.sentAt {
		return
	}
	s.lastSend, s.sentAt = s.sentAt, s.link.tick/s.shape.sendEvery
	f := s.frames.Take(s.sentAt, s.link.tick)
	s.record(f)
	s.encoder.cache.reset()
	s.stats.Sends++
	for _, p := range s.sessions.peers {
		s.encoder.ownArena = s.encoder.ownArena[:0]
		if p.join.at == 0 {
			p.join.at = f.Send
		}
		if p.baselines.Renew() {
			p.join.state, p.join.at = joinNow, f.Send
			s.unpin(p)
		}
		s.plan(w, p, f)
		s.stats.Updates++
	}
}

// controlEvery is after how many sends a header has its control part at the latest.
const controlEvery = 4

// header is what the snapshot of a client begins with.
func (s *Server) header(p *peer, f *capture.Frame) wire.SnapshotHeader {
	ack := p.inputs.Ack()
	h := wire.SnapshotHeader{
		Send:  uint16(f.Send),
		Input: uint16(ack.Input),
		Epoch: p.baselines.Epoch(),
		Depth: ack.Depth,
		Shift: ack.Shift,
		Floor: uint8(min(f.Send-p.baselines.Floor(), 255)),
		Late:  uint8(f.Tick - f.Send*s.shape.sendEvery),
	}
	p.report.Header(&h)
	change := int(h.Depth) - int(p.snap.told.depth)
	h.Control = !p.snap.told.any || p.join.state != joinNone || (f.Send+p.id)%controlEvery == 0 ||
		h.Epoch != p.snap.told.epoch || h.Shift != p.snap.told.shift || change < -2 || change > 2
	if h.Control {
		p.snap.told = told{true, h.Epoch, h.Depth, h.Shift}
	}
	return h
}

// planOwn lays out own state: all of it, or in turn what fits half the budget;
// nothing where that left no room for anything else the last time.
func (s *Server) planOwn(w *ecs.World, p *peer, f *capture.Frame, starved bool) {
	of := s.captureOwn(w, p, f)
	if starved || len(of.groups) == 0 || !s.tellsOwn(p, of) {
		return
	}
	src := source{
		own: true, model: s.codecs.rawModel, second: s.codecs.rawLayout.Second(), oldest: baseline.OwnKept - 1,
		send: f.Send, floor: p.baselines.Floor(), groups: of.groups, held: p.baselines.Own, kind: contentOwn,
	}
	pk := &s.planner.packing
	limit := pk.limit
	pk.limit = limit / 2
	if !s.planWhole(p, &src) {
		for len(p.contest.ownAccrued) < len(src.groups) {
			p.contest.ownAccrued = append(p.contest.ownAccrued, [64]float32{})
		}
		for g := range src.groups {
			for m := src.groups[g].Alive; m != 0; m &= m - 1 {
				p.contest.ownAccrued[g][trailing(m)]++
			}
		}
		s.competeFor(p, &src, p.contest.ownAccrued)
		if pk.limit = limit; !pk.has(contentOwn) {
			s.competeFor(p, &src, p.contest.ownAccrued) // with all of it, where half is not enough for one
		}
	}
	pk.limit = limit
}

// tellsOwn reports whether own state has to travel with a send.
func (s *Server) tellsOwn(p *peer, of *ownFrame) bool {
	tells, since := s.report.Tells(p.report, of.send, of.groups)
	if tells {
		return true
	}
	for g := range p.baselines.Own {
		if of.groups[g].Alive != 0 && !p.baselines.Own[g].HeldSince(since) {
			return true
		}
	}
	return false
}

// emit writes the datagrams of a client's snapshot.
func (s *Server) emit(p *peer, f *capture.Frame, h *wire.SnapshotHeader) {
	pk, accounts := &s.planner.packing, &s.encoder.encodes.accounts
	n := max(pk.datagrams, 1) // at least the header
	total := 0
	p.snap.queue = slices.Grow(p.snap.queue[:0], n)[:n]
	p.snap.send = f.Send
	at := 0
	for d := range n {
		hd := *h
		hd.Control = h.Control && d == 0
		switch {
		case p.join.state == joinNow:
			hd.Join, hd.Groups = true, uint32(len(f.Groups))
			p.join.send = f.Send
		case d < pk.datagrams && pk.kinds[d] == contentJoin:
			hd.Join, hd.Back, hd.Groups, hd.Joined = true, f.Send-p.join.stream.send, uint32(len(p.join.stream.groups)), p.join.stream.late
			p.join.send = p.join.stream.send
		}
		b := wire.AppendSnapshotHeader(p.snap.queue[d].bytes[:0], &hd)
		accounts.Header(len(b))
		holds := p.snap.queue[d].holds[:0]
		age := uint32(0)
		for ; at < len(pk.blocks) && pk.blocks[at].datagram == d; at++ {
			x := &pk.blocks[at]
			last := at+1 == len(pk.blocks) || pk.blocks[at+1].datagram != d
			size := len(b)
			b = append(x.Append(b, age, len(x.body), last), x.body...)
			accounts.Block(&x.BlockHead, len(b)-size, len(x.body), x.costs)
			age = x.Age
			holds = append(holds, baseline.Block{First: x.First, Count: x.Count, Slots: x.Slots, Send: x.send, Chunk: x.chunk, Own: x.Own, Hidden: x.hidden})
			p.baselines.Note(&holds[len(holds)-1])
		}
		p.snap.queue[d] = queued{b, holds}
		total += len(b)
	}
	accounts.Snapshot(n, total)
}

// send is the system Send: it hands the tick's packets to the sessions and
// remembers what each held.
func (s *Server) send(*ecs.World) {
	for _, p := range s.sessions.peers {
		for _, q := range p.snap.queue {
			seq, err := p.session.Send(s.link.now, q.bytes)
			if err != nil {
				s.unsent(err)
				continue
			}
			p.liveness.unacked = true
			p.baselines.Sent(seq, p.snap.send, q.holds)
		}
		p.snap.queue = p.snap.queue[:0]
	}
	s.link.endpoint.Flush(s.link.now)
}

// acked takes in that a client received a packet.
func (s *Server) acked(p *peer, seq uint16) {
	x := p.baselines.Acked(seq)
	if x == nil {
		return
	}
	for i := range x.Blocks {
		if b := &x.Blocks[i]; b.Chunk >= 0 {
			s.arrived(p, b.Send, b.Chunk)
		}
	}
	if f := s.frames.At(x.Send); f != nil {
		p.joined(x.Send, len(f.Groups))
		s.has(p.id, f.Tick)
	}
}
