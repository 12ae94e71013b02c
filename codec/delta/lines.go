package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// Entities with fields that are sent as lines. Most of the time such an entity is
// where its lines lead, and that is one bit:
//
//	entity = other news? [other fields] | line news? [set …]
//	set    = news? | bent? | change · step · off by     a line with another change
//	                       | jumped by                  or one that goes on elsewhere
//	change = along the heading? | none? | listed? index | as fast, turned? by | difference
//	step   = that of the set before? | difference to that of the entity before
//
// A set is the lines that bend together: those of the entity's place, or one
// field. A list is the commonest changes of the baseline. What neighbours in the
// order of slots did is a context throughout: entities that were made one after
// the other often turn one after the other.

// lined codes an entity with a baseline and lines.
func (c *blockCoder) lined() {
	w := &c.w
	l := c.line.planFor(w.plan)
	cur, base := w.part.cur.Record(w.slot), w.part.base.Record(w.slot)
	if w.plan.lines > 0 {
		c.others(l, cur, base)
	}
	news, moving := l.stray(l.words, cur, base, w.age)
	if c.Reading {
		news = false
	}
	at := c.line.news
	if moving {
		at += 8
	}
	news = c.flag(l.ctx+lnNews+at, news)
	c.line.news = c.line.news << 1 & 7
	if !news {
		if c.Reading {
			l.goOn(l.words, cur, base, w.age)
		}
		w.done()
		return
	}
	c.line.news |= 1
	c.cost(nil)
	told, step := 0, -1
	for i := range l.sets {
		s := &l.sets[i]
		ctx := l.ctx + lnSets + s.class*lnSet
		news, moving := l.stray(s.words, cur, base, w.age)
		if told > 0 || i < len(l.sets)-1 {
			at := 2 * told
			if moving {
				at++
			}
			news = c.flag(ctx+lsNews+at, news && !c.Reading)
		} else {
			news = true // some set has
		}
		if news {
			step = c.set(l, s, ctx, cur, base, moving, told, step)
			told = 1
		} else if c.Reading {
			l.goOn(s.words, cur, base, w.age)
		}
		c.cost(s.words[0].f)
	}
	w.done()
}

// others codes the fields that are no lines.
func (c *blockCoder) others(l *linePlan, cur, base []int32) {
	w := &c.w
	news := false
	if !c.Reading {
		for _, at := range l.others {
			news = news || cur[at] != base[at]
		}
	}
	if !c.flag(l.ctx+lnOther+c.line.run, news) {
		c.line.run = min(c.line.run+1, lineRun-1)
		return
	}
	c.line.run = 0
	w.open()
	c.plain()
	if w.plan.plain < w.plan.lines {
		c.motion(w.expect())
	}
}

// set codes a set with news and returns the step of its bend, or else step.
func (c *blockCoder) set(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told, step int) int {
	w := &c.w
	bent, was := false, 0
	for i := range s.words {
		at := s.words[i].at + 1
		bent = bent || cur[at] != base[at]
	}
	if moving {
		was = 1
	}
	if !c.flag(ctx+lsBent+was, bent && !c.Reading) {
		for i := range s.words {
			f := &s.words[i]
			ahead := f.ahead(base, w.age)
			d := c.jump(s, ctx, f.minus(cur[f.at], ahead))
			if c.Reading {
				cur[f.at], cur[f.at+1] = f.wrap(int64(ahead)+int64(d)), base[f.at+1]
			}
		}
		return step
	}
	c.change(l, s, ctx, cur, base, moving, told)
	n := c.m.layout.steps
	all := int(w.age) * n
	at := 0
	if !c.Reading {
		at = bendStep(s.words, cur, base, all, n)
	}
	if step >= 0 && c.flag(l.ctx+lnSame, at == step && !c.Reading) {
		at = step
	} else {
		at = c.step(l, at, all)
	}
	l.step = at

	off := false
	var to [3]int32
	for i := range s.words {
		f := &s.words[i]
		to[i] = f.wrap(int64(base[f.at]) + Bend(base[f.at+1], cur[f.at+1], at, all, n))
		off = off || cur[f.at] != to[i]
	}
	off = c.flag(ctx+lsOff, off && !c.Reading)
	for i := range s.words {
		f := &s.words[i]
		d := int32(0)
		if off {
			r := c.row(ctx + lsOffBy)
			d = c.Number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsOffS], f.minus(cur[f.at], to[i]))
		}
		if c.Reading {
			cur[f.at] = f.wrap(int64(to[i]) + int64(d))
		}
	}
	return at
}

// lines codes the lines of an entity without baseline.
func (c *blockCoder) lines(fields []field) {
	w := &c.w
	if w.base != nil {
		return // lined does
	}
	for i := range fields {
		f := &fields[i]
		for j := range f.words {
			// Places and changes have rows of their own.
			at, k := f.ctx+j*(rowSize+1), f.at+j
			a, l := c.row(at), c.lot(ctxNumberLot)
			w.cur[k] = w.pred[k] + c.Number(a, a, l, &c.ctx[at+rowSize], w.cur[k]-w.pred[k])
		}
		c.cost(f)
	}
}

// step codes at which of all steps a line bent, as the difference to the one
// before, the short way round.
func (c *contextCoder) step(l *linePlan, at, all int) int {
	d := at - l.step
	if 2*d > all {
		d -= all
	} else if 2*d <= -all {
		d += all
	}
	r := c.row(l.ctx + lnStep)
	d = int(c.Number(r, r, c.lot(l.ctx+lnStepL), &c.ctx[l.ctx+lnStepS], int32(d)))
	if !c.Reading {
		return at
	}
	if all <= 0 {
		return 0
	}
	if at = (l.step + d) % all; at < 0 {
		at += all
	}
	return at
}

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
	case moving && c.flag(ctx+lsNone, none && !c.Reading):
		v, rest = [3]int32{}, len(s.words)
	default:
		l.makeList(&c.w, s)
		if s.listed > 0 && c.index(s, ctx, &was, &v) {
			rest = len(s.words)
		} else if s.class == 1 && l.even && c.turns(l, s, ctx, &was, &v) {
			rest = 2
		}
	}
	for i := rest; i < len(s.words); i++ {
		r := c.row(ctx + lsDiff)
		v[i] = was[i] + c.Number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsDiffS], v[i]-was[i])
	}
	if rest == 0 && s.listed < lineList {
		s.list[s.listed].v = v
		s.listed++
	}
	if c.Reading {
		for i := range s.words {
			cur[s.words[i].at+1] = v[i]
		}
	}
}

// heads codes whether the first two components follow from the heading, and sets
// them then.
func (c *blockCoder) heads(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told int, v *[3]int32) bool {
	speed := l.speedOf(&c.w, s, base)
	x, y := Toward(speed, l.along.Turn(cur[l.angle]))
	at := told
	if moving {
		at += 2
	}
	if !c.flag(ctx+lsHint+at, v[0] == x && v[1] == y && !c.Reading) {
		return false
	}
	l.speed = speed
	v[0], v[1] = x, y
	return true
}

// turns codes whether the first two components of a change are as fast as they
// were, or as others are, in another direction, and which: in parts of 1/256 of a
// turn, and what is missing to it.
func (c *blockCoder) turns(l *linePlan, s *lineSet, ctx int, was, v *[3]int32) bool {
	pace := l.paceOf(&c.w, s)
	from := uint8(0)
	if was[0] != 0 || was[1] != 0 {
		if n := whole.Length(was[0], was[1]); abs(int64(n)-int64(pace)) > samePace {
			pace = n
		}
		from = whole.Bearing(was[0], was[1])
	}
	turned := false
	if !c.Reading {
		turned = abs(int64(whole.Length(v[0], v[1]))-int64(pace)) <= samePace
	}
	if pace <= 0 || !c.flag(ctx+lsTurns, turned) {
		return false
	}
	to := uint8(0)
	if !c.Reading {
		to = whole.Bearing(v[0], v[1])
	}
	r, lot := c.row(ctx+lsTurn), c.lot(ctx+lsLot)
	to = from + uint8(c.Number(r, r, lot, &c.ctx[ctx+lsTurnS], int32(int8(to-from))))
	x, y := Toward(pace, uint32(to)<<24)
	if c.flag(ctx+lsAside, (v[0] != x || v[1] != y) && !c.Reading) {
		r := c.row(ctx + lsOffBy)
		x += c.Number(r, r, lot, &c.ctx[ctx+lsOffS], v[0]-x)
		y += c.Number(r, r, lot, &c.ctx[ctx+lsOffS], v[1]-y)
	}
	v[0], v[1] = x, y
	return true
}

// index codes whether a change is listed, and which it is: the change that the set
// had is passed over, for it is another.
func (c *contextCoder) index(s *lineSet, ctx int, was, v *[3]int32) bool {
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
		node = node<<1 | int(c.Bit(&c.ctx[ctx+lsIndex+node], bit))
	}
	if at = node - lineList; at >= pass {
		at++
	}
	*v = s.list[min(at, s.listed-1)].v
	return true
}

// jump codes how far a line is off that did not bend: in whole multiples of a
// power of two, if those before were.
func (c *contextCoder) jump(s *lineSet, ctx int, d int32) int32 {
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
	return c.Number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsJumpS], d>>s.grain) << s.grain
}
