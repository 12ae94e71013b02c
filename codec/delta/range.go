package delta

import "github.com/tactusgo/tactus/codec"

// blockCoder writes and reads bodies of blocks with the range coder. The two
// directions are one description: what a call codes, it returns, and when reading
// the value given does not matter.
//
//	body     = presence of each part · entities in the order of the walk
//	presence = 1 if all slots hold the entities of the baseline, else for each slot
//	           [same as in the baseline] | alive, ID, components | hidden or not
//	entity   = as predicted? | as in the baseline? | plain fields · mode · motion
type blockCoder struct {
	rangeCoder
	w   walk
	m   *Model
	ctx []chance

	id    uint32 // the last ID that was coded
	mask  uint64 // the last mask
	ref   uint32 // the last ref
	news  uint32 // whether the last entities had news, newest lowest
	words int    // of the entities that were read without a baseline
	runs  uint32 // whether the last runs were calm, newest lowest
	block uint32
	line  linesState
	spent *costs      // or nil
	run   [states]int // size of the largest residual of the last entity, by state
	runQ  [states]int
}

// code codes a block. When reading, Cur of all parts must not know their slots.
func (c *blockCoder) code(m *Model, parts []Part) error {
	c.m = m
	c.ctx = append(c.ctx[:0], m.start...)
	c.first = &c.ctx[0]
	c.id, c.mask, c.ref, c.news, c.runs = 0, 0, 0, 0, 0
	c.words = 0
	c.run, c.runQ = [states]int{}, [states]int{}
	c.block++
	for i := range parts {
		c.presence(&parts[i])
		if c.reading && c.over() {
			return codec.ErrShort
		}
		if c.words > maxBlockWords {
			return codec.ErrTooLarge
		}
	}
	if c.spent != nil {
		c.spent.begin(m)
	}
	w := &c.w
	w.copied = !c.reading
	w.begin(m, parts)
	c.line.begin(c, parts)
	for w.next() {
		c.entity()
		if c.reading && c.over() {
			return codec.ErrShort
		}
	}
	if c.reading {
		return c.end()
	}
	return nil
}

func (c *blockCoder) flag(ctx int, v bool) bool {
	bit := uint32(0)
	if v {
		bit = 1
	}
	return c.bit(&c.ctx[ctx], bit) != 0
}

func (c *blockCoder) row(ctx int) *row { return (*row)(c.ctx[ctx:]) }
func (c *blockCoder) lot(ctx int) *lot { return (*lot)(c.ctx[ctx:]) }

// entity codes the entity at which the walk stands.
func (c *blockCoder) entity() {
	w := &c.w
	bit := uint64(1) << w.slot
	kept := w.part.kept&bit != 0
	expected := modeHold
	switch {
	case !kept:
		w.open()
		c.before()
	case !w.moving && w.plan.lines == len(w.plan.fields):
		if !c.stir() {
			w.done()
			return
		}
		w.open()
	case w.plan.lines < len(w.plan.fields):
		c.lined()
		return
	default:
		w.open()
		if expected = w.expect(); c.foreseen(expected) {
			w.done()
			return
		}
	}
	c.plain()
	if w.plan.plain < len(w.plan.fields) {
		c.motion(expected)
	}
	w.done()
	if !kept {
		w.plan.last = append(w.plan.last[:0], w.cur...)
		w.plan.block = c.block
	}
}

// before predicts an entity without baseline as the last such one of its kind.
func (c *blockCoder) before() {
	if p := c.w.plan; p.block == c.block {
		copy(c.w.pred, p.last)
	}
}

// foreseen codes whether a moving entity is as predicted, or else as it was, and
// predicts it.
func (c *blockCoder) foreseen(expected mode) bool {
	w := &c.w
	last := int(c.news & 3)
	w.predictAll(expected)
	quiet := c.flag(ctxQuiet+int(expected)*4+last, !c.reading && equal(w.cur, w.pred))
	c.news <<= 1
	if quiet {
		if c.reading {
			copy(w.cur, w.pred)
		}
		return true
	}
	c.news |= 1
	if !w.moving {
		return false
	}
	if c.flag(ctxHalted+int(expected)*2, !c.reading && equal(w.cur, w.base)) {
		if c.reading {
			copy(w.cur, w.base)
		}
		return true
	}
	return false
}
