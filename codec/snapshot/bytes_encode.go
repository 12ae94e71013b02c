package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// The numbers of a body of [Raw] or [Zstd]. A set of slots or entities is its
// size, then the distance of each to the one before, less 1; the first counts
// from −1. Entities stand in the order of parts and slots.
//
//	+------------------------------------------------------------------------+
//	| op of all slots, or 4 and then runs: op, length − 1    until none left |
//	+--- for each new entity ------------------------------------------------+
//	| id − last id − 1, signed                                               |
//	| mask ^ last mask: low 32 bits, and high if the layout has so many      |
//	+------------------------------------------------------------------------+
//	| entities with a baseline that move not as expected: set, then for each |
//	|   (mode − expected mode) mod 3 − 1                                     |
//	| entities with a baseline of which a word is not as predicted: set      |
//	+--- for each component with words that one of these or a new one has ---+
//	| 1 if a word of it is not as predicted in any, else 0 and no more of it |
//	+--- for each of its words ----------------------------------------------+
//	| form of the column, and the residuals: word − predicted, modulo 2^32   |
//	+--- for each kept entity with residuals that has lines, in the order of -+
//	|    the walk: see bytes_lines.go                                        |
//	+------------------------------------------------------------------------+
//
// A column has a residual for each entity of the sets that has the component, new
// or not as predicted. Its forms:
//
//	0  they are all zero; nothing follows
//	1  each, signed
//	2  the set of those that are not zero, and for each of these, signed, less 1
//	3  each less the one before, signed, modulo 2^32
//	4  each, none below zero
//	5… one to four bytes of each, none below zero: the lowest byte of all, then
//	   the next of all; with [Zstd] only
//
// A signed number is written as 0, 1, 2, 3 … for 0, −1, 1, −2 …. What is predicted,
// and in which order, predict.go says: both sides take the same walk. Of a field of
// bits the residual is word ^ predicted, of an angle the short way.

// The ops, with their values on the wire.
const (
	opKeep   = iota // the slot is as in the baseline but for what follows
	opNew           // holds an entity that the baseline does not have, or with other components
	opEmpty         // is empty
	opHidden        // holds what the receiver may not see
	opRuns          // not all slots have the same op
)

// The forms of columns, with their values on the wire.
const (
	columnZero = iota
	columnSigned
	columnSome
	columnSteps
	columnPlain
	columnBytes
	columnForms = columnBytes + 4
)

// maxBlockWords is the number of words above which the new entities of a block
// are refused: as many as a group of the largest entities has.
const maxBlockWords = 1 << 22

// bytePart is what a byte coder knows of a part: sets of its slots.
type bytePart struct {
	kept uint64 // as in the baseline but for residuals, and alive
	full uint64 // new
	news uint64 // of kept: not as predicted
	at   [GroupSize]int32
	mode [GroupSize]mode // of news: what is added to the mode expected
}

// byteRow is an entity with residuals on its way through the components.
type byteRow struct {
	at   int32 // where its next component begins in the residuals
	mask uint64
}

// byteRows is the scratch memory of a byte coder in either direction.
type byteRows struct {
	c     rangeCoder // its walk, and what it knows of lines
	parts []bytePart
	rows  []byteRow // in the order of parts and slots
	res   []int32
	col   []int32
}

// begin forgets the last block.
func (b *byteRows) begin(parts int) {
	b.rows, b.res = b.rows[:0], b.res[:0]
	b.parts = grow(b.parts[:0], parts)
	for i := range b.parts {
		p := &b.parts[i]
		p.kept, p.full, p.news = 0, 0, 0
	}
}

// start begins the walk.
func (b *byteRows) start(m *Model, parts []Part) {
	b.c.m = m
	b.c.w.begin(m, parts)
	b.c.line.begin(&b.c, parts)
}

// bend is a number that says how a line goes.
type bend struct {
	kind numberKind
	v    uint32
}

// byteEncoder writes bodies of [Raw] and [Zstd]. The zero value is ready.
type byteEncoder struct {
	byteRows
	ops   []byte
	bends []bend // numbers that say how lines go, in the order of the walk
	low   []byte
	put   numberWriter
	zip   deflater
	hist  [256]int32
}

// append appends the smaller of the two bodies to dst.
func (b *byteEncoder) append(dst []byte, m *Model, parts []Part) ([]byte, Coder) {
	b.survey(m, parts)
	at := len(dst)
	b.put.reset(false, dst)
	b.write(m, parts)
	dst = b.put.low.Bytes()
	if size, numbers := b.put.packs(); numbers <= alwaysPack && size > len(dst)-at {
		return dst, Raw
	}
	b.put.reset(true, b.low[:0])
	b.write(m, parts)
	b.low = b.put.low.Bytes()
	block := b.zip.deflate(b.put.class, m.dictionary)
	if block == nil || len(b.low)+len(block)+packedHead > len(dst)-at {
		return dst, Raw
	}
	return appendPacked(dst[:at], block, m.dictionary, b.low), Zstd
}

const (
	alwaysPack = 1 << 10 // so many numbers may repeat
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

// survey takes the walk and finds what is not as predicted.
func (b *byteEncoder) survey(m *Model, parts []Part) {
	b.begin(len(parts))
	b.bends = b.bends[:0]
	b.start(m, parts)
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

// entity notes the residuals of the entity at which the walk stands.
func (b *byteEncoder) entity() {
	w := &b.c.w
	kept := w.part.kept>>w.slot&1 != 0
	moves := w.moving || w.plan.lines < len(w.plan.fields)
	if kept && !moves && equal(w.part.cur.Record(w.slot), w.part.base.Record(w.slot)) {
		return
	}
	w.open()
	p := &b.parts[w.at]
	if kept {
		if moves {
			w.predictAll(w.expect())
			if equal(w.cur, w.pred) {
				return
			}
		}
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
	expected := w.expect()
	m := w.choose(expected)
	p.mode[w.slot] = (m + modes - expected) % modes
	w.move(m)
	for i := range fields[w.plan.plain:w.plan.lines] {
		f := &fields[w.plan.plain+i]
		w.predict(f)
		for j := f.at; j < f.at+f.words; j++ {
			res[j] = f.residual(w.cur[j], w.pred[j])
			if f.kind == kindQuat && j == f.at {
				w.settle(f, w.cur[j])
			}
		}
	}
	b.lines(res)
}

// residual is what is written of a word.
func (f *field) residual(v, pred int32) int32 {
	if f.kind == kindBits {
		return v ^ pred
	}
	return f.minus(v, pred)
}

// lineUp collects the rows, each at its first component.
func (b *byteRows) lineUp(parts []Part) {
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
	b.news()
	b.lineUp(parts)
	for c, words := range m.layout.words {
		b.component(c, words)
	}
	for _, v := range b.bends {
		b.put.put(v.kind, v.v)
	}
}

// presence writes the ops, and the ids and masks of what is new.
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
	b.runs()
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

// runs writes the ops.
func (b *byteEncoder) runs() {
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

// news writes which of the kept entities are not as predicted, and which of these
// move not as expected.
func (b *byteEncoder) news() {
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

// component writes the columns of a component of so many words.
func (b *byteEncoder) component(c, words int) {
	b.col = b.col[:0]
	some := false
	for i := range b.rows {
		r := &b.rows[i]
		if r.mask>>c&1 == 0 {
			continue
		}
		b.col = append(b.col, r.at)
		if !some {
			for _, v := range b.res[r.at:][:words] {
				some = some || v != 0
			}
		}
		r.at += int32(words)
	}
	if len(b.col) == 0 || words == 0 {
		return
	}
	if !some {
		b.put.put(numColumn, 0)
		return
	}
	b.put.put(numColumn, 1)
	for k := range words {
		b.column(b.col, k)
	}
}

// column writes a column: the residuals at these places and so many on.
func (b *byteEncoder) column(at []int32, on int) {
	res := b.res[on:]
	n, below := 0, false
	top := int32(0)
	for _, i := range at {
		if v := res[i]; v != 0 {
			n++
			below = below || v < 0
			top |= v
		}
	}
	form := columnSigned
	switch {
	case n == 0:
		form = columnZero
	case n*4 <= len(at):
		form = columnSome
	case len(at) >= columnLong:
		form = b.cheapest(at, res, below, top)
	case !below:
		form = columnPlain
	}
	b.put.put(numColumn, uint32(form))
	switch form {
	case columnSigned:
		for _, i := range at {
			b.put.signed(numValue, res[i])
		}
	case columnSome:
		b.put.put(numGap, uint32(n))
		last := -1
		for k, i := range at {
			if v := res[i]; v != 0 {
				b.put.put(numGap, uint32(k-last-1))
				b.put.put(numValue, zigzag(v)-1)
				last = k
			}
		}
	case columnSteps:
		last := int32(0)
		for _, i := range at {
			b.put.signed(numValue, res[i]-last)
			last = res[i]
		}
	case columnPlain:
		for _, i := range at {
			b.put.put(numValue, uint32(res[i]))
		}
	case columnZero:
	default:
		for p := range form - columnBytes + 1 {
			for _, i := range at {
				b.put.plane(byte(res[i] >> (8 * p)))
			}
		}
	}
}

// columnLong is the number of entities from which on it pays to compare forms.
const columnLong = 16

// cheapest returns the form of column that compresses best, by the entropy of its
// bytes and the number of bits beside them.
func (b *byteEncoder) cheapest(at, res []int32, below bool, top int32) int {
	best := columnSigned
	least := b.classCost(at, res, func(v, _ int32) uint32 { return zigzag(v) })
	if !below {
		best = columnPlain
		least = b.classCost(at, res, func(v, _ int32) uint32 { return uint32(v) })
	}
	if cost := b.classCost(at, res, func(v, last int32) uint32 { return zigzag(v - last) }); cost < least {
		best, least = columnSteps, cost
	}
	if below || !b.put.packed {
		return best
	}
	planes := max(1, (bits.Len32(uint32(top))+7)/8)
	cost := 0
	for p := range planes {
		clear(b.hist[:])
		for _, i := range at {
			b.hist[byte(res[i]>>(8*p))]++
		}
		cost += entropy(b.hist[:], len(at))
	}
	if cost < least {
		best = columnBytes + planes - 1
	}
	return best
}

// classCost is the cost of a column of numbers in 16ths of bits.
func (b *byteEncoder) classCost(at, res []int32, number func(v, last int32) uint32) int {
	hist := b.hist[:maxClass+1]
	clear(hist)
	cost, last := 0, int32(0)
	for _, i := range at {
		n := bits.Len32(number(res[i], last))
		last = res[i]
		hist[n]++
		cost += max(0, n-1) << 4
	}
	return cost + entropy(hist, len(at))
}

// entropy is the information of n symbols with these counts, in 16ths of bits.
func entropy(hist []int32, n int) int {
	sum := n * log16(n)
	for _, c := range hist {
		if c > 0 {
			sum -= int(c) * log16(int(c))
		}
	}
	return sum
}

// log16 is roughly 16 times the binary logarithm of n, n above 0.
func log16(n int) int {
	k := bits.Len(uint(n)) - 1
	return k<<4 + (n<<4>>k - 16)
}
