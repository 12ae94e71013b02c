package delta

import "math/bits"

// stir codes whether an entity that stood still has news. It is the part that all
// entities of a resting world take.
func (c *blockCoder) stir() bool {
	w := &c.w
	p, k := w.part, w.slot
	base := p.base.Record(k)
	near := 63
	if a := w.parent; a != nil {
		near = w.near(base, &a.now)
	}
	moving := p.kept2 &^ p.still
	if c.calm(near, moving) {
		return false
	}
	news := uint32(0)
	if p.held>>k&1 == 0 {
		news = 1
	}
	around := int(moving<<1>>k&1+moving>>1>>k&1) * 2
	if at := w.plan.flag; at >= 0 {
		around += int(base[at] & 1)
	}
	last := int(c.news & 3)
	news = c.pair(&c.ctx[ctxNear+near*4+last], &c.ctx[ctxAround+around*4+last], news)
	c.news = c.news<<1 | news
	return news != 0
}

// runLength is the number of slots of a run: entities that stand still in a row
// have one bit together if none of them has news. It divides GroupSize.
const runLength = 16

// calm codes, at the first entity of a run, whether none of the run has news, and
// if so, takes the others off the walk.
func (c *blockCoder) calm(near int, moving uint64) bool {
	w := &c.w
	p, k := w.part, w.slot
	first := k &^ (runLength - 1)
	run := uint64(1<<runLength-1) << first
	if p.asked&run != 0 {
		return p.calm>>k&1 != 0
	}
	p.asked |= run
	all := p.slots & run
	if !c.reading {
		p.held |= quiet(p.cur, p.base, p.kept&run)
	}
	if (p.kept&^moving)&all != all || all&(all-1) == 0 || w.plan.rated {
		return false
	}
	mask := w.plan.mask
	for s := all; s != 0; s &= s - 1 {
		if p.cur.Masks[bits.TrailingZeros64(s)] != mask {
			return false
		}
	}
	quietNow := uint32(0)
	if p.held&all == all {
		quietNow = 1
	}
	around := 0
	if moving>>first>>runLength&(1<<runLength-1) != 0 {
		around++
	}
	if moving<<(63-first)<<1>>(64-runLength) != 0 {
		around += 2
	}
	last := int(c.runs & 3)
	quietNow = c.pair(&c.ctx[ctxCalmNear+near*4+last], &c.ctx[ctxCalm+around*4+last], quietNow)
	c.runs = c.runs<<1 | quietNow
	if quietNow == 0 {
		return false
	}
	p.calm |= all
	p.done |= all & w.left
	w.left &^= all
	c.news = 0
	return true
}

// near is how near a record is to a place, as a context below 63.
func (w *walk) near(rec []int32, to *[3]int64) int {
	d := int64(0)
	for i, at := range w.plan.place {
		if at >= 0 {
			d = max(d, abs(int64(rec[at])-to[i]))
		}
	}
	return fine(d)
}

// fine is twice the binary logarithm, as a context below 63.
func fine(d int64) int {
	if d < 2 {
		return int(d)
	}
	n := bits.Len64(uint64(d))
	return min(2*n-2+int(d>>(n-2)&1), 62)
}
