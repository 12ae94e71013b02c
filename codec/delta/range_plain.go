package delta

// plain codes the fields that are no motion.
func (c *blockCoder) plain() {
	w := &c.w
	fields := w.plan.fields[:w.plan.plain]
	if w.base != nil {
		at := 0
		if w.moving {
			at = 1
		}
		news := false
		if !c.reading {
			for i := range fields {
				f := &fields[i]
				for j := f.at; j < f.at+f.words; j++ {
					news = news || w.cur[j] != w.base[j]
				}
			}
		}
		if !c.flag(ctxPlain+at, news) {
			if c.reading {
				for i := range fields {
					f := &fields[i]
					copy(w.cur[f.at:f.at+f.words], w.base[f.at:])
				}
			}
			return
		}
	}
	for i := range fields {
		c.cost(nil)
		c.plainField(&fields[i])
		c.cost(&fields[i])
	}
}

// plainField codes one field that is no motion. pred has the words of the
// baseline, or of another entity.
func (c *blockCoder) plainField(f *field) {
	w := &c.w
	fresh := 0
	if w.base == nil {
		fresh = 1
	}
	switch f.kind {
	case kindBool:
		w.cur[f.at] = w.pred[f.at] ^ int32(c.bit(&c.ctx[f.ctx+fresh], uint32(w.cur[f.at]^w.pred[f.at])&1))
	case kindRef:
		c.refField(f, fresh)
	default:
		own := f.ctx + fresh*(rowSize+1)
		a, b, l, sign := c.row(own), c.row(ctxNumberB+fresh*rowSize), c.lot(ctxNumberLot+fresh*4*rowSize), &c.ctx[own+rowSize]
		for j := f.at; j < f.at+f.words; j++ {
			if f.kind == kindBits {
				w.cur[j] = w.pred[j] ^ c.number(a, b, l, sign, w.cur[j]^w.pred[j])
			} else {
				w.cur[j] = f.plus(w.pred[j], c.number(a, b, l, sign, f.minus(w.cur[j], w.pred[j])))
			}
		}
	}
}

// refField codes a ref: as it was, none, the last ref that was coded, or another.
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
		v = c.ref + uint32(c.number(r, r, c.lot(ctxRefLot), &c.ctx[ctxRefSign], int32(v-c.ref)))
	}
	if v != 0 {
		c.ref = v
	}
	w.cur[f.at] = int32(v)
}

// minus is the residual of a word, the short way if it wraps.
func (f *field) minus(v, pred int32) int32 {
	d := v - pred
	if f.count > 0 {
		if d > f.count/2 {
			d -= f.count
		} else if d < -(f.count / 2) {
			d += f.count
		}
	}
	return d
}

// plus is the opposite of minus, for words and predictions within the turn. Other
// residuals give words within the turn too.
func (f *field) plus(pred, d int32) int32 {
	v := pred + d
	if f.count > 0 && uint32(v) >= uint32(f.count) {
		v = f.wrap(v)
	}
	return v
}
