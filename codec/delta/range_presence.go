package delta

import "math/bits"

// presence codes which entities are in the slots of a part. When reading, those
// of the baseline get their words from there.
func (c *blockCoder) presence(p *Part) {
	cur, base := p.Cur, p.Base
	if base != nil {
		if c.flag(ctxSameSlots, !c.reading && unchanged(cur, base, p.Slots)) {
			if c.reading {
				adopt(cur, base, p.Slots)
			}
			return
		}
	}
	was, alive := 1, 1
	for s := p.Slots; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		bit := s & -s
		if base != nil {
			if c.flag(ctxSameSlot+was, !c.reading && unchanged(cur, base, bit)) {
				was = 1
				if c.reading {
					adopt(cur, base, bit)
				}
				continue
			}
			was = 0
		}
		if !c.flag(ctxAlive+alive, cur.Alive&bit != 0) {
			alive = 0
			hidden := c.flag(ctxHidden, cur.Hidden&bit != 0)
			if c.reading {
				cur.Clear(k, hidden)
			}
			continue
		}
		alive = 1
		id := c.id + 1 + uint32(c.number(c.row(ctxID), c.row(ctxID), c.lot(ctxIDLot), &c.ctx[ctxIDSign], int32(cur.IDs[k]-c.id-1)))
		mask := c.mask
		if !c.flag(ctxSameMask, cur.Masks[k] == mask) {
			mask = 0
			for i := range c.m.layout.Components() {
				if c.flag(ctxMask+i, cur.Masks[k]>>i&1 != 0) {
					mask |= 1 << i
				}
			}
		}
		c.id, c.mask = id, mask
		if c.reading {
			n := c.m.layout.RecordWords(mask)
			if c.words += n; c.words > maxBlockWords {
				return
			}
			rec := cur.Put(k, id, mask, n)
			if base != nil && base.Alive&bit != 0 && base.IDs[k] == id && base.Masks[k] == mask {
				copy(rec, base.Record(k))
			} else {
				clear(rec)
			}
		}
	}
}

// unchanged reports whether the slots of s hold the same entities in a and in b.
func unchanged(a, b *Group, s uint64) bool {
	if (a.Alive^b.Alive)&s != 0 || (a.Hidden^b.Hidden)&s != 0 {
		return false
	}
	s &= a.Alive
	return same(a, b, s) == s
}

// adopt gives the slots of s of dst what src has in them.
func adopt(dst, src *Group, s uint64) {
	if dst.Known == 0 && len(dst.Words) == 0 && src.Known&^s == 0 && src.compact() {
		words := append(dst.Words, src.Words...)
		send := dst.Send
		*dst = *src
		dst.Words, dst.Send = words, send
		return
	}
	for ; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		if bit := s & -s; src.Alive&bit != 0 {
			rec := src.Record(k)
			copy(dst.Put(k, src.IDs[k], src.Masks[k], len(rec)), rec)
		} else {
			dst.Clear(k, src.Hidden&bit != 0)
		}
	}
}

// compact reports whether Words has nothing but the records of alive slots.
func (g *Group) compact() bool {
	n := 0
	for s := g.Alive; s != 0; s &= s - 1 {
		n += int(g.size[bits.TrailingZeros64(s)])
	}
	return n == len(g.Words)
}
