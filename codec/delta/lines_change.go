package delta

import "math/bits"

// change codes the change per send of a set that bent.
func (c *blockCoder) change(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told int) {
	var v, was [3]int32
	none := true
	for i := range s.words {
		at := s.words[i].at + 1
		v[i], was[i] = cur[at], base[at]
		none = none && v[i] == 0
	}
	rest := 0 // components from here on are coded as differences
	switch {
	case s.class == 1 && l.along != nil && c.heads(l, s, ctx, cur, base, moving, told, &v):
		rest = 2
	case moving && c.flag(ctx+lsNone, none && !c.reading):
		v, rest = [3]int32{}, len(s.words)
	default:
		c.makeList(l, s)
		if s.listed > 0 && c.index(s, ctx, &was, &v) {
			rest = len(s.words)
		} else if s.class == 1 && l.even && c.turns(l, s, ctx, &was, &v) {
			rest = 2
		}
	}
	for i := rest; i < len(s.words); i++ {
		r := c.row(ctx + lsDiff)
		v[i] = was[i] + c.number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsDiffS], v[i]-was[i])
	}
	if rest == 0 && s.listed < lineList {
		s.list[s.listed].v = v
		s.listed++
	}
	if c.reading {
		for i := range s.words {
			cur[s.words[i].at+1] = v[i]
		}
	}
}

// heads codes whether the first two components follow from the heading, and sets
// them then.
func (c *blockCoder) heads(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told int, v *[3]int32) bool {
	speed := c.speed(l, s, base)
	x, y := Toward(speed, l.along.Turn(cur[l.angle]))
	at := told
	if moving {
		at += 2
	}
	if !c.flag(ctx+lsHint+at, v[0] == x && v[1] == y && !c.reading) {
		return false
	}
	l.speed = speed
	v[0], v[1] = x, y
	return true
}

// speed is the length of the change that an entity has which moves along its
// heading: the one it had, or else that of another entity.
func (c *blockCoder) speed(l *linePlan, s *lineSet, base []int32) int32 {
	vx, vy := s.words[0].at+1, s.words[1].at+1
	if x, y := base[vx], base[vy]; x != 0 || y != 0 {
		return length(x, y, l.along.Turn(base[l.angle]), l.speed)
	}
	if l.speed >= 0 {
		return l.speed
	}
	l.speed = 0
	for i := range c.w.parts {
		p := &c.w.parts[i]
		for m := p.kept; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask {
				continue
			}
			b := p.base.Record(k)
			if x, y := b[vx], b[vy]; x != 0 || y != 0 {
				l.speed = length(x, y, l.along.Turn(b[l.angle]), 0)
				return l.speed
			}
		}
	}
	return 0
}

// length is that of a vector: exactly the one that gives it in a direction, if
// there is one; most likely it is the one given.
func length(x, y int32, turn uint32, likely int32) int32 {
	if a, b := Toward(likely, turn); a == x && b == y {
		return likely
	}
	n := int32(root(int64(x)*int64(x) + int64(y)*int64(y)))
	for _, d := range [...]int32{0, 1, -1} {
		if a, b := Toward(n+d, turn); a == x && b == y {
			return n + d
		}
	}
	return n
}

// index codes whether a change is listed, and which it is: the change that the set
// had is passed over, for it is another.
func (c *blockCoder) index(s *lineSet, ctx int, was, v *[3]int32) bool {
	pass, at := s.listed, -1
	for i := range s.list[:s.listed] {
		switch s.list[i].v {
		case *was:
			pass = i
		case *v:
			at = i
		}
	}
	if !c.flag(ctx+lsListed, at >= 0) {
		return false
	}
	if at > pass {
		at--
	}
	node := 1
	for b := lineList / 2; b > 0; b >>= 1 {
		bit := uint32(0)
		if at&b != 0 {
			bit = 1
		}
		node = node<<1 | int(c.bit(&c.ctx[ctx+lsIndex+node], bit))
	}
	if at = node - lineList; at >= pass {
		at++
	}
	*v = s.list[min(at, s.listed-1)].v
	return true
}

// makeList finds the commonest changes of the first entities in the baseline, once
// in a block. Of those that fall together in the table, only one is counted.
func (c *blockCoder) makeList(l *linePlan, s *lineSet) {
	if s.block == c.line.block {
		return
	}
	s.block, s.listed = c.line.block, 0
	const (
		size = 6   // bits
		most = 128 // entities to look at
	)
	var table [1 << size]lineChange
	left := most
	for i := range c.w.parts {
		p := &c.w.parts[i]
		for m := p.kept; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask || left == 0 {
				continue
			}
			left--
			b := p.base.Record(k)
			var v [3]int32
			h := uint32(0)
			for i := range s.words {
				v[i] = b[s.words[i].at+1]
				h = (h + uint32(v[i])) * 0x9e3779b1 // 2^32 divided by the golden ratio
			}
			e := &table[h>>(32-size)]
			if e.n == 0 {
				e.v = v
			}
			if e.v == v && v != [3]int32{} {
				e.n++
			}
		}
	}
	for i := range table {
		e := table[i]
		if e.n == 0 {
			continue
		}
		k := s.listed
		for k > 0 && s.list[k-1].n < e.n {
			if k < lineList {
				s.list[k] = s.list[k-1]
			}
			k--
		}
		if k < lineList {
			s.list[k] = e
			s.listed = min(s.listed+1, lineList)
		}
	}
}

// jump codes how far a line is off that did not bend: in whole multiples of a
// power of two, if those before were.
func (c *blockCoder) jump(s *lineSet, ctx int, d int32) int32 {
	zeros := min(bits.TrailingZeros32(uint32(d)), 31)
	if s.grain < 0 || !c.flag(ctx+lsGrain, zeros >= s.grain) {
		n := 0
		for n < rowSize-1 && c.flag(ctx+lsZeros+n, zeros > n) {
			n++
		}
		if s.grain < 0 || n < s.grain {
			s.grain = n
		}
	}
	r := c.row(ctx + lsJump)
	return c.number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsJumpS], d>>s.grain) << s.grain
}

// bendStep returns the step at which lines bent that leads closest to where they
// are.
func bendStep(words []lineWord, cur, base []int32, all, n int) int {
	most, at := int64(0), 0
	for i := range words {
		f := &words[i]
		v, u := int64(base[f.at+1]), int64(cur[f.at+1])
		if abs(v-u) <= most {
			continue
		}
		// The line that bent most tells best: gone = (v·S + u·(all−S)) / n.
		most = abs(v - u)
		gone := int64(cur[f.at]) - int64(base[f.at])
		if turn := int64(f.count); turn > 0 {
			// Whole turns do not show; those that a bend halfway makes are likely.
			half := floorDiv((v+u)*int64(all), int64(2*n))
			gone += floorDiv(half-gone+turn/2, turn) * turn
		}
		at = int(min(max((gone*int64(n)-u*int64(all))/(v-u), -2), int64(all)+1))
	}
	best, least := 0, int64(-1)
	for _, d := range [...]int{0, 1, -1, 2} {
		s := max(min(at+d, all-1), 0)
		miss := int64(0)
		for i := range words {
			f := &words[i]
			miss += abs(int64(f.minus(cur[f.at], f.wrap(int64(base[f.at])+Bend(base[f.at+1], cur[f.at+1], s, all, n)))))
		}
		if least < 0 || miss < least {
			best, least = s, miss
		}
		if miss == 0 {
			break
		}
	}
	return best
}
