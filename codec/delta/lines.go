package delta

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

// linesContexts is how many contexts of its own a field of lines has.
const linesContexts = 2 * (rowSize + 1)

const (
	lineKinds   = 3  // component masks of a block, in the order in which they come up
	lineClasses = 3  // an angle, the place, any other
	lineRun     = 16 // entities since the last one with other news
	lineList    = 16 // commonest changes
)

// Contexts of an entity, for each kind.
const (
	lnOther  = 0
	lnNews   = lnOther + lineRun // was it moving; news of the last three
	lnStep   = lnNews + 2*8
	lnStepS  = lnStep + rowSize
	lnStepL  = lnStepS + 1
	lnSame   = lnStepL + 4*rowSize
	lnSets   = lnSame + 1
	lnEntity = lnSets + lineClasses*lnSet
)

// Contexts of a set, for each class.
const (
	lsNews   = 0          // was it moving; was there news so far
	lsBent   = lsNews + 4 // was it moving
	lsHint   = lsBent + 2 // was it moving; has another set news
	lsNone   = lsHint + 4
	lsListed = lsNone + 1
	lsIndex  = lsListed + 1 // a tree
	lsTurns  = lsIndex + lineList
	lsTurn   = lsTurns + 1
	lsTurnS  = lsTurn + rowSize
	lsAside  = lsTurnS + 1
	lsDiff   = lsAside + 1
	lsDiffS  = lsDiff + rowSize
	lsOff    = lsDiffS + 1
	lsOffBy  = lsOff + 1
	lsOffS   = lsOffBy + rowSize
	lsJump   = lsOffS + 1
	lsJumpS  = lsJump + rowSize
	lsGrain  = lsJumpS + 1
	lsZeros  = lsGrain + 1
	lsLot    = lsZeros + rowSize
	lnSet    = lsLot + 4*rowSize
)

// linesShared is how many contexts the fields of lines have together, from
// ctxLines on.
const linesShared = lineKinds * lnEntity

// expectLines sets the start of the chances of lines: neighbours do alike, lines
// that bend do so where one change follows another, and little else happens. How
// often a thing was seen already says how fast another world is learned.
func (m *Model) expectLines(func(from, n int, p float64), func(from, n int, size func(i int) int)) {
	set := func(at, n int, p float64, seen uint16) {
		for i := range n {
			m.start[at+i] = chance{uint16(p * 65535), seen}
		}
	}
	number := func(at, size int) {
		set(at, size, 0.85, 2)
		set(at+size, rowSize-size, 0.3, 2)
	}
	for kind := range lineKinds {
		at := ctxLines + kind*lnEntity
		set(at+lnOther, lineRun, 0.005, 8)
		for i := range 8 {
			still, moving := 0.02, 0.08
			if i&1 != 0 {
				still, moving = 0.75, 0.65
			}
			set(at+lnNews+i, 1, still, 5)
			set(at+lnNews+8+i, 1, moving, 6)
		}
		set(at+lnStep, 1, 0.65, 4)
		set(at+lnStep+1, rowSize-1, 0.2, 6)
		set(at+lnStepS, 1, 0.8, 2)
		set(at+lnStepL, 4*rowSize, 0.45, 6)
		set(at+lnSame, 1, 0.9, 4)
		for class := range lineClasses {
			at := at + lnSets + class*lnSet
			set(at+lsNews, 2, 0.6, 4)
			set(at+lsNews+2, 2, 0.85, 3)
			set(at+lsBent, 2, 0.7, 0)
			set(at+lsHint, 4, 0.5, 0)
			set(at+lsNone, 1, 0.5, 3)
			set(at+lsListed, 1, 0.9, 3)
			set(at+lsIndex, lineList, 0.5, 6)
			set(at+lsIndex+1, 1, 0.06, 6)
			set(at+lsTurns, 1, 0.5, 0)
			number(at+lsTurn, 4)
			set(at+lsTurnS, 1, 0.5, 8)
			set(at+lsAside, 1, 0.2, 2)
			number(at+lsDiff, 8)
			set(at+lsDiffS, 1, 0.5, 8)
			set(at+lsOff, 1, 0.05, 8)
			number(at+lsOffBy, 5)
			set(at+lsOffS, 1, 0.5, 8)
			number(at+lsJump, 5)
			set(at+lsJumpS, 1, 0.5, 8)
			set(at+lsGrain, 1, 0.95, 5)
			set(at+lsZeros, rowSize, 0.6, 1)
			set(at+lsLot, 4*rowSize, 0.5, 8)
			if class == 1 {
				set(at+lsBent, 2, 0.97, 5)
			}
		}
	}
}

// lined codes an entity with a baseline and lines.
func (c *blockCoder) lined() {
	w := &c.w
	l := c.line.planFor(w.plan)
	cur, base := w.part.cur.Record(w.slot), w.part.base.Record(w.slot)
	if w.plan.lines > 0 {
		c.others(l, cur, base)
	}
	news, moving := l.stray(l.words, cur, base, w.age)
	if c.reading {
		news = false
	}
	at := c.line.news
	if moving {
		at += 8
	}
	news = c.flag(l.ctx+lnNews+at, news)
	c.line.news = c.line.news << 1 & 7
	if !news {
		if c.reading {
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
			news = c.flag(ctx+lsNews+at, news && !c.reading)
		} else {
			news = true // some set has
		}
		if news {
			step = c.set(l, s, ctx, cur, base, moving, told, step)
			told = 1
		} else if c.reading {
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
	if !c.reading {
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
	if !c.flag(ctx+lsBent+was, bent && !c.reading) {
		for i := range s.words {
			f := &s.words[i]
			ahead := f.ahead(base, w.age)
			d := c.jump(s, ctx, f.minus(cur[f.at], ahead))
			if c.reading {
				cur[f.at], cur[f.at+1] = f.wrap(int64(ahead)+int64(d)), base[f.at+1]
			}
		}
		return step
	}
	c.change(l, s, ctx, cur, base, moving, told)
	n := c.m.layout.steps
	all := int(w.age) * n
	at := 0
	if !c.reading {
		at = bendStep(s.words, cur, base, all, n)
	}
	if step >= 0 && c.flag(l.ctx+lnSame, at == step && !c.reading) {
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
	off = c.flag(ctx+lsOff, off && !c.reading)
	for i := range s.words {
		f := &s.words[i]
		d := int32(0)
		if off {
			r := c.row(ctx + lsOffBy)
			d = c.number(r, r, c.lot(ctx+lsLot), &c.ctx[ctx+lsOffS], f.minus(cur[f.at], to[i]))
		}
		if c.reading {
			cur[f.at] = f.wrap(int64(to[i]) + int64(d))
		}
	}
	return at
}

// step codes at which of all steps a line bent, as the difference to the one
// before, the short way round.
func (c *blockCoder) step(l *linePlan, at, all int) int {
	d := at - l.step
	if 2*d > all {
		d -= all
	} else if 2*d <= -all {
		d += all
	}
	r := c.row(l.ctx + lnStep)
	d = int(c.number(r, r, c.lot(l.ctx+lnStepL), &c.ctx[l.ctx+lnStepS], int32(d)))
	if !c.reading {
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
			w.cur[k] = w.pred[k] + c.number(a, a, l, &c.ctx[at+rowSize], w.cur[k]-w.pred[k])
		}
		c.cost(f)
	}
}
