package systems

import (
	"cmp"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client joins with the state of one send. As long as all of that fits one
// snapshot, each send is such a state, until one has arrived whole. Otherwise the
// state of the send at hand is kept, cut into blocks, and these stream, the most
// important first, beside own state and deltas of the groups that have arrived.
type joining uint8

const (
	joinNow    joining = iota // with the send at hand
	joinStream                // with a kept one
	joinNone                  // it has joined
)

// shareJoin is how many sends old a kept state may be when another client joins
// with it.
const shareJoin = 8

// unknownRTT is after how many sends an unacknowledged block of a join is sent again
// while the round trip is not known.
const unknownRTT = 10

// joinSnapshot is a state of the world that is kept for clients to join with.
type joinSnapshot struct {
	send   uint32
	model  *delta.Model
	late   uint8 // see snapshotHeader
	groups []delta.Group
	room   int  // longest body of a block
	all    bool // nothing is left out, so that any client may join with it
	users  int
	cache  blockCache
	chunks []chunk
	big    []wire.BlockHead // slots with entities that fit nowhere: they are told as empty
}

// chunk is a block of a pinned state on its way to a client.
type chunk struct {
	planned
	important float32
	sent      uint32 // send in which it went out last; 0: not yet
	done      bool
}

// join is the delivery of a pinned state to one client.
type join struct {
	*joinSnapshot
	chunks  []chunk
	left    int
	pending []uint16 // by group: chunks that have not arrived
}

// pin begins to stream the state of a send to a client.
func (s *Server) pin(w *ecs.World, p *peer, f *capture.Frame) {
	room := min(netsys.MaxPayload, max(s.planner.packing.budget/2, minBudget/2)) - s.laterHeader() - wire.MaxJoinHeader - wire.MaxBlockHead
	hides := s.hides(p)
	var pin *joinSnapshot
	for _, x := range s.joins {
		if x.all && !hides && x.room == room && x.model == p.snap.model && f.Send-x.send <= shareJoin && x.send > p.join.send && x.send > p.baselines.Floor() {
			pin = x
		}
	}
	if pin == nil {
		pin = &joinSnapshot{send: f.Send, model: p.snap.model, late: uint8(f.Tick - f.Send*s.shape.sendEvery), room: room, all: s.config.Visible == nil && !hides}
		for g := range f.Groups {
			pin.groups = append(pin.groups, p.seen(f, g))
		}
		pin.cache.reset()
		s.cutJoin(pin, wire.BlockHead{Count: uint32(len(pin.groups)), Slots: wire.AllSlots}, s.biggest())
		s.joins = append(s.joins, pin)
	}
	pin.users++
	for _, b := range pin.big {
		p.baselines.LeaveOut(int(b.First), f.Send, b.Slots)
		p.contest.big = true
	}
	j := &join{joinSnapshot: pin, chunks: slices.Clone(pin.chunks), left: len(pin.chunks), pending: make([]uint16, len(pin.groups))}
	for i := range j.chunks {
		c := &j.chunks[i]
		c.chunk = i
		for g := c.First; g < c.First+c.Count; g++ {
			j.pending[g]++
			for m := c.Slots & pin.groups[g].Alive; m != 0; m &= m - 1 {
				c.important = max(c.important, s.importance(w, p, f, int(g), trailing(m)))
			}
		}
	}
	slices.SortStableFunc(j.chunks, func(a, b chunk) int { return -cmp.Compare(a.important, b.important) })
	for i := range j.chunks {
		j.chunks[i].chunk = i
	}
	p.join.stream, p.join.state = j, joinStream
}

// importance says how soon a newcomer needs an entity: its own at once.
func (s *Server) importance(w *ecs.World, p *peer, f *capture.Frame, g, k int) float32 {
	switch e := f.Entity(g, k); {
	case f.Owner(g, k) == p.id:
		return 1e30
	case s.config.Priority == nil || !w.Alive(e):
		return 0
	default:
		return min(s.gain(w, p, f, g, k), 1e29)
	}
}

// hides reports whether there is anything that a client may not see.
func (s *Server) hides(p *peer) bool {
	return slices.ContainsFunc(p.baselines.World, func(h baseline.Group) bool {
		hidden, _ := h.Hidden()
		return hidden != 0
	})
}

// seen is a copy of a group as a client may see it: what is hidden is not there.
func (p *peer) seen(f *capture.Frame, g int) delta.Group {
	hidden, _ := p.baselines.World[g].Hidden()
	cur := &f.Groups[g]
	var c delta.Group
	c.Reset(cur.Send)
	for k := range delta.GroupSize {
		if bit := uint64(1) << k; cur.Alive&^hidden&bit != 0 {
			rec := cur.Record(k)
			copy(c.Put(k, cur.IDs[k], cur.Masks[k], len(rec)), rec)
		} else {
			c.Clear(k, false)
		}
	}
	return c
}

// cutJoin cuts a run of groups of a pinned state into blocks.
func (s *Server) cutJoin(pin *joinSnapshot, run wire.BlockHead, biggest int) {
	if run.Count == 0 {
		return
	}
	b := s.encoder.encodes.world(&pin.cache, pin.model, &run, pin.groups, nil, nil)
	alive := pin.groups[run.First].Alive
	switch {
	case len(b.body) <= pin.room || run.Count == 1 && onesIn(run.Slots&alive) <= 1 && len(b.body) <= biggest:
		run.Coder = b.coder
		pin.chunks = append(pin.chunks, chunk{planned: planned{BlockHead: run, body: b.body, costs: b.costs, send: pin.send}})
	case run.Count > 1:
		x, y := run.Halve()
		s.cutJoin(pin, x, biggest)
		s.cutJoin(pin, y, biggest)
	case onesIn(run.Slots&alive) <= 1:
		// Not even alone: it is told as empty, and the budget leaves it out from now on.
		pin.big = append(pin.big, wire.BlockHead{First: run.First, Slots: run.Slots & alive})
		pin.groups[run.First].Clear(trailing(run.Slots&alive), false)
		clear(pin.cache.blocks) // the bodies of earlier chunks stay where they are
		s.stats.Oversized++
		s.cutJoin(pin, run, biggest)
	default:
		x, y := run, run
		x.Slots, y.Slots = halves(run.Slots, alive)
		s.cutJoin(pin, x, biggest)
		s.cutJoin(pin, y, biggest)
	}
}

// censor takes entities that went out of a client's sight out of the state that
// still streams to it. What was sent of them already it is told to hide.
func (s *Server) censor(j *join, g int, slots uint64) {
	if j.all || g >= len(j.groups) || j.groups[g].Alive&slots == 0 {
		return
	}
	for m := j.groups[g].Alive & slots; m != 0; m &= m - 1 {
		j.groups[g].Clear(trailing(m), false)
	}
	for i := range j.chunks {
		c := &j.chunks[i]
		if uint32(g) >= c.First && uint32(g) < c.First+c.Count && c.Slots&slots != 0 {
			b := s.encoder.encodes.fresh(&j.cache.arena, j.model, &c.BlockHead, j.groups, nil, nil)
			c.body, c.costs, c.Coder = b.body, b.costs, b.coder
		}
	}
}

// biggest is the longest body that a datagram of a join can have.
func (s *Server) biggest() int {
	return min(netsys.MaxPayload, s.planner.packing.budget) - s.laterHeader() - wire.MaxJoinHeader - wire.MaxBlockHead
}

// laterHeader is the longest header that a datagram may have which is not the first,
// without what joining adds.
func (s *Server) laterHeader() int {
	if s.report != nil {
		return 5 + 1 + 1
	}
	return 5 + 1
}

// wants reports whether a snapshot should tell a client of a group: while the state
// that it joins with streams, only of what has arrived or was not there then.
func (p *peer) wants(src *source, g int) bool {
	return src.own || p.join.state != joinStream || g >= len(p.join.stream.pending) || p.join.stream.pending[g] == 0
}

// planJoin lays out deltas and blocks of the state with which a client joins, half
// and half where both have much to tell. A block that did not fit the last time goes
// first.
func (s *Server) planJoin(w *ecs.World, p *peer, f *capture.Frame, src *source, starved bool) {
	pk := &s.planner.packing
	limit := pk.limit
	if starved {
		s.stream(p, f)
	}
	pk.limit = pk.used() + (limit-pk.used())/2
	if !s.planWhole(p, src) {
		s.compete(w, p, f, src, pk.limit)
	}
	pk.limit = limit
	s.stream(p, f)
}

// stream lays out blocks of the state with which a client joins, as many as fit.
func (s *Server) stream(p *peer, f *capture.Frame) {
	wait := s.roundTrip(p)
	for i := range p.join.stream.chunks {
		c := &p.join.stream.chunks[i]
		if c.done || c.sent != 0 && f.Send-c.sent <= wait {
			continue
		}
		if !s.planner.packing.add(c.planned, contentJoin) {
			p.contest.starved = p.contest.starved || !s.planner.packing.has(contentJoin)
			return
		}
		c.sent = f.Send
	}
}

// roundTrip is how many sends pass at least until an acknowledgement can have come.
func (s *Server) roundTrip(p *peer) uint32 {
	st := p.session.Stats()
	if st.RTT == 0 {
		return unknownRTT
	}
	every := time.Second / time.Duration(s.config.SendRate)
	return uint32((st.RTT+2*st.Jitter)/every) + 1
}

// arrived notes that a block of the state that a client joins with has arrived.
func (s *Server) arrived(p *peer, send uint32, i int) {
	if p.join.state != joinStream || p.join.stream.send != send || p.join.stream.chunks[i].done {
		return
	}
	c := &p.join.stream.chunks[i]
	c.done = true
	for g := c.First; g < c.First+c.Count; g++ {
		p.join.stream.pending[g]--
	}
	if p.join.stream.left--; p.join.stream.left == 0 {
		s.unpin(p)
		p.join.state = joinNone
	}
}

// unpin lets go of the state with which a client was to join.
func (s *Server) unpin(p *peer) {
	if p.join.stream == nil {
		return
	}
	if p.join.stream.users--; p.join.stream.users == 0 {
		s.joins = slices.DeleteFunc(s.joins, func(x *joinSnapshot) bool { return x == p.join.stream.joinSnapshot })
	}
	p.join.stream = nil
}

// joined ends the joining of a client that holds a whole send.
func (p *peer) joined(send uint32, groups int) {
	if p.join.state != joinNow || send < p.join.at {
		return
	}
	for g := range groups {
		if p.baselines.World[g].Holds(send) != wire.AllSlots {
			return
		}
	}
	p.join.state = joinNone
}
