package systems

import (
	"slices"

	"github.com/tactusgo/tactus/codec/snapshot"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/capture"
)

// snapshots turns the world into packets, one state a send and client.
type snapshots struct {
	frames       *capture.Ring
	layout       *snapshot.Layout
	rawLayout    *snapshot.Layout
	model        *snapshot.Model
	rawModel     *snapshot.Model
	trainedModel *snapshot.Model // for clients that were trained alike
	agreement    agreement
	recorder     *snapshot.Recorder // nil: none, or no longer
	lastSend     uint32             // before the one at hand
	encodes      encodes
	cache        blockCache // of the send at hand
	ownArena     []byte
	packing      packing
	units        []unit
	order        []slotGain
	raw          []byte
	long         map[blockKey]longRun
	pins         []*pinned
	bigTold      map[uint64]bool // component masks of entities that were reported as too big
	unseen       [1]snapshot.Group
	empty        [1]snapshot.Group
	private      uint64 // components that only the owner may see
}

func (s *Server) initSnapshots() {
	tables := tablesOf(s.protocol)
	steps, rate := int(s.sendEvery), s.config.SendRate
	s.layout = snapshot.NewLayout(tables, steps, rate)
	s.rawLayout = snapshot.NewRawLayout(tables, steps, rate)
	s.model, s.rawModel = snapshot.NewModel(s.layout, nil), snapshot.NewModel(s.rawLayout, nil)
	if s.config.Trained.Fits(s.layout) {
		s.trainedModel = s.config.Trained.Model(s.layout)
	}
	s.encodes.begin(s.config.Coders, s.trainedModel)
	s.encodes.accounts.init(s.layout, func(c int) int { return len(s.replicated[c].Schema.Fields) })
	s.agreement = agreement{trained: s.config.Trained, layout: s.layout, log: s.config.Logger}
	if s.config.Record != nil {
		s.recorder = snapshot.NewRecorder(s.config.Record, s.layout)
	}
	s.frames = capture.New(s.world, s.layout, steps, s.config.Logger)
	s.long, s.bigTold = make(map[blockKey]longRun), make(map[uint64]bool)
	s.private = privateMask(s.protocol)
	for k := range snapshot.GroupSize {
		s.unseen[0].Clear(k, true)
		s.empty[0].Clear(k, false)
	}
}

// snapshot is the system Snapshot: it captures the world when a send is due and
// lays out for each client what that client does not hold.
func (s *Server) snapshot(w *ecs.World) {
	if s.tick/s.sendEvery == s.sentAt {
		return
	}
	s.lastSend, s.sentAt = s.sentAt, s.tick/s.sendEvery
	f := s.frames.Take(s.sentAt, s.tick)
	s.record(f)
	s.cache.reset()
	s.stats.Sends++
	for _, p := range s.peers {
		s.ownArena = s.ownArena[:0]
		if p.joinedAt == 0 {
			p.joinedAt = f.Send
		}
		if p.renew(f.Send) {
			s.unpin(p)
		}
		s.plan(w, p, f)
		s.stats.Updates++
	}
}

// controlEvery is after how many sends a header has its control part at the latest.
const controlEvery = 4

// header is what the snapshot of a client begins with.
func (s *Server) header(p *peer, f *capture.Frame) snapshotHeader {
	h := snapshotHeader{
		send:  uint16(f.Send),
		input: uint16(p.inputs.expected - 1),
		epoch: p.epoch,
		depth: p.inputs.depth(),
		shift: p.inputs.slack.units(),
		floor: uint8(min(f.Send-p.floor, 255)),
		late:  uint8(f.Tick - f.Send*s.sendEvery),
	}
	if a := p.advised; a != nil {
		h.agreed, h.open = a.agreed != 0, a.open
		if a.open {
			h.number = a.number
		}
	}
	change := int(h.depth) - int(p.told.depth)
	h.control = !p.told.any || p.joining != joinNone || (f.Send+p.id)%controlEvery == 0 ||
		h.epoch != p.told.epoch || h.shift != p.told.shift || change < -2 || change > 2
	if h.control {
		p.told = told{true, h.epoch, h.depth, h.shift}
	}
	return h
}

// sizes are the lengths of the first header and of those of later datagrams,
// without what joining adds.
func (h *snapshotHeader) sizes() (first, later int) {
	later = 5
	if h.late > 0 {
		later++
	}
	if h.open {
		later++
	}
	first = later
	if h.control {
		first += 5
	}
	return first, later
}

// planOwn lays out own state: all of it, or in turn what fits half the budget;
// nothing where that left no room for anything else the last time.
func (s *Server) planOwn(w *ecs.World, p *peer, f *capture.Frame, starved bool) {
	of := s.captureOwn(w, p, f)
	if starved || len(of.groups) == 0 || !s.tells(p, of) {
		return
	}
	src := source{
		own: true, model: s.rawModel, second: s.rawLayout.Second(), oldest: ownRing - 1,
		send: f.Send, floor: p.floor, groups: of.groups, held: p.own, kind: contentOwn,
	}
	pk := &s.packing
	limit := pk.limit
	pk.limit = limit / 2
	if !s.planWhole(p, &src) {
		for len(p.ownGained) < len(src.groups) {
			p.ownGained = append(p.ownGained, [64]float32{})
		}
		for g := range src.groups {
			for m := src.groups[g].Alive; m != 0; m &= m - 1 {
				p.ownGained[g][trailing(m)]++
			}
		}
		s.competeFor(p, &src, p.ownGained)
		if pk.limit = limit; !pk.has(contentOwn) {
			s.competeFor(p, &src, p.ownGained) // with all of it, where half is not enough for one
		}
	}
	pk.limit = limit
}

// emit writes the datagrams of a client's snapshot.
func (s *Server) emit(p *peer, f *capture.Frame, h *snapshotHeader) {
	pk := &s.packing
	n := max(pk.datagrams, 1) // at least the header
	total := 0
	p.queue = slices.Grow(p.queue[:0], n)[:n]
	p.send = f.Send
	at := 0
	for d := range n {
		hd := *h
		hd.control = h.control && d == 0
		switch {
		case p.joining == joinNow:
			hd.join, hd.groups = true, uint32(len(f.Groups))
			p.joinSend = f.Send
		case d < pk.datagrams && pk.kinds[d] == contentJoin:
			hd.join, hd.back, hd.groups, hd.joined = true, f.Send-p.join.send, uint32(len(p.join.groups)), p.join.late
			p.joinSend = p.join.send
		}
		b := appendSnapshotHeader(p.queue[d].bytes[:0], &hd)
		s.stats.Snapshots.Headers += uint64(len(b))
		holds := p.queue[d].holds[:0]
		age := uint32(0)
		for ; at < len(pk.blocks) && pk.blocks[at].datagram == d; at++ {
			x := &pk.blocks[at]
			last := at+1 == len(pk.blocks) || pk.blocks[at+1].datagram != d
			size := len(b)
			b = append(x.append(b, age, len(x.body), last), x.body...)
			s.stats.Snapshots.count(x, len(b)-size)
			s.encodes.accounts.sent(x, len(b)-size)
			age = x.age
			holds = append(holds, sentBlock{x.first, x.count, x.slots, x.send, x.chunk, x.own, x.hidden})
			if !x.own && !x.hidden {
				for g := x.first; g < x.first+x.count; g++ {
					p.world[g].spoken |= x.slots
				}
			}
		}
		p.queue[d] = queued{b, holds}
		total += len(b)
	}
	s.stats.Snapshots.Datagrams += uint64(n)
	s.stats.Snapshots.Bytes += uint64(total)
	s.stats.Snapshots.Largest = max(s.stats.Snapshots.Largest, total)
}

// send is the system Send: it hands the tick's packets to the sessions and
// remembers what each held.
func (s *Server) send(*ecs.World) {
	for _, p := range s.peers {
		for _, q := range p.queue {
			seq, err := p.session.Send(s.now, q.bytes)
			if err != nil {
				s.unsent(err)
				continue
			}
			p.unheard = true
			p.remember(seq, p.send, q.holds)
		}
		p.queue = p.queue[:0]
	}
	s.endpoint.Flush(s.now)
}

// acked takes in that a client received a packet.
func (s *Server) acked(p *peer, seq uint16) {
	x := p.take(seq)
	if x == nil {
		return
	}
	p.acked(x)
	for i := range x.blocks {
		if b := &x.blocks[i]; b.chunk >= 0 {
			s.arrived(p, b.send, b.chunk)
		}
	}
	if f := s.frames.At(x.send); f != nil {
		p.joined(x.send, len(f.Groups))
		s.has(p.id, f.Tick)
	}
}
