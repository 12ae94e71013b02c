package interpolate

import (
	"math"

	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// draw draws other clients' entities between the two confirmed states around the playback head, or damped: as they are in
// the newest state, moved by what is left of the differences to earlier ones.
func (s *states) draw(float64) progress {
	damps, newest := s.damping != nil, s.mirror.Newest.Tick
	s.was, s.oldest = s.head, math.MaxUint32
	if s.head = float64(newest); !damps {
		s.head = s.clock.Advance(s.now())
	}
	head := s.sight.startFrame(s.head)
	if damps {
		s.sight.from, s.sight.votes = newest, 1
	}
	p := moves
	for _, r := range s.mirror.Entities.All() {
		f := s.figures.Of(r)
		switch {
		case r.Removed.Tick != 0 && (head >= float64(r.Removed.Tick) || r.Simulated || damps):
			s.hide(r.ID, f)
		case r.Removed.Tick == 0 && r.Entity.IsZero(): // not placed yet: it may be one that the client draws as its own spawn
		case s.world.Netcode().Suspended(r.Entity):
			s.hide(r.ID, f)
		case !r.Entity.IsZero() && (damps || s.simulates(r.Entity)):
			s.drawWorld(r.ID, f, r.Entity, s.simulates(r.Entity))
		case s.clock.Running():
			p = max(p, s.drawBetween(r, f, head))
		}
	}
	s.drawSpawns()
	if damps {
		return s.awaitNext(newest)
	}
	if s.coSimulated() && s.sight.votes == 0 && s.sight.from == 0 {
		s.sight = sight{} // all entities are drawn at the present tick
	}
	if !s.clock.Running() {
		return moves
	}
	s.mirror.Retain(s.head, s.oldest)
	return max(p, s.clock.progress())
}

// drawBetween writes the state of an entity at the playback head into the view.
func (s *states) drawBetween(r *mirror.Replica, f *figure, head float64) progress {
	h, p := s.mirror.Store.World.Groups[r.At.Group], s.around(r, head)
	from, to := p.from, p.to
	switch {
	case from == nil:
		return moves // not in sight yet
	case p.gone:
		s.hide(r.ID, f)
		return moves
	}
	from, to = f.keepSegment(r, h, from, to, head)
	if to != nil {
		s.oldest = min(s.oldest, from.Tick)
	}
	s.sight.between(from, to)
	g := s.segmentOf(r, h, from, to, head)
	jumps := s.jumpsOf(s.view, f.entity)
	s.show(r.ID, f, g.mask|r.Private, false)
	kept := s.keepAhead(r, f, h, from, to, head)
	s.drawSegment(s.view, f.entity, &g)
	f.noteSegment(from, to, g.ahead > 0)
	f.checkJump(jumps, s.jumpsOf(s.view, f.entity))
	if kept {
		s.startFade(f.error, s.view, f.entity, s.time(), s.errors)
	}
	if r.Private != 0 && !r.Entity.IsZero() {
		s.copy(f.entity, r.Entity, r.Private)
	}
	s.drawFades(f)
	switch {
	case to != nil || r.Removed.Tick != 0 || head <= float64(from.Tick)+reached:
		return moves
	case head < float64(from.Tick)+s.clock.beyond():
		return continues
	}
	return stalls
}

// segmentOf returns the segment by which to draw an entity at a head. An entity without a later state continues, unless the client
// knows that it was removed.
func (s *states) segmentOf(r *mirror.Replica, h *mirror.History, from, to *mirror.State, head float64) segment {
	k := int(r.At.Slot)
	g := segment{mask: from.Masks[k], rec: from.Record(k)}
	switch {
	case to != nil:
		if to.Masks[k] == g.mask && !s.jumped(g.mask, g.rec, to.Record(k)) {
			g.next = to.Record(k)
			g.share = (head - float64(from.Tick)) / float64(to.Tick-from.Tick)
			g.seconds = float64(to.Tick-from.Tick) * s.step
		}
	case r.Removed.Tick == 0:
		g.ahead = (head - float64(from.Tick)) * s.step
		old, _, _ := h.Around(from.IDs[k], int32(k), float64(from.Tick)-0.5)
		if old != nil && old.Masks[k] == g.mask && !s.jumped(g.mask, old.Record(k), g.rec) {
			g.before, g.interval = old.Record(k), float64(from.Tick-old.Tick)*s.step
		}
	}
	return g
}

// keepAhead stores where an entity would be drawn without the newest state, if the last frame extrapolated it and
// this frame does not, or extrapolates from another state.
func (s *states) keepAhead(r *mirror.Replica, f *figure, h *mirror.History, from, to *mirror.State, head float64) (kept bool) {
	old := h.At(f.ahead)
	if s.smoothing.Off || f.ahead == 0 || to == nil && f.ahead == from.Send || old == nil || !old.Says(r.ID, r.At.Slot) ||
		old.Masks[r.At.Slot] != from.Masks[r.At.Slot] || s.view.Netcode().Mask(f.entity)&old.Masks[r.At.Slot] != old.Masks[r.At.Slot] {
		return false
	}
	if s.jumped(old.Masks[r.At.Slot], old.Record(int(r.At.Slot)), from.Record(int(r.At.Slot))) {
		f.error.drop()
		return false
	}
	g := s.segmentOf(r, h, old, nil, head)
	if s.was < float64(old.Tick)+s.clock.beyond() {
		g.more = min((s.head-s.was)*s.step, s.beyond) // otherwise it would stand still in a frame in which it reaches the bound
	}
	s.drawSegment(s.view, f.entity, &g)
	return s.keepDrawn(f, s.view, f.entity, g.mask, s.time())
}
