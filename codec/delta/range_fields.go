package delta

import (
	"math/bits"
)

// plainFields codes the fields without motion.
func (c *blockCoder) plainFields() {
	w := &c.w
	fields := w.plan.fields[:w.plan.plain]
	if w.base != nil {
		at := 0
		if w.moving {
			at = 1
		}
		news := false
		if !c.Reading {
			for i := range fields {
				f := &fields[i]
				for j := f.at; j < f.at+f.words; j++ {
					news = news || w.cur[j] != w.base[j]
				}
			}
		}
		if !c.flag(ctxPlain+at, news) {
			if c.Reading {
				for i := range fields {
					f := &fields[i]
					copy(w.cur[f.at:f.at+f.words], w.base[f.at:])
				}
			}
			return
		}
	}
	for i := range fields {
		c.begin(&fields[i])
		c.plainField(&fields[i])
	}
	c.begin(nil)
}

// plainField codes one field without motion. pred has the words of the baseline or of another entity.
func (c *blockCoder) plainField(f *field) {
	w := &c.w
	fresh := 0
	if w.base == nil {
		fresh = 1
	}
	switch f.kind {
	case kindBool:
		w.cur[f.at] = w.pred[f.at] ^ int32(c.Bit(&c.ctx[f.ctx+fresh], uint32(w.cur[f.at]^w.pred[f.at])&1))
	case kindRef:
		c.refField(f, fresh)
	default:
		own := f.ctx + fresh*(rowSize+1)
		a, b, l, sign := c.row(own), c.row(ctxNumberB+fresh*rowSize), c.lot(ctxNumberLot+fresh*4*rowSize), &c.ctx[own+rowSize]
		for j := f.at; j < f.at+f.words; j++ {
			c.word(f, j-f.at)
			if f.kind == kindBits {
				w.cur[j] = w.pred[j] ^ c.Number(a, b, l, sign, w.cur[j]^w.pred[j])
			} else {
				w.cur[j] = f.plus(w.pred[j], c.Number(a, b, l, sign, f.minus(w.cur[j], w.pred[j])))
			}
		}
	}
}

// refField codes a ref: unchanged, none, the last coded ref, or another one.
func (c *blockCoder) refField(f *field, fresh int) {
	w := &c.w
	v := uint32(w.cur[f.at])
	was := uint32(w.pred[f.at])
	switch {
	case !c.flag(f.ctx+fresh, v != was):
		v = was
	case was != 0 && c.flag(ctxRefZero+fresh, v == 0):
		v = 0
	case c.ref != was && c.flag(ctxRefLast+fresh, v == c.ref):
		v = c.ref
	default:
		r := c.row(ctxRefB)
		v = c.ref + uint32(c.Number(r, r, c.lot(ctxRefLot), &c.ctx[ctxRefSign], int32(v-c.ref)))
	}
	if v != 0 {
		c.ref = v
	}
	w.cur[f.at] = int32(v)
}

// motionFields codes the fields that are predicted from more than the baseline.
func (c *blockCoder) motionFields(expected mode) {
	w := &c.w
	w.reattach()
	known := w.moved && w.plan.quats < 2 // already predicted by asPredicted
	m := expected
	if w.base != nil && (w.hasSpeed() || w.parent != nil) && w.plan.steers {
		if !c.Reading {
			m = w.bestMode(expected)
		}
		m = c.codeMode(expected, m)
	}
	if known = known && m == expected; !w.moved || m != w.mode {
		w.predictMotion(m)
	}
	state := int(m)
	if w.base == nil {
		state = states - 1
	}
	most, order := 0, 0
	fields := w.plan.fields[w.plan.plain:w.plan.lines]
	speed := min(w.speed(m), levels-1)
	for i := range fields {
		f := &fields[i]
		c.begin(f)
		if !known {
			w.predict(f)
		}
		switch f.kind {
		case kindLinear:
			c.linearField(f)
		case kindAxis:
			n := c.axisField(f, state, order, speed, most)
			most = max(most, n)
			order++
		default:
			c.quatField(f, state, most)
		}
	}
	if order > 0 {
		c.run[state] = most
	}
	if w.plan.lines < len(w.plan.fields) && w.base == nil { // those of others are coded by linesEntity
		c.newLines()
	}
	c.begin(nil)
}

// codeMode codes the mode.
func (c *blockCoder) codeMode(expected, m mode) mode {
	w := &c.w
	at, near := 0, 63
	if a := w.parent; a != nil {
		at, near = 1, w.plan.distance(w.base, &a.then)
	}
	if w.base2 != nil {
		at += 2
	}
	right := uint32(0)
	if m == expected {
		right = 1
	}
	if c.Pair(&c.ctx[ctxMode+int(expected)*4+at], &c.ctx[ctxModeNear+int(expected)*64+near], right) != 0 {
		return expected
	}
	a, b := (expected+1)%modes, (expected+2)%modes
	if c.flag(ctxOther+int(expected)*4+at, m == a) {
		return a
	}
	return b
}

// linearField codes a linear value.
func (c *blockCoder) linearField(f *field) {
	w := &c.w
	fresh, level := 0, 0
	if w.base == nil {
		fresh = 1
	} else if w.base2 != nil {
		level = min(size(f.minus(w.base[f.at], w.base2[f.at])), levels-1)
	}
	own := f.ctx + fresh*(rowSize+1)
	d := c.Number(c.row(own), c.row(ctxGoesB+level*rowSize), c.lot(ctxGoesLot), &c.ctx[own+rowSize], f.minus(w.cur[f.at], w.pred[f.at]))
	w.cur[f.at] = f.plus(w.pred[f.at], d)
}

// axisField codes a coordinate and returns the size of the residual.
func (c *blockCoder) axisField(f *field, state, order, speed, most int) int {
	w := &c.w
	level := most
	if order == 0 {
		level = c.run[state]
	}
	order = min(order, 2)
	way := 1
	if w.base2 != nil {
		way += sign(w.base[f.at] - w.base2[f.at])
	}
	a := c.row(ctxAxisA + (state*levels+speed)*rowSize)
	b := c.row(ctxAxisB + (order*levels+min(level, levels-1))*rowSize)
	d := c.Number(a, b, c.lot(ctxAxisLot+state*4*rowSize), &c.ctx[ctxAxisSign+(state*3+f.axis-1)*3+way], w.cur[f.at]-w.pred[f.at])
	w.cur[f.at] = w.pred[f.at] + d
	return size(d)
}

// quatField codes a rotation.
func (c *blockCoder) quatField(f *field, state, most int) {
	w := &c.w
	missing, next, lead := w.missing, w.runnerUp, w.lead
	at := ctxMissing + state*levels + min(bits.Len64(uint64(lead))*3/4, levels-1)
	v := w.cur[f.at]
	switch {
	case c.flag(at, v == missing):
		v = missing
	case c.flag(ctxNext, v == next):
		v = next
	default:
		// One of the two others.
		a := int32(0)
		for a == missing || a == next {
			a++
		}
		b := 6 - missing - next - a
		if c.flag(ctxThird, v == a) {
			v = a
		} else {
			v = b
		}
	}
	w.cur[f.at] = v
	w.predictQuatWords(f, v)
	turns := w.base2 != nil && w.base[f.at] == v && w.base2[f.at] == v
	seen, l := 0, c.lot(ctxQuatLot+state*4*rowSize)
	a := c.row(ctxQuatA + (state*levels+min(most, levels-1))*rowSize)
	for j := 1; j < 4; j++ {
		level := seen
		if j == 1 {
			level = c.runQ[state]
		}
		b := c.row(ctxQuatB + ((j-1)*levels+min(level, levels-1))*rowSize)
		i := f.at + j
		c.word(f, j)
		way := 1
		if turns {
			way += sign(w.base[i] - w.base2[i])
		}
		d := c.Number(a, b, l, &c.ctx[ctxQuatSign+state*3+way], w.cur[i]-w.pred[i])
		w.cur[i] = w.pred[i] + d
		seen = max(seen, size(d))
	}
	c.runQ[state] = seen
}

func sign(v int32) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
