package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// rangeCoder writes and reads bodies of blocks with the range coder. The two
// directions are one description: what a call codes, it returns, and when reading
// the value given does not matter.
//
//	body     = presence of each part · entities in the order of the walk
//	presence = 1 if all slots hold the entities of the baseline, else for each slot
//	           [same as in the baseline] | alive, ID, components | hidden or not
//	entity   = as predicted? | as in the baseline? | plain fields · mode · motion
type rangeCoder struct {
	ranger
	w   walk
	m   *Model
	ctx []chance

	id    uint32 // the last ID that was coded
	mask  uint64 // the last mask
	ref   uint32 // the last ref
	news  uint32 // whether the last entities had news, newest lowest
	runs  uint32 // whether the last runs were calm, newest lowest
	block uint32
	line  linesState
	spent *spending   // or nil
	run   [states]int // size of the largest residual of the last entity, by state
	runQ  [states]int
}

// code codes a block. When reading, Cur of all parts must not know their slots.
func (c *rangeCoder) code(m *Model, parts []Part) error {
	c.m = m
	c.ctx = append(c.ctx[:0], m.start...)
	c.first = &c.ctx[0]
	c.id, c.mask, c.ref, c.news, c.runs = 0, 0, 0, 0, 0
	c.run, c.runQ = [states]int{}, [states]int{}
	c.block++
	for i := range parts {
		c.presence(&parts[i])
		if c.reading && c.over() {
			return codec.ErrShort
		}
	}
	if c.spent != nil {
		c.spent.begin(m)
	}
	w := &c.w
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

func (c *rangeCoder) flag(ctx int, v bool) bool {
	bit := uint32(0)
	if v {
		bit = 1
	}
	return c.bit(&c.ctx[ctx], bit) != 0
}

func (c *rangeCoder) row(ctx int) *row { return (*row)(c.ctx[ctx:]) }
func (c *rangeCoder) lot(ctx int) *lot { return (*lot)(c.ctx[ctx:]) }

// presence codes which entities are in the slots of a part. When reading, those
// of the baseline get their words from there.
func (c *rangeCoder) presence(p *Part) {
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
			rec := cur.Put(k, id, mask, c.m.layout.RecordWords(mask))
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

// entity codes the entity at which the walk stands.
func (c *rangeCoder) entity() {
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
func (c *rangeCoder) before() {
	if p := c.w.plan; p.block == c.block {
		copy(c.w.pred, p.last)
	}
}

// stir codes whether an entity that stood still has news. It is the part that all
// entities of a resting world take.
func (c *rangeCoder) stir() bool {
	w := &c.w
	p, k := w.part, w.slot
	base := p.base.Record(k)
	near := 63
	if a := w.parent; a != nil {
		d := int64(0)
		for i, at := range w.plan.place {
			if at >= 0 {
				d = max(d, abs(int64(base[at])-a.now[i]))
			}
		}
		near = fine(d)
	}
	moving := p.kept2 &^ p.still
	if c.calm(near, moving) {
		return false
	}
	news := uint32(0)
	if !c.reading && !equal(p.cur.Record(k), base) {
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
func (c *rangeCoder) calm(near int, moving uint64) bool {
	w := &c.w
	p, k := w.part, w.slot
	first := k &^ (runLength - 1)
	run := uint64(1<<runLength-1) << first
	if p.asked&run != 0 {
		return p.calm>>k&1 != 0
	}
	p.asked |= run
	all := p.slots & run
	if (p.kept&^moving)&all != all || all&(all-1) == 0 {
		return false
	}
	mask := w.plan.mask
	for s := all; s != 0; s &= s - 1 {
		if p.cur.Masks[bits.TrailingZeros64(s)] != mask {
			return false
		}
	}
	quietNow := uint32(0)
	if !c.reading && quiet(p.cur, p.base, all) == all {
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

// fine is twice the binary logarithm, as a context below 63.
func fine(d int64) int {
	if d < 2 {
		return int(d)
	}
	n := bits.Len64(uint64(d))
	return min(2*n-2+int(d>>(n-2)&1), 62)
}

// foreseen codes whether a moving entity is as predicted, or else as it was, and
// predicts it.
func (c *rangeCoder) foreseen(expected mode) bool {
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

// plain codes the fields that are no motion.
func (c *rangeCoder) plain() {
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
func (c *rangeCoder) plainField(f *field) {
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
func (c *rangeCoder) refField(f *field, fresh int) {
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

// plus is the opposite of minus, for words and predictions within the turn.
func (f *field) plus(pred, d int32) int32 {
	v := pred + d
	if f.count > 0 {
		if v >= f.count {
			v -= f.count
		} else if v < 0 {
			v += f.count
		}
	}
	return v
}

// motion codes the fields that are predicted from more than the baseline.
func (c *rangeCoder) motion(expected mode) {
	w := &c.w
	w.reattach()
	known := w.moved && w.plan.quats < 2 // predicted already, by foreseen
	m := expected
	if w.base != nil && (w.base2 != nil || w.parent != nil) && w.plan.steers {
		if !c.reading {
			m = w.choose(expected)
		}
		m = c.steer(expected, m)
	}
	if known = known && m == expected; !w.moved || m != w.mode {
		w.move(m)
	}
	state := int(m)
	if w.base == nil {
		state = states - 1
	}
	most, order := 0, 0
	fields := w.plan.fields[w.plan.plain:w.plan.lines]
	speed := min(w.speed(m), levels-1)
	c.cost(nil)
	for i := range fields {
		f := &fields[i]
		if !known {
			w.predict(f)
		}
		switch f.kind {
		case kindLinear:
			c.goes(f)
		case kindAxis:
			n := c.axis(f, state, order, speed, most)
			most = max(most, n)
			order++
		default:
			c.quat(f, state, most)
		}
		c.cost(f)
	}
	if order > 0 {
		c.run[state] = most
	}
	if w.plan.lines < len(w.plan.fields) {
		c.lines(w.plan.fields[w.plan.lines:])
	}
}

// steer codes the mode.
func (c *rangeCoder) steer(expected, m mode) mode {
	at := 0
	if c.w.parent != nil {
		at = 1
	}
	if c.flag(ctxMode+int(expected)*2+at, m == expected) {
		return expected
	}
	a, b := (expected+1)%modes, (expected+2)%modes
	if c.flag(ctxOther+int(expected), m == a) {
		return a
	}
	return b
}

// speed is the size of what says how far a prediction may be off.
func (w *walk) speed(m mode) int {
	if w.base == nil || w.base2 == nil {
		return 0
	}
	if m == modeRigid {
		return size(int32(min(w.off, 1<<30)))
	}
	d := int64(0)
	for _, at := range w.plan.place {
		if at >= 0 {
			d += abs(int64(w.base[at]) - int64(w.base2[at]))
		}
	}
	return size(int32(min(d, 1<<30)))
}

// goes codes a value that goes on as it went.
func (c *rangeCoder) goes(f *field) {
	w := &c.w
	fresh, level := 0, 0
	if w.base == nil {
		fresh = 1
	} else if w.base2 != nil {
		level = min(size(f.minus(w.base[f.at], w.base2[f.at])), levels-1)
	}
	own := f.ctx + fresh*(rowSize+1)
	d := c.number(c.row(own), c.row(ctxGoesB+level*rowSize), c.lot(ctxGoesLot), &c.ctx[own+rowSize], f.minus(w.cur[f.at], w.pred[f.at]))
	w.cur[f.at] = f.plus(w.pred[f.at], d)
}

// axis codes a coordinate and returns the size of the residual.
func (c *rangeCoder) axis(f *field, state, order, speed, most int) int {
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
	d := c.number(a, b, c.lot(ctxAxisLot+state*4*rowSize), &c.ctx[ctxAxisSign+state*9+way], w.cur[f.at]-w.pred[f.at])
	w.cur[f.at] = w.pred[f.at] + d
	return size(d)
}

// quat codes an orientation.
func (c *rangeCoder) quat(f *field, state, most int) {
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
	w.settle(f, v)
	seen, l := 0, c.lot(ctxQuatLot+state*4*rowSize)
	a := c.row(ctxQuatA + (state*levels+min(most, levels-1))*rowSize)
	for j := 1; j < 4; j++ {
		level := seen
		if j == 1 {
			level = c.runQ[state]
		}
		b := c.row(ctxQuatB + ((j-1)*levels+min(level, levels-1))*rowSize)
		i := f.at + j
		d := c.number(a, b, l, &c.ctx[ctxQuatSign+state*9], w.cur[i]-w.pred[i])
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
