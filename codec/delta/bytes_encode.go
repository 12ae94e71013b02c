package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// The numbers of a body of [Raw] or [Zstd] follow. A set of slots or entities is written as its size, and for each element the
// distance to the previous element, minus 1; the first distance counts from −1. Entities are in the order of parts and slots.
//
//	+------------------------------------------------------------------------+
//	| op of all slots, or 4 and then runs: op, length − 1    until none left |
//	+--- for each new entity ------------------------------------------------+
//	| id − last id − 1, signed                                               |
//	| mask ^ last mask: low 32 bits, and high if the layout has so many      |
//	+------------------------------------------------------------------------+
//	| kept entities of which a word is not as predicted: set                 |
//	| if there are: those of them that move not as expected: set, and behind |
//	|   each (mode − expected mode) mod 3, less 1                            |
//	+--- for each component with words that one of these or a new one has ---+
//	| 1 if a word of it is not as predicted in any, else 0 and no more of it |
//	+--- for each of its words ----------------------------------------------+
//	| form of the column, and the residuals: word − predicted, modulo 2^32   |
//	+--- for each entity of these sets that has lines, in the order of the --+
//	|    walk: how they go, see bytes_lines.go                               |
//	+------------------------------------------------------------------------+
//
// An entity is kept if the baseline has it with the same components. The file bytes_column.go describes columns, and walk.go the
// predictions and their order, which is the same on both sides. The residual of a field of bits is word ^ predicted. The
// residual of an angle goes the short way round.

// The ops and their values in the wire format.
const (
	opKeep   = iota // same entity as in the baseline, except for residuals
	opNew           // an entity that the baseline lacks, or with other components
	opEmpty         // empty
	opHidden        // an entity hidden from the receiver
	opRuns          // the slots have different ops
)

// maxBlockWords is the largest number of words of the new entities of a block: enough for a group of the largest entities.
const maxBlockWords = 1 << 22

// bytePart is the state of a byte coder for one part. The sets are sets of slots.
type bytePart struct {
	kept uint64 // alive and the same entity as in the baseline
	full uint64 // new entities
	news uint64 // subset of kept: not as predicted
	at   [GroupSize]int32
	mode [GroupSize]mode // for news: difference to the expected mode, modulo modes
}

// byteRow is an entity with residuals.
type byteRow struct {
	at   int32 // index in the residuals of its next component
	mask uint64
}

// byteRows is the scratch memory of a byte coder in either direction.
type byteRows struct {
	c     blockCoder // only its walk and its state of lines are used
	fresh arrivals
	parts []bytePart
	rows  []byteRow // in the order of parts and slots
	res   []int32
	col   []int32
}

// reset prepares for a block with n parts.
func (b *byteRows) reset(n int) {
	b.rows, b.res = b.rows[:0], b.res[:0]
	b.parts = grow(b.parts[:0], n)
	for i := range b.parts {
		p := &b.parts[i]
		p.kept, p.full, p.news = 0, 0, 0
	}
}

// startWalk starts the walk.
func (b *byteRows) startWalk(m *Model, parts []Part) {
	b.c.m, b.fresh = m, arrivals{}
	b.c.w.reset(m, parts)
	b.c.line.reset()
}

// bend is a number that describes the motion of a line.
type bend struct {
	kind numberKind
	v    uint32
}

// byteEncoder encodes bodies of [Raw] and [Zstd]. The zero value is ready to use.
type byteEncoder struct {
	byteRows
	ops   []byte
	bends []bend // numbers that describe lines, in the order of the walk
	low   []byte
	put   numberWriter
	zip   zstd.Encoder
	hist  [256]int32
}

// append appends the smaller of the two bodies to dst and returns its coder.
func (b *byteEncoder) append(dst []byte, m *Model, parts []Part) ([]byte, Coder) {
	b.findResiduals(m, parts)
	at := len(dst)
	b.put.reset(false, dst)
	b.write(m, parts)
	dst = b.put.low.Bytes()
	n := len(dst) - at
	if size, numbers := b.put.estimatePacked(); numbers <= alwaysPack && size > n+n/16 {
		return dst, Raw // repetitions cannot make up for this difference
	}
	b.put.reset(true, b.low[:0])
	b.write(m, parts)
	b.low = b.put.low.Bytes()
	var block []byte
	if len(b.put.class) <= maxPlain {
		block = b.zip.Block(b.put.class, m.dictionary.zstd())
	}
	if block == nil || len(b.low)+len(block)+packedHead > n {
		return dst, Raw
	}
	return appendPacked(dst[:at], block, m.dictionary, b.low), Zstd
}

const (
	alwaysPack = 1 << 10 // with more numbers than this, always try zstd: they may repeat
	packedHead = 2       // bytes before the block
)

// appendPacked appends a body of [Zstd].
func appendPacked(dst, block []byte, dict *Dictionary, low []byte) []byte {
	head := uint64(len(block)) << 1
	if dict != nil {
		head |= 1
	}
	dst = codec.AppendUvarint(dst, head)
	if dict != nil {
		dst = append(dst, dict.id)
	}
	return append(append(dst, block...), low...)
}

// findResiduals makes the walk and computes the residuals of all entities that are not as predicted.
func (b *byteEncoder) findResiduals(m *Model, parts []Part) {
	b.reset(len(parts))
	b.bends = b.bends[:0]
	b.startWalk(m, parts)
	w := &b.c.w
	for i := range b.parts {
		b.parts[i].kept = w.parts[i].kept
		b.parts[i].full = w.parts[i].slots &^ w.parts[i].kept
	}
	for w.next() {
		b.entity()
		w.done()
	}
}

// entity computes the residuals of the current entity of the walk.
func (b *byteEncoder) entity() {
	w := &b.c.w
	kept := w.part.kept>>w.slot&1 != 0
	if kept && w.quick() {
		if b.asPredicted() {
			return
		}
		w.open()
	} else if w.open(); kept {
		w.predictAll(w.expectedMode())
		if equal(w.cur, w.pred) {
			return
		}
	}
	p := &b.parts[w.at]
	if kept {
		p.news |= 1 << w.slot
	}
	at := len(b.res)
	p.at[w.slot] = int32(at)
	b.res = grow(b.res, w.plan.words)
	res := b.res[at:]
	fields := w.plan.fields
	for i := range fields[:w.plan.plain] {
		f := &fields[i]
		for j := f.at; j < f.at+f.words; j++ {
			res[j] = f.residual(w.cur[j], w.pred[j])
		}
	}
	if w.plan.plain == len(fields) {
		return
	}
	w.reattach()
	expected := w.expectedMode()
	m := w.bestMode(expected)
	p.mode[w.slot] = (m + modes - expected) % modes
	w.predictMotion(m)
	for i := range fields[w.plan.plain:w.plan.lines] {
		f := &fields[w.plan.plain+i]
		w.predict(f)
		for j := f.at; j < f.at+f.words; j++ {
			res[j] = f.residual(w.cur[j], w.pred[j])
			if f.kind == kindQuat && j == f.at {
				w.predictQuatWords(f, w.cur[j])
			}
		}
	}
	b.lines(res)
}

// asPredicted reports whether a kept entity for which quick is true is unchanged except for the continuation of its lines.
func (b *byteEncoder) asPredicted() bool {
	w := &b.c.w
	cur, base := w.part.cur.Record(w.slot), w.part.base.Record(w.slot)
	if w.plan.lines == len(w.plan.fields) {
		return equal(cur, base)
	}
	l := b.c.line.planFor(w.plan)
	for _, at := range l.others {
		if cur[at] != base[at] {
			return false
		}
	}
	news, _ := l.compareLines(l.words, cur, base, w.age)
	return !news
}

// collectRows collects the rows, each at its first component.
func (b *byteRows) collectRows(parts []Part) {
	b.rows = b.rows[:0]
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.full | p.news; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			b.rows = append(b.rows, byteRow{at: p.at[k], mask: parts[i].Cur.Masks[k]})
		}
	}
}

// write writes the numbers of the body.
func (b *byteEncoder) write(m *Model, parts []Part) {
	b.presence(m, parts)
	b.writeNews()
	b.collectRows(parts)
	for c, words := range m.layout.words {
		b.component(c, words)
	}
	for _, v := range b.bends {
		b.put.put(v.kind, v.v)
	}
}

// presence writes the ops, and the ids and masks of new entities.
func (b *byteEncoder) presence(m *Model, parts []Part) {
	b.ops = b.ops[:0]
	for i := range parts {
		p, q := &parts[i], &b.parts[i]
		for s := p.Slots; s != 0; s &= s - 1 {
			bit := s & -s
			op := byte(opEmpty)
			switch {
			case q.kept&bit != 0:
				op = opKeep
			case q.full&bit != 0:
				op = opNew
			case p.Base != nil && p.Base.Known&^p.Base.Alive&bit != 0 && (p.Base.Hidden^p.Cur.Hidden)&bit == 0:
				op = opKeep
			case p.Cur.Hidden&bit != 0:
				op = opHidden
			}
			b.ops = append(b.ops, op)
		}
	}
	b.writeOps()
	id, mask := uint32(0), uint64(0)
	for i := range parts {
		g := parts[i].Cur
		for s := b.parts[i].full; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			b.put.signed(numID, int32(g.IDs[k]-id-1))
			x := g.Masks[k] ^ mask
			b.put.put(numMask, uint32(x))
			if m.layout.Components() > 32 {
				b.put.put(numMask, uint32(x>>32))
			}
			id, mask = g.IDs[k], g.Masks[k]
		}
	}
}

// writeOps writes the ops as runs.
func (b *byteEncoder) writeOps() {
	for i := 0; i < len(b.ops); {
		j := i + 1
		for j < len(b.ops) && b.ops[j] == b.ops[i] {
			j++
		}
		if i == 0 {
			if j == len(b.ops) {
				b.put.put(numOp, uint32(b.ops[0]))
				return
			}
			b.put.put(numOp, opRuns)
		}
		b.put.put(numOp, uint32(b.ops[i]))
		b.put.put(numGap, uint32(j-i-1))
		i = j
	}
}

// writeNews writes the set of kept entities that are not as predicted, and the set of those with an unexpected mode.
func (b *byteEncoder) writeNews() {
	n, odd := 0, 0
	for i := range b.parts {
		p := &b.parts[i]
		n += bits.OnesCount64(p.news)
		for s := p.news; s != 0; s &= s - 1 {
			if p.mode[bits.TrailingZeros64(s)] != 0 {
				odd++
			}
		}
	}
	b.put.put(numGap, uint32(n))
	last, at := -1, 0
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.kept; s != 0; s &= s - 1 {
			if s&-s&p.news != 0 {
				b.put.put(numGap, uint32(at-last-1))
				last = at
			}
			at++
		}
	}
	if n == 0 {
		return
	}
	b.put.put(numGap, uint32(odd))
	last, at = -1, 0
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.news; s != 0; s &= s - 1 {
			if m := p.mode[bits.TrailingZeros64(s)]; m != 0 {
				b.put.put(numGap, uint32(at-last-1))
				b.put.put(numMode, uint32(m-1))
				last = at
			}
			at++
		}
	}
}
