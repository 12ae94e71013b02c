package interpolate

import (
	"math"

	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// between draws other clients' entities between the two confirmed states around the playback head.
type between struct{ *states }

func (b between) draw(float64) progress {
	b.was = b.head
	b.head, b.oldest = b.clock.Advance(b.now()), math.MaxUint32
	head := b.sight.startFrame(b.head)
	p := moves
	for _, r := range b.mirror.Entities.All() {
		f := b.figures.Of(r)
		switch {
		case r.Removed.Tick != 0 && (head >= float64(r.Removed.Tick) || r.Simulated):
			b.hide(r.ID, f)
		case r.Removed.Tick == 0 && r.Entity.IsZero(): // not placed yet: it may be one that the client draws as its own spawn
		case b.world.Netcode().Suspended(r.Entity):
			b.hide(r.ID, f)
		case !r.Entity.IsZero() && b.simulates(r.Entity):
			b.drawWorld(r.ID, f, r.Entity, true)
		case b.clock.Running():
			p = max(p, b.drawBetween(r, f, head))
		}
	}
	b.drawSpawns()
	if b.coSimulated() && b.sight.votes == 0 && b.sight.from == 0 {
		b.sight = sight{} // all entities are drawn at the present tick
	}
	if !b.clock.Running() {
		return moves
	}
	b.mirror.Retain(b.head, b.oldest)
	return max(p, b.clock.progress())
}

// drawBetween writes the state of an entity at the playback head into the view.
func (b between) drawBetween(r *mirror.Replica, f *figure, head float64) progress {
	h, p := b.mirror.Store.World.Groups[r.At.Group], b.around(r, head)
	from, to := p.from, p.to
	switch {
	case from == nil:
		return moves // not in sight yet
	case p.gone:
		b.hide(r.ID, f)
		return moves
	}
	from, to = f.keepSegment(r, h, from, to, head)
	if to != nil {
		b.oldest = min(b.oldest, from.Tick)
	}
	b.sight.between(from, to)
	g := b.segmentOf(r, h, from, to, head)
	jumps := b.jumpsOf(b.view, f.entity)
	b.show(r.ID, f, g.mask|r.Private, false)
	kept := b.keepAhead(r, f, h, from, to, head)
	b.drawSegment(b.view, f.entity, &g)
	f.noteSegment(from, to, g.ahead > 0)
	f.checkJump(jumps, b.jumpsOf(b.view, f.entity))
	if kept {
		b.startFade(f.error, b.view, f.entity, b.time(), b.errors)
	}
	if r.Private != 0 && !r.Entity.IsZero() {
		b.copy(f.entity, r.Entity, r.Private)
	}
	b.drawFades(f)
	switch {
	case to != nil || r.Removed.Tick != 0 || head <= float64(from.Tick)+reached:
		return moves
	case head < float64(from.Tick)+b.clock.beyond():
		return continues
	}
	return stalls
}

// segmentOf returns the segment by which to draw an entity at a head. An entity without a later state continues, unless the client
// knows that it was removed.
func (b between) segmentOf(r *mirror.Replica, h *mirror.History, from, to *mirror.State, head float64) segment {
	k := int(r.At.Slot)
	g := segment{mask: from.Masks[k], rec: from.Record(k)}
	switch {
	case to != nil:
		if to.Masks[k] == g.mask && !b.jumped(g.mask, g.rec, to.Record(k)) {
			g.next = to.Record(k)
			g.share = (head - float64(from.Tick)) / float64(to.Tick-from.Tick)
			g.seconds = float64(to.Tick-from.Tick) * b.step
		}
	case r.Removed.Tick == 0:
		g.ahead = (head - float64(from.Tick)) * b.step
		old, _, _ := h.Around(from.IDs[k], int32(k), float64(from.Tick)-0.5)
		if old != nil && old.Masks[k] == g.mask && !b.jumped(g.mask, old.Record(k), g.rec) {
			g.before, g.interval = old.Record(k), float64(from.Tick-old.Tick)*b.step
		}
	}
	return g
}

// keepAhead stores where an entity would be drawn without the newest state, if the last frame extrapolated it and
// this frame does not, or extrapolates from another state.
func (b between) keepAhead(r *mirror.Replica, f *figure, h *mirror.History, from, to *mirror.State, head float64) (kept bool) {
	old := h.At(f.ahead)
	if b.smoothing.Off || f.ahead == 0 || to == nil && f.ahead == from.Send || old == nil || !old.Says(r.ID, r.At.Slot) ||
		old.Masks[r.At.Slot] != from.Masks[r.At.Slot] || b.view.Netcode().Mask(f.entity)&old.Masks[r.At.Slot] != old.Masks[r.At.Slot] {
		return false
	}
	if b.jumped(old.Masks[r.At.Slot], old.Record(int(r.At.Slot)), from.Record(int(r.At.Slot))) {
		f.error.drop()
		return false
	}
	g := b.segmentOf(r, h, old, nil, head)
	if b.was < float64(old.Tick)+b.clock.beyond() {
		g.more = min((b.head-b.was)*b.step, b.beyond) // otherwise it would stand still in a frame in which it reaches the bound
	}
	b.drawSegment(b.view, f.entity, &g)
	return b.keepDrawn(f, b.view, f.entity, g.mask, b.time())
}
