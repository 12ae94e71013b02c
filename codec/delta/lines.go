package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// This file codes entities with lines. If all lines of an entity continue, it takes one bit:
//
//	entity = other news? [other fields] | line news? [set …]
//	set    = news? | bent? | change · step · off by     a line with another change
//	                       | jumped by                  or one that continues elsewhere
//	change = along the heading? | none? | listed? index | as fast, turned? by | difference
//	step   = that of the set before? | difference to that of the entity before
//
// "News" means a deviation from the lines. A set is a group of lines that bend together: the place of the entity, or one field.
// A list has the most frequent changes of the baseline. The contexts include the preceding entities in slot order, because
// entities that were created in sequence often turn in sequence.

// linesEntity codes an entity that has a baseline and lines.
func (c *blockCoder) linesEntity() {
	w := &c.w
	l := c.line.planFor(w.plan)
	cur, base := w.part.cur.Record(w.slot), w.part.base.Record(w.slot)
	if w.plan.lines > 0 {
		c.otherFields(l, cur, base)
	}
	news, moving := l.compareLines(l.words, cur, base, w.span)
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
			l.extendLines(l.words, cur, base, w.span)
		}
		w.done()
		return
	}
	c.line.news |= 1
	told, step := 0, -1
	for i := range l.sets {
		s := &l.sets[i]
		c.begin(s.words[0].f)
		ctx := l.ctx + lnSets + s.class*lnSet
		news, moving := l.compareLines(s.words, cur, base, w.span)
		if told > 0 || i < len(l.sets)-1 {
			at := 2 * told
			if moving {
				at++
			}
			news = c.flag(ctx+lsNews+at, news && !c.Reading)
		} else {
			news = true // at least one set has news
		}
		if news {
			step = c.changedSet(l, s, ctx, cur, base, moving, told, step)
			told = 1
		} else if c.Reading {
			l.extendLines(s.words, cur, base, w.span)
		}
	}
	c.begin(nil)
	w.done()
}

// otherFields codes the fields that are not lines.
func (c *blockCoder) otherFields(l *linePlan, cur, base []int32) {
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
	c.plainFields()
	if w.plan.plain < w.plan.lines {
		c.motionFields(w.expectedMode())
	}
}

// changedSet codes a set with news. It returns the step of the bend, or the given step if the set did not bend.
func (c *blockCoder) changedSet(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told, step int) int {
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
			ahead := f.ahead(base, w.span)
			d := c.grained(s, ctx, ctx+lsJump, f.minus(cur[f.at], ahead))
			if c.Reading {
				cur[f.at], cur[f.at+1] = f.wrap(int64(ahead)+int64(d)), base[f.at+1]
			}
		}
		return step
	}
	c.codeChange(l, s, ctx, cur, base, moving, told)
	all, at := w.span.Steps(), 0
	if !c.Reading {
		at = bendStep(s.words, cur, base, w.span)
	}
	if step >= 0 && c.flag(l.ctx+lnSame, at == step && !c.Reading) {
		at = step
	} else {
		at = c.codeStep(l, at, all)
	}
	l.step = at

	off := false
	var to [3]int32
	for i := range s.words {
		f := &s.words[i]
		to[i] = f.wrap(int64(base[f.at]) + w.span.Bend(base[f.at+1], cur[f.at+1], at))
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

// newLines codes the lines of an entity without a baseline, set by set.
func (c *blockCoder) newLines() {
	w := &c.w
	l := c.line.planFor(w.plan)
	for i := range l.sets {
		s := &l.sets[i]
		for j := range s.words {
			f := s.words[j].f
			c.begin(f)
			w.cur[f.at] = c.grained(s, l.ctx+lnSets+s.class*lnSet, f.ctx, w.cur[f.at])
		}
		if s.class != 1 || l.along == nil || len(s.words) > 2 || !c.arrives(l, s) {
			c.newChange(l, s)
		}
	}
}

// newChange codes the change of a set of an entity without a baseline.
func (c *blockCoder) newChange(l *linePlan, s *lineSet) {
	w := &c.w
	var v [3]int32
	for i := range s.words {
		v[i] = w.cur[s.words[i].at+1]
	}
	l.makeList(w, s)
	if s.listed > 0 && c.codeListed(s, l.ctx+lnSets+s.class*lnSet, nil, &v) {
		for i := range s.words {
			w.cur[s.words[i].at+1] = v[i]
		}
		return
	}
	for i := range s.words {
		f := s.words[i].f
		c.word(f, 1)
		at := f.ctx + rowSize + 1
		r := c.row(at)
		v[i] = c.Number(r, r, c.lot(ctxNumberLot), &c.ctx[at+rowSize], v[i])
		w.cur[f.at+1] = v[i]
	}
	if s.add(v); s.class == 1 && l.along != nil {
		l.speed = whole.Along(v[0], v[1], l.along.Turn(w.cur[l.angle]), max(l.speed, 0))
	}
}

// arrives codes whether the place of an entity without a baseline moves along its heading as fast as that of the last one, or
// rests. It sets its change if so.
func (c *blockCoder) arrives(l *linePlan, s *lineSet) bool {
	cur, x, y := c.w.cur, s.words[0].at+1, s.words[1].at+1
	vx, vy := cur[x], cur[y]
	if l.speed > 0 {
		hx, hy := Toward(l.speed, l.along.Turn(cur[l.angle]))
		if c.flag(l.ctx+lnArrives, vx == hx && vy == hy && !c.Reading) {
			cur[x], cur[y] = hx, hy
			return true
		}
	}
	if c.flag(l.ctx+lnArrives+1, vx == 0 && vy == 0 && !c.Reading) {
		cur[x], cur[y] = 0, 0
		return true
	}
	return false
}

// codeStep codes the step of a bend, out of all steps, as the difference to the previous bend, modulo all.
func (c *contextCoder) codeStep(l *linePlan, at, all int) int {
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

// codeChange codes the change per send of a set that bent.
func (c *blockCoder) codeChange(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told int) {
	var v, was [3]int32
	none := true
	for i := range s.words {
		at := s.words[i].at + 1
		v[i], was[i] = cur[at], base[at]
		none = none && v[i] == 0
	}
	rest := 0 // components from here on are coded as differences
	switch {
	case s.class == 1 && l.along != nil && c.codeHeading(l, s, ctx, cur, base, moving, told, &v):
		rest = 2
	case moving && c.flag(ctx+lsNone, none && !c.Reading):
		v, rest = [3]int32{}, len(s.words)
	default:
		l.makeList(&c.w, s)
		if s.listed > 0 && c.codeListed(s, ctx, &was, &v) {
			rest = len(s.words)
		} else if s.class == 1 && l.even && c.codeTurn(l, s, ctx, &was, &v) {
			rest = 2
		}
	}
	for i := rest; i < len(s.words); i++ {
		r := c.row(ctx + lsDiff)
		v[i] = was[i] + c.Number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsDiffS], v[i]-was[i])
	}
	if rest == 0 {
		s.add(v)
	}
	if c.Reading {
		for i := range s.words {
			cur[s.words[i].at+1] = v[i]
		}
	}
}

// codeHeading codes whether the first two components follow from the heading, and sets them if so.
func (c *blockCoder) codeHeading(l *linePlan, s *lineSet, ctx int, cur, base []int32, moving bool, told int, v *[3]int32) bool {
	speed := l.headingSpeed(&c.w, s, base)
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

// codeTurn codes whether the first two components of a change have the previous or the typical length. If so, it codes
// their direction in 256ths of a turn, and the remaining difference.
func (c *blockCoder) codeTurn(l *linePlan, s *lineSet, ctx int, was, v *[3]int32) bool {
	pace := l.typicalPace(&c.w, s)
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

// codeListed codes whether a change is in the list, and its index. The index skips the previous change of the set, if there is
// one, because it cannot recur.
func (c *contextCoder) codeListed(s *lineSet, ctx int, was, v *[3]int32) bool {
	pass, at := s.listed, -1
	for i := range s.list[:s.listed] {
		switch x := s.list[i].v; {
		case was != nil && x == *was:
			pass = i
		case x == *v:
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

// grained codes a number as a multiple of a power of two if the earlier ones of the set were such multiples. row is the first
// of a row and a sign.
func (c *contextCoder) grained(s *lineSet, ctx, row int, d int32) int32 {
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
	r := c.row(row)
	return c.Number(r, r, c.lot(ctx+lsLot), &c.ctx[row+rowSize], d>>s.grain) << s.grain
}
