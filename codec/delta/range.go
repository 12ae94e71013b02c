package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

// blockCoder encodes and decodes the bodies of blocks, with the range coder or as [symbols]. The same methods serve both
// directions: each returns the coded value, and ignores the given value when reading.
//
//	body     = presence of each part · entities in the order of the walk
//	presence = 1 if all slots hold the entities of the baseline, else for each slot
//	           [same as in the baseline] | alive, ID, components | hidden or not
//	entity   = as predicted? | as in the baseline? | plain fields · mode · motion
type blockCoder struct {
	contextCoder
	w walk
	m *Model
	recent

	words   int // number of words of the decoded entities without a baseline
	block   uint32
	line    linesState
	field   *field   // the current one, nil for data outside of fields
	spent   *costs   // or nil
	symbols *symbols // nil for the range coder
}

// maxBlockWords is the largest number of words of the new entities of a block: enough for a group of the largest entities.
const maxBlockWords = 1 << 22

// recent is the latest coded data of a block, used as context.
type recent struct {
	id   uint32
	mask uint64
	ref  uint32
	news uint32      // bits: whether the last entities changed, the newest lowest
	runs uint32      // bits: whether the last runs were unchanged, the newest lowest
	run  [states]int // size of the largest residual of the last entity, by state
	runQ [states]int // the same for rotations
}

// Short names for the types of package rangecoder.
type (
	chance = rangecoder.Chance
	row    = rangecoder.Row
	lot    = rangecoder.Lot
)

const rowSize = rangecoder.RowSize

// contextCoder is the range coder with the chances of the current block.
type contextCoder struct {
	rangecoder.Coder
	ctx []chance
}

// code encodes or decodes a block. When reading, the slots must not be known in Cur of any part.
func (c *blockCoder) code(m *Model, parts []Part) error {
	c.ctx = rangecoder.Restart(c.ctx, m.start, m.idle, c.m == m)
	c.m = m
	c.recent, c.words = recent{}, 0
	c.block++
	for i := range parts {
		c.presence(&parts[i])
		if c.Reading && c.Over() {
			return codec.ErrShort
		}
		if c.words > maxBlockWords {
			return codec.ErrTooLarge
		}
	}
	if c.spent != nil {
		c.spent.reset(m)
	}
	w := &c.w
	w.copied = !c.Reading
	w.reset(m, parts)
	c.line.reset()
	for w.next() {
		c.entity()
		if c.Reading && c.Over() {
			return codec.ErrShort
		}
	}
	if c.Reading {
		return c.End()
	}
	return nil
}

func (c *contextCoder) flag(ctx int, v bool) bool {
	bit := uint32(0)
	if v {
		bit = 1
	}
	return c.Bit(&c.ctx[ctx], bit) != 0
}

func (c *contextCoder) row(ctx int) *row { return (*row)(c.ctx[ctx:]) }
func (c *contextCoder) lot(ctx int) *lot { return (*lot)(c.ctx[ctx:]) }

// entity codes the current entity of the walk.
func (c *blockCoder) entity() {
	w := &c.w
	bit := uint64(1) << w.slot
	kept := w.part.kept&bit != 0
	expected := modeHold
	switch {
	case !kept:
		w.open()
		c.predictArrival()
	case !w.moving && w.plan.lines == len(w.plan.fields):
		if !c.restingChanged() {
			w.done()
			return
		}
		w.open()
	case w.plan.lines < len(w.plan.fields):
		c.linesEntity()
		return
	default:
		w.open()
		if expected = w.expectedMode(); c.asPredicted(expected) {
			w.done()
			return
		}
	}
	c.plainFields()
	if w.plan.plain < len(w.plan.fields) {
		c.motionFields(expected)
	}
	w.done()
	if !kept {
		w.plan.last = append(w.plan.last[:0], w.cur...)
		w.plan.block = c.block
	}
}

// predictArrival predicts an entity without a baseline as equal to the previous such entity with the same components.
func (c *blockCoder) predictArrival() {
	if p := c.w.plan; p.block == c.block {
		copy(c.w.pred, p.last)
	}
}

// asPredicted predicts a moving entity and codes whether it is as predicted, or else whether it equals the baseline. It
// reports whether the entity is coded completely.
func (c *blockCoder) asPredicted(expected mode) bool {
	w := &c.w
	last := int(c.news & 3)
	w.predictAll(expected)
	quiet := c.flag(ctxQuiet+int(expected)*4+last, !c.Reading && equal(w.cur, w.pred))
	c.news <<= 1
	if quiet {
		if c.Reading {
			copy(w.cur, w.pred)
		}
		return true
	}
	c.news |= 1
	if !w.moving {
		return false
	}
	if c.flag(ctxHalted+int(expected)*2, !c.Reading && equal(w.cur, w.base)) {
		if c.Reading {
			copy(w.cur, w.base)
		}
		return true
	}
	return false
}

// begin begins a field; nil ends the last one. It adds the bits since its last call to the cost of the field before.
func (c *blockCoder) begin(f *field) {
	c.word(f, 0)
	if c.spent != nil {
		now := c.Position()
		n := now - c.spent.from
		c.spent.from = now
		if f := c.field; f == nil {
			c.spent.rest += n
		} else {
			c.spent.fields[f.comp][f.index] += n
			if c.spent.entities != nil {
				c.spent.entities[c.w.part.cur.IDs[c.w.slot]] += n
			}
		}
	}
	c.field = f
}

// word begins a word of a field.
func (c *blockCoder) word(f *field, word int) {
	if c.symbols == nil {
		return
	}
	if c.symbols.column = columnRest; f != nil {
		c.symbols.column = f.column + word
	}
}

// presence codes which entities are in the slots of a part. When reading, it copies the words of entities in the baseline.
func (c *blockCoder) presence(p *Part) {
	cur, base := p.Cur, p.Base
	if base != nil {
		if c.flag(ctxSameSlots, !c.Reading && unchanged(cur, base, p.Slots)) {
			if c.Reading {
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
			if c.flag(ctxSameSlot+was, !c.Reading && unchanged(cur, base, bit)) {
				was = 1
				if c.Reading {
					adopt(cur, base, bit)
				}
				continue
			}
			was = 0
		}
		if !c.flag(ctxAlive+alive, cur.Alive&bit != 0) {
			alive = 0
			hidden := c.flag(ctxHidden, cur.Hidden&bit != 0)
			if c.Reading {
				cur.Clear(k, hidden)
			}
			continue
		}
		alive = 1
		id := c.id + 1 + uint32(c.Number(c.row(ctxID), c.row(ctxID), c.lot(ctxIDLot), &c.ctx[ctxIDSign], int32(cur.IDs[k]-c.id-1)))
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
		if c.Reading {
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

// restingChanged codes whether an entity that rested in the baselines changed. All entities of a resting world take this
// path.
func (c *blockCoder) restingChanged() bool {
	w := &c.w
	p, k := w.part, w.slot
	base := p.base.Record(k)
	near := 63
	if a := w.parent; a != nil {
		near = w.plan.distance(base, &a.now)
	}
	moving := p.kept2 &^ p.still
	if c.calmRun(near, moving) {
		return false
	}
	news := uint32(0)
	if p.held>>k&1 == 0 {
		news = 1
	}
	around := int(moving<<1>>k&1+moving>>1>>k&1) * 2
	if at := w.plan.flag; at >= 0 {
		around += int(base[at] & 1)
	}
	last := int(c.news & 3)
	news = c.Pair(&c.ctx[ctxNear+near*4+last], &c.ctx[ctxAround+around*4+last], news)
	c.news = c.news<<1 | news
	return news != 0
}

// runLength is the number of slots in a run. Resting entities of a run share one bit if none of them changed. It divides
// GroupSize.
const runLength = 16

// calmRun codes, at the first entity of a run, whether the whole run is unchanged. If so, it removes the other entities of
// the run from the walk.
func (c *blockCoder) calmRun(near int, moving uint64) bool {
	w := &c.w
	p, k := w.part, w.slot
	first := k &^ (runLength - 1)
	run := uint64(1<<runLength-1) << first
	if p.asked&run != 0 {
		return p.calm>>k&1 != 0
	}
	p.asked |= run
	all := p.slots & run
	if !c.Reading {
		p.held |= sameRecords(p.cur, p.base, p.kept&run)
	}
	if (p.kept&^moving)&all != all || all&(all-1) == 0 || w.plan.rated {
		return false
	}
	mask := w.plan.mask
	for s := all; s != 0; s &= s - 1 {
		if p.cur.Masks[bits.TrailingZeros64(s)] != mask {
			return false
		}
	}
	quietNow := uint32(0)
	if p.held&all == all {
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
	quietNow = c.Pair(&c.ctx[ctxCalmNear+near*4+last], &c.ctx[ctxCalm+around*4+last], quietNow)
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

// logContext returns twice the binary logarithm of d, limited to 62.
func logContext(d int64) int {
	if d < 2 {
		return int(d)
	}
	n := bits.Len64(uint64(d))
	return min(2*n-2+int(d>>(n-2)&1), 62)
}
