package delta

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// walk visits the entities of a block in coding order and predicts their words. The encoder and the decoder make the same
// walk: it depends only on the baselines, on the ids and masks of all slots, and on the words of entities and fields that
// were coded earlier.
//
// Entities are visited in the order of parts and slots. An entity that had a parent in the baseline is visited after its
// parent.
type walk struct {
	m     *Model
	plans map[uint64]*plan
	cursor
	parents

	// The current entity.
	plan   *plan
	moving bool // it moved between its baselines
	parent *attachment
	past

	// The current record of the entity and its prediction.
	cur, pred []int32
	copied    bool // cur is a copy, so that an encoder does not change the records
	copy      []int32

	// The predicted place and orientation of the entity.
	mode  mode           // the mode of the prediction
	moved bool           // place and turn are predicted with mode
	place [3]int32       // predicted words
	turn  whole.Rotation // predicted orientation
	off   int64          // distance between its last motion and that of its parent

	// The latest predicted rotation.
	spin              whole.Rotation
	missing, runnerUp int32 // indices of its largest and second largest component
	lead              int64 // their difference
}

// cursor is the position of a walk.
type cursor struct {
	parts []walkPart
	pass  int
	at    int    // index of the part
	left  uint64 // remaining slots of the part
	later bool   // a slot waits for the next pass
	part  *walkPart
	slot  int
}

// past has the baselines of the current entity and their ages.
type past struct {
	base, base2 []int32 // records, nil if missing or of another entity
	rates       []int32 // the record with the current rates: base until the current ones are known
	age         int64   // sends from the baseline to the current state
	span        Span    // the same for lines
	gap         int64   // sends from the second baseline to the first
	turns       int     // age/gap if it is an integer up to 32, else 0
}

// walkPart is the state of a walk for one part of the block. The sets are sets of slots.
type walkPart struct {
	cur, base, base2 *Group
	slots            uint64 // alive in the current state
	kept, kept2      uint64 // subsets of slots with the same entity in base and in base2
	still            uint64 // subset of kept2: unchanged from base2 to base
	waiting          uint64 // postponed to the next pass
	done             uint64 // all words are coded
	asked, calm      uint64 // for the range coder: slots of visited runs; slots in unchanged runs
	held             uint64 // for an encoder: slots of visited runs that equal the baseline
}

// mode is the way in which place and orientation are predicted.
type mode uint8

const (
	modeHold  mode = iota // unchanged
	modeOn                // continuing the last motion
	modeRigid             // moving rigidly with the parent
)

const modes = 3

// lastPass is the pass that visits all waiting entities: those with circular parents or more than this number of ancestors.
const lastPass = 4

// reset starts a walk over the alive slots of parts. Their ids and masks must be known. Parts may have no slots.
func (w *walk) reset(m *Model, parts []Part) {
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
		q.kept = sameEntities(p.Cur, p.Base, q.slots)
		if w.age == 0 {
			w.age, w.span = int64(int32(p.Cur.Send-p.Base.Send)), m.layout.Span(p.Base.Send, p.Cur.Send)
		}
		if p.Base2 != nil {
			q.kept2 = sameEntities(p.Base, p.Base2, q.kept)
			q.still = sameRecords(p.Base, p.Base2, q.kept2)
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

// sameEntities returns the slots of s that hold the same entity with the same components in a and b. All slots of s are
// alive in a.
func sameEntities(a, b *Group, s uint64) uint64 {
	s &= b.Alive
	if bits.OnesCount64(s) > 8 && a.IDs == b.IDs && a.Masks == b.Masks { // for few slots the loop is faster
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

// sameRecords returns the slots of s whose records are equal in a and b. The slots must have the same components in both.
func sameRecords(a, b *Group, s uint64) uint64 {
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

// equal compares records. It compares short records four words at a time, which is faster than a call.
func equal(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 32 {
		return asString(a) == asString(b)
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

// asString returns the memory of words as a string, which compares faster.
func asString(w []int32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// next advances to the next entity and sets part, slot, plan, moving and parent. It returns false after the last entity.
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
				a := w.findParent(id, w.parts)
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

// advance goes to the next part or pass. It returns false at the end.
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

// open sets the records of the current entity and initializes pred with the baseline, or with zeros.
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

// done marks all words of the current entity as coded.
func (c *cursor) done() { c.part.done |= 1 << c.slot }
