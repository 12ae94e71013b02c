package delta

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// A walk goes over the entities of a block in the order in which they are coded
// and predicts their words. An encoder and a decoder take the same walk: what it
// does depends on the baselines, on the IDs and masks of all slots, and on the
// words of entities and fields that were coded before.
//
// Entities come in the order of parts and slots, except that one which was
// attached to another in the baseline comes after it.
type walk struct {
	m     *Model
	plans map[uint64]*plan
	cursor
	parents

	// The entity at which the walk stands.
	plan   *plan
	moving bool // it was moving between its baselines
	parent *attachment
	past

	// What the entity is now, and what was expected.
	cur, pred []int32
	copied    bool // cur is a copy, so that an encoder leaves the records alone
	copy      []int32

	// Where the entity is expected to be.
	mode  mode           // of the prediction of place and orientation
	moved bool           // place and turn are predicted, with that mode
	place [3]int32       // predicted words
	turn  whole.Rotation // predicted
	off   int64          // how far it was from moving with its parent

	// The rotation that was predicted last.
	spin              whole.Rotation
	missing, runnerUp int32 // its largest component and the one after that
	lead              int64 // by how much
}

// cursor is where a walk stands.
type cursor struct {
	parts []walkPart
	pass  int
	at    int    // part
	left  uint64 // slots of the part that come yet
	later bool   // some slot waits for the next pass
	part  *walkPart
	slot  int
}

// past is what the entity was in the baselines, and how far back these are.
type past struct {
	base, base2 []int32 // records, nil if there are none, or of another entity
	rates       []int32 // the record with the rates as they are now: base until they are known, then the current one
	age         int64   // sends from the baseline to the current state
	gap         int64   // sends from the second baseline to the first
	turns       int     // age/gap where that is a whole number, else 0
}

// walkPart is what a walk knows of a part of the block.
type walkPart struct {
	cur, base, base2 *Group
	slots            uint64 // alive now
	kept, kept2      uint64 // those of them that are the same entity in base, base2
	still            uint64 // those of kept which did not move from base2 to base
	waiting          uint64 // for the next pass
	done             uint64 // all words are known
	asked, calm      uint64 // for the range coder: runs that were asked for, slots that have no news
	held             uint64 // for an encoder: slots of those runs that are as in the baseline
}

// mode says how place and orientation are predicted.
type mode uint8

const (
	modeHold  mode = iota // as they were
	modeOn                // going on as they went
	modeRigid             // with the parent
)

const modes = 3

// lastPass takes the entities that still wait: those attached in circles, or
// through more others than that.
const lastPass = 4

// begin starts a walk over the alive slots of parts, whose IDs and masks must be
// known. Parts without slots are allowed.
func (w *walk) begin(m *Model, parts []Part) {
	if w.m != m || len(w.plans) > 256 {
		w.m, w.plans = m, map[uint64]*plan{}
		w.plan = &plan{mask: math.MaxUint64, anatomy: anatomy{parent: -1}}
	}
	if w.known == nil {
		w.known = map[uint32]int32{}
	}
	clear(w.known)
	w.found, w.last, w.parts = w.found[:0], -1, w.parts[:0]
	w.index.reset()
	w.age, w.gap, w.turns = 0, 0, 0
	for i := range parts {
		p := &parts[i]
		w.parts = grow(w.parts, 1)
		q := &w.parts[i]
		*q = walkPart{cur: p.Cur, base: p.Base, base2: p.Base2, slots: p.Slots & p.Cur.Alive}
		if p.Base == nil {
			continue
		}
		q.kept = same(p.Cur, p.Base, q.slots)
		if w.age == 0 {
			w.age = int64(int32(p.Cur.Send - p.Base.Send))
		}
		if p.Base2 != nil {
			q.kept2 = same(p.Base, p.Base2, q.kept)
			q.still = quiet(p.Base, p.Base2, q.kept2)
			if w.gap == 0 {
				w.gap = int64(int32(p.Base.Send - p.Base2.Send))
			}
		}
	}
	if w.gap > 0 && w.age%w.gap == 0 && w.age/w.gap <= 32 {
		w.turns = int(w.age / w.gap)
	}
	w.pass, w.later, w.at, w.left = 0, false, -1, 0
}

// same returns the slots of s that hold the same entity, with the same
// components, in a and in b. Those of s are alive in a.
func same(a, b *Group, s uint64) uint64 {
	s &= b.Alive
	if bits.OnesCount64(s) > 8 && a.IDs == b.IDs && a.Masks == b.Masks { // few are faster one by one
		return s
	}
	out := s
	for ; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		if a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] {
			out &^= 1 << k
		}
	}
	return out
}

// quiet returns the slots of s whose records are the same in a and in b. They hold
// the same components in both.
func quiet(a, b *Group, s uint64) uint64 {
	if s == 0 || a.start == b.start && equal(a.Words, b.Words) {
		return s
	}
	out := s
	for ; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		if !equal(a.Record(k), b.Record(k)) {
			out &^= 1 << k
		}
	}
	return out
}

// equal compares records: short ones four words at a time, which is faster then
// than a call.
func equal(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 32 {
		return text(a) == text(b)
	}
	for len(a) >= 4 && len(b) >= 4 {
		if *(*[4]int32)(a) != *(*[4]int32)(b) {
			return false
		}
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// text is the memory of words, which compares faster than they do.
func text(w []int32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// next goes to the next entity and sets part, slot, plan, moving and parent.
func (w *walk) next() bool {
	for {
		for w.left == 0 {
			if !w.advance() {
				return false
			}
		}
		k := bits.TrailingZeros64(w.left)
		bit := w.left & -w.left
		w.left ^= bit
		p := w.part
		if mask := p.cur.Masks[k]; mask != w.plan.mask {
			w.plan = w.planOf(mask)
		}
		w.parent, w.slot = nil, k
		if at := w.plan.parent; at >= 0 && p.kept&bit != 0 {
			if id := uint32(p.base.Words[int(p.base.start[k])+at]); id != 0 {
				a := w.named(id, w.parts)
				if a.part >= 0 && w.parts[a.part].done>>a.slot&1 == 0 && w.pass < lastPass {
					p.waiting |= bit
					w.later = true
					continue
				}
				w.parent = w.resolve(a)
			}
		}
		w.moving = p.kept2&^p.still&bit != 0
		if w.plan.rated && p.kept&bit != 0 {
			w.moving = w.moving || w.plan.drifts(p.base.Record(k))
		}
		return true
	}
}

// advance goes to the next part, or the next pass.
func (c *cursor) advance() bool {
	c.at++
	if c.at == len(c.parts) {
		if !c.later {
			return false
		}
		c.at, c.later = 0, false
		c.pass++
	}
	c.part = &c.parts[c.at]
	if c.pass == 0 {
		c.left = c.part.slots
	} else {
		c.left, c.part.waiting = c.part.waiting, 0
	}
	return true
}

func (w *walk) planOf(mask uint64) *plan {
	p := w.plans[mask]
	if p == nil {
		p = newPlan(w.m, mask)
		w.plans[mask] = p
	}
	return p
}

// open sets the records of the entity, and pred to what is held.
func (w *walk) open() {
	p, k := w.part, w.slot
	w.moved, w.off = false, 0
	w.cur, w.base, w.base2 = p.cur.Record(k), nil, nil
	if w.copied {
		w.copy = append(w.copy[:0], w.cur...)
		w.cur = w.copy
	}
	w.pred = grow(w.pred[:0], w.plan.words)
	if p.kept>>k&1 != 0 {
		w.base = p.base.Record(k)
		copy(w.pred, w.base)
		w.rates = w.base
	} else {
		clear(w.pred)
	}
	if p.kept2>>k&1 != 0 {
		w.base2 = p.base2.Record(k)
	}
}

// done says that all words of the entity are known.
func (c *cursor) done() { c.part.done |= 1 << c.slot }

// lineSteps returns the simulation steps of a send, and those since the baseline.
func (w *walk) lineSteps() (n, all int) {
	n = max(w.m.layout.steps, 1)
	return n, n * int(max(w.age, 0))
}

// quick reports whether all that a kept entity without news does is to go on along
// its lines.
func (w *walk) quick() bool { return !w.moving || w.plan.plain == w.plan.lines }
