package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// segment is what a view draws an entity by: the record of a state, and that of a later
// one where there is one to move toward.
type segment struct {
	mask     uint64
	rec      []int32
	next     []int32 // nil: none
	share    float64 // of the way to next
	seconds  float64 // from the one to the other
	before   []int32 // of the state before, to carry on from; nil: none
	interval float64 // seconds from that one
	ahead    float64 // seconds beyond the state
}

// recordAt is where the words of a component begin in a record of such a mask.
func (c *Client) recordAt(mask uint64, comp *ecs.Component) (at int) {
	for m := mask & (1<<comp.Replicated() - 1); m != 0; m &= m - 1 {
		at += c.shape.replicated[trailing(m)].Words
	}
	return at
}

// read makes a value of a component of what a record has of it.
func read(into []uint64, comp *ecs.Component, words []int32) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(into))
	comp.Schema.Dequantize(p, words, comp.Words, 1)
	return p
}

// jumped reports whether an entity jumped between two states, by its records in them.
func (c *Client) jumped(mask uint64, rec, next []int32) bool {
	j := c.interpolator.smoother.jumps
	if j == nil || mask&(1<<j.Replicated()) == 0 {
		return false
	}
	at := c.recordAt(mask, j)
	return rec[at] != next[at]
}

// curved reports whether a component of a segment goes on a curve.
func curved(g *segment, comp *ecs.Component) bool {
	return comp.Speeds != nil && g.mask&(1<<comp.Speeds.Replicated()) != 0
}

// drawCurve moves a value on to its share of a curve.
func (c *Client) drawCurve(dst unsafe.Pointer, comp *ecs.Component, g *segment, at int) {
	s, v := &c.interpolator.smoother, comp.Speeds
	rate := c.recordAt(g.mask, v)
	comp.Schema.Hermite(dst, dst, read(s.later, comp, g.next[at:]),
		v.Schema, read(s.from, v, g.rec[rate:]), read(s.to, v, g.next[rate:]), g.seconds, g.share)
}

// carryOn moves a value on from the newest state that there is.
func (c *Client) carryOn(dst unsafe.Pointer, comp *ecs.Component, g *segment, at int) {
	s, seconds := &c.interpolator.smoother, min(g.ahead, comp.Beyond.Seconds())
	switch {
	case curved(g, comp):
		v := comp.Speeds
		comp.Schema.Advance(dst, v.Schema, read(s.from, v, g.rec[c.recordAt(g.mask, v):]), seconds)
	case g.before != nil:
		offset := s.offset[:comp.Schema.Offsets()]
		comp.Schema.Offset(offset, read(s.from, comp, g.before[at:]), dst)
		comp.Schema.Shift(dst, offset, seconds/g.interval)
	}
}

// segmentOf is what to draw an entity by at a head.
func (c *Client) segmentOf(h *mirror.History, from, to *mirror.State, k int, head float64) segment {
	g := segment{mask: from.Masks[k], rec: from.Record(k)}
	step := c.interpolator.clock.step
	switch {
	case to != nil:
		if to.Masks[k] == g.mask && !c.jumped(g.mask, g.rec, to.Record(k)) {
			g.next = to.Record(k)
			g.share = (head - float64(from.Tick)) / float64(to.Tick-from.Tick)
			g.seconds = float64(to.Tick-from.Tick) * step
		}
	case c.interpolator.clock.beyond > 0:
		g.ahead = (head - float64(from.Tick)) * step
		old, _, _ := h.Around(from.IDs[k], int32(k), float64(from.Tick)-0.5)
		if old != nil && old.Masks[k] == g.mask && !c.jumped(g.mask, old.Record(k), g.rec) {
			g.before, g.interval = old.Record(k), float64(from.Tick-old.Tick)*step
		}
	}
	return g
}

// drawSegment writes into the view what a segment makes of an entity's components.
func (c *Client) drawSegment(d *drawn, g *segment) {
	at := 0
	for m := g.mask; m != 0; m &= m - 1 {
		comp := c.shape.replicated[trailing(m)]
		if comp.Words == 0 {
			continue
		}
		dst := c.view.Netcode().Pointer(d.entity, comp)
		comp.Schema.Dequantize(dst, g.rec[at:], comp.Words, 1)
		switch {
		case comp.Mode&ecs.Interpolated == 0:
		case g.share > 0 && curved(g, comp):
			c.drawCurve(dst, comp, g, at)
		case g.share > 0:
			comp.Schema.Lerp(dst, dst, read(c.interpolator.smoother.later, comp, g.next[at:]), g.share)
		case g.ahead > 0 && comp.Beyond > 0:
			c.carryOn(dst, comp, g, at)
		}
		at += comp.Words
	}
}

// keepAhead keeps where an entity would be drawn had there been no news of it, where the
// last frame carried it on and this one does so no longer, or from another state.
func (c *Client) keepAhead(r *mirror.Replica, d *drawn, h *mirror.History, from, to *mirror.State, head float64) (kept bool) {
	old := h.At(d.ahead)
	if c.config.Smoothing.Off || d.ahead == 0 || to == nil && d.ahead == from.Send || old == nil || !old.Says(r.ID, r.At.Slot) ||
		old.Masks[r.At.Slot] != from.Masks[r.At.Slot] || c.view.Netcode().Mask(d.entity)&old.Masks[r.At.Slot] != old.Masks[r.At.Slot] {
		return false
	}
	if c.jumped(old.Masks[r.At.Slot], old.Record(int(r.At.Slot)), from.Record(int(r.At.Slot))) {
		d.settled()
		return false
	}
	g := c.segmentOf(h, old, nil, int(r.At.Slot), head)
	c.drawSegment(d, &g)
	s := &c.interpolator.smoother
	s.poses, s.posed = s.poses[:0], s.posed[:0]
	c.keepPose(r.ID, d, c.view, d.entity, g.mask)
	return true
}

// takeAhead makes the visual error what keepAhead kept and the news of an entity differ by.
func (c *Client) takeAhead(d *drawn) {
	s := &c.interpolator.smoother
	c.takePose(&s.posed[0], c.view, true)
	s.posed = s.posed[:0]
}
