package delta

import "math/bits"

// turns codes whether the first two components of a change are as fast as they
// were, or as others are, in another direction, and which: in parts of 1/256 of a
// turn, and what is missing to it.
func (c *blockCoder) turns(l *linePlan, s *lineSet, ctx int, was, v *[3]int32) bool {
	pace := c.pace(l, s)
	from := uint8(0)
	if was[0] != 0 || was[1] != 0 {
		if n := speedOf(was[0], was[1]); abs(int64(n)-int64(pace)) > samePace {
			pace = n
		}
		from = bearing(was[0], was[1])
	}
	turned := false
	if !c.reading {
		turned = abs(int64(speedOf(v[0], v[1]))-int64(pace)) <= samePace
	}
	if pace <= 0 || !c.flag(ctx+lsTurns, turned) {
		return false
	}
	to := uint8(0)
	if !c.reading {
		to = bearing(v[0], v[1])
	}
	r, lot := c.row(ctx+lsTurn), c.lot(ctx+lsLot)
	to = from + uint8(c.number(r, r, lot, &c.ctx[ctx+lsTurnS], int32(int8(to-from))))
	x, y := Toward(pace, uint32(to)<<24)
	if c.flag(ctx+lsAside, (v[0] != x || v[1] != y) && !c.reading) {
		r := c.row(ctx + lsOffBy)
		x += c.number(r, r, lot, &c.ctx[ctx+lsOffS], v[0]-x)
		y += c.number(r, r, lot, &c.ctx[ctx+lsOffS], v[1]-y)
	}
	v[0], v[1] = x, y
	return true
}

// samePace is by how much rounding lets the length of a change vary.
const samePace = 2

// pace is the usual length of the change of entities that move: the mean of those
// in the baseline that are as fast as the first.
func (c *blockCoder) pace(l *linePlan, s *lineSet) int32 {
	if l.pace >= 0 {
		return l.pace
	}
	l.pace = 0
	x, y := s.words[0].at+1, s.words[1].at+1
	sum, n := int64(0), int64(0)
	for i := range c.w.parts {
		p := &c.w.parts[i]
		for m := p.kept; m != 0 && n < 64; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask {
				continue
			}
			b := p.base.Record(k)
			v := speedOf(b[x], b[y])
			if v <= 0 || v > 1<<24 || n > 0 && abs(int64(v)-int64(l.pace)) > samePace {
				continue
			}
			if n == 0 {
				l.pace = v
			}
			sum += int64(b[x])*int64(b[x]) + int64(b[y])*int64(b[y])
			n++
		}
	}
	if n > 0 {
		l.pace = int32((root(4*sum/n) + 1) / 2)
	}
	return l.pace
}

// speedOf is the length of a vector, rounded down.
func speedOf(x, y int32) int32 {
	return int32(root(int64(x)*int64(x) + int64(y)*int64(y)))
}

// bearing is the direction of a vector in 256ths of a turn, rounded.
func bearing(x, y int32) uint8 {
	// The quarter that it lies in, turned to the first.
	u, v, quarter := int64(x), int64(y), uint8(0)
	for quarter < 3 && (u <= 0 || v < 0) {
		u, v = v, -u
		quarter++
	}
	// Between the middles of which parts.
	low, high := uint8(0), uint8(64)
	for low < high {
		mid := (low + high) / 2
		a, b := Toward(1<<16, uint32(mid)<<24+1<<23)
		if v*int64(a) < u*int64(b) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return 64*quarter + low
}
