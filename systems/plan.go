package systems

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A snapshot is laid out for one client at a time. Own state goes first. If the
// rest fits the budget all of it goes, in as few blocks as there are baselines;
// where it does not, groups compete (see budget.go).

// source is the groups that a snapshot tells of: the world's, or a client's own
// entities'.
type source struct {
	own    bool
	model  *delta.Model
	second bool   // predictions gain from a second baseline
	oldest uint32 // age that a baseline may have
	send   uint32
	floor  uint32
	groups []delta.Group
	held   []baseline.Group
	kind   content
}

// at is the state of a source at an earlier send of its ring.
func (s *Server) at(p *peer, src *source, send uint32) []delta.Group {
	if src.own {
		return p.ownAt(send)
	}
	if f := s.frames.At(send); f != nil {
		return f.Groups
	}
	return nil
}

// encodeBlock returns a block of a source with its body.
func (s *Server) encodeBlock(p *peer, src *source, h wire.BlockHead) planned {
	var base, base2 []delta.Group
	if h.Age > 0 {
		base = s.at(p, src, src.send-h.Age)
		if h.Two {
			base2 = s.at(p, src, src.send-h.Age-1)
		}
	}
	var b encoded
	if src.own {
		b = s.encoder.encodes.fresh(&s.encoder.ownArena, src.model, &h, src.groups, base, base2)
		s.encoder.encodes.stats.Own++
	} else {
		b = s.encoder.encodes.world(&s.encoder.cache, src.model, &h, src.groups, base, base2)
	}
	h.Coder = b.coder
	return planned{BlockHead: h, body: b.body, costs: b.costs, send: src.send, chunk: -1}
}

// plan lays out the snapshot of one client and queues its datagrams.
func (s *Server) plan(w *ecs.World, p *peer, f *capture.Frame) {
	pk := &s.planner.packing
	p.baselines.Grow(len(f.Groups))
	s.see(w, p, f)
	streams := f.Send
	if p.join.state == joinStream {
		streams = p.join.stream.send
	}
	p.baselines.Promise(f.Send, streams)
	h := s.header(p, f)
	first, later := h.Sizes()
	if p.join.state == joinNow {
		first, later = first+wire.MaxJoinHeader, later+wire.MaxJoinHeader
	}
	pk.begin(first, later, wire.MaxJoinHeader, p.contest.budget, s.allowed(p))
	starved := p.contest.starved
	p.contest.starved = false
	s.planOwn(w, p, f, starved)
	s.planHidden(p, f)
	src := source{
		model: p.snap.model, second: s.codecs.layout.Second(), oldest: baseline.MaxAge,
		send: f.Send, floor: p.baselines.Floor(), groups: f.Groups, held: p.baselines.World, kind: contentWorld,
	}
	switch {
	case p.join.state == joinStream:
		s.planJoin(w, p, f, &src, starved)
	case s.planWhole(p, &src):
		p.relax()
	case p.join.state == joinNow:
		s.pin(w, p, f)
		s.planJoin(w, p, f, &src, starved)
	default:
		s.compete(w, p, f, &src, pk.limit)
	}
	s.emit(p, f, &h)
}

// allowed is how many bytes a snapshot of a client may have now: what the path takes
// in the estimate of the session, within the budget. An entity that needs more waits
// until that has grown.
func (s *Server) allowed(p *peer) int {
	return min(p.contest.budget, max(p.session.Channels().Allowance(s.link.now), minBudget))
}

// planWhole lays out all that a source has, or nothing when that does not fit.
func (s *Server) planWhole(p *peer, src *source) bool {
	mark := s.planner.packing.load
	var run wire.BlockHead
	like := &baseline.Group{} // which the choice at hand is for
	var age uint32
	var two bool
	for g := range src.groups {
		h := &src.held[g]
		if !p.wants(src, g) || !h.Whole() {
			if !s.planRun(p, src, run) || p.wants(src, g) && !s.planApart(p, src, g) {
				s.planner.packing.rollback(mark)
				return false
			}
			run = wire.BlockHead{}
			continue
		}
		if !h.Like(like) {
			age, two, _ = h.Choose(src.send, src.floor, wire.AllSlots, src.second, src.oldest)
			like = h
		}
		if run.Count > 0 && run.Age == age && run.Two == two {
			run.Count++
			continue
		}
		if !s.planRun(p, src, run) {
			s.planner.packing.rollback(mark)
			return false
		}
		run = wire.BlockHead{Own: src.own, First: uint32(g), Count: 1, Slots: wire.AllSlots, Age: age, Two: two}
	}
	if !s.planRun(p, src, run) {
		s.planner.packing.rollback(mark)
		return false
	}
	return true
}

// planApart lays out a group of which the client holds other states slot by slot.
func (s *Server) planApart(p *peer, src *source, g int) bool {
	hidden, _ := src.held[g].Hidden()
	for slots := ^hidden; slots != 0; {
		run := s.part(src, g, slots)
		if !s.planRun(p, src, run) {
			return false
		}
		slots &^= run.Slots
	}
	return true
}

// part is the block of a group that has most of these slots in one.
func (s *Server) part(src *source, g int, slots uint64) wire.BlockHead {
	age, two, serves := src.held[g].Choose(src.send, src.floor, slots, src.second, src.oldest)
	if age == 0 {
		serves = slots
	}
	return wire.BlockHead{Own: src.own, First: uint32(g), Count: 1, Slots: serves, Age: age, Two: two}
}

// planRun lays out a run of groups, in halves where it is too long for a datagram.
// Halves end where halves of other runs do, so that clients can share them.
func (s *Server) planRun(p *peer, src *source, run wire.BlockHead) bool {
	if run.Count == 0 {
		return true
	}
	pk := &s.planner.packing
	parts := run.Count > 1 || onesIn(run.Slots&src.groups[run.First].Alive) > 1
	if !parts || !s.hopeless(&run, src.send, pk.fresh()) {
		b := s.encodeBlock(p, src, run)
		if pk.add(b, src.kind) {
			return true
		}
		if len(b.body) <= pk.fresh() {
			return false
		}
		s.noteLong(&run, src.send, len(b.body))
	}
	if run.Count > 1 {
		a, b := run.Halve()
		return s.planRun(p, src, a) && s.planRun(p, src, b)
	}
	low, high := halves(run.Slots, src.groups[run.First].Alive)
	if high == 0 {
		s.oversized(p, src, int(run.First), run.Slots)
		run.Slots &^= src.groups[run.First].Alive
		if run.Slots == 0 {
			return true
		}
		return pk.add(s.encodeBlock(p, src, run), src.kind)
	}
	a, b := run, run
	a.Slots, b.Slots = low, high
	return s.planRun(p, src, a) && s.planRun(p, src, b)
}

// halves splits slots so that each part has half of those alive; high is empty when
// only one is.
func halves(slots, alive uint64) (low, high uint64) {
	n := onesIn(slots & alive)
	if n < 2 {
		return slots, 0
	}
	m := slots & alive
	for range n / 2 {
		m &= m - 1
	}
	low = slots & (1<<trailing(m) - 1)
	return low, slots &^ low
}

// longRun remembers how long a run of groups was at a baseline of some age, lately.
type longRun struct {
	send uint32
	size int
}

// longFor is how many sends a run that was much too long for a datagram is not
// tried again.
const longFor = 16

func longKey(run *wire.BlockHead) blockKey {
	return blockKey{first: run.First, count: run.Count, age: min(run.Age, 8)}
}

func (s *Server) noteLong(run *wire.BlockHead, send uint32, size int) {
	if run.Own || run.Slots != wire.AllSlots {
		return
	}
	if len(s.planner.long) > 4*wire.MaxGroups {
		clear(s.planner.long)
	}
	s.planner.long[longKey(run)] = longRun{send, size}
}

// hopeless reports whether a run need not be encoded to know that it is too long.
func (s *Server) hopeless(run *wire.BlockHead, send uint32, room int) bool {
	if run.Own || run.Slots != wire.AllSlots {
		return false
	}
	l, ok := s.planner.long[longKey(run)]
	return ok && send-l.send < longFor && l.size > room+room/4
}
