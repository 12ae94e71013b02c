package delta

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// byteDecoder decodes bodies of [Raw] and [Zstd]. The zero value is ready to use.
type byteDecoder struct {
	byteRows
	num     numberReader
	zip     inflater
	spent   *costs // or nil
	classes int    // number of bytes before compression
	weight  uint64 // cost of each of them, see position
}

// decode decodes a body into Cur of each part, which must not know the slots. The errors are those of [Decoder.Decode].
// Apart from the records in Cur, whose size maxBlockWords and the baselines limit, it uses as much memory again plus
// maxPlain bytes.
func (b *byteDecoder) decode(src []byte, c Coder, m *Model, parts []Part) error {
	class, low := []byte(nil), src
	if c == Zstd {
		var err error
		if class, low, err = b.unpack(src, m.dictionary); err != nil {
			return err
		}
	}
	b.num.reset(c == Zstd, class, low)
	b.classes, b.weight = len(class), uint64(8*costScale*(len(src)-len(low))/max(len(class), 1))
	b.reset(len(parts))
	if err := b.presence(m, parts); err != nil {
		return err
	}
	if err := b.readNews(); err != nil {
		return err
	}
	if err := b.columns(m, parts); err != nil {
		return err
	}
	if err := b.records(m, parts); err != nil {
		return err
	}
	return b.num.end()
}

// unpack splits a body of [Zstd] into the decompressed classes and the bits.
func (b *byteDecoder) unpack(src []byte, dict *Dictionary) (class, low []byte, err error) {
	var r codec.ByteReader
	r.Reset(src)
	head := r.Uvarint()
	var id byte
	if head&1 != 0 {
		id = r.Byte()
	}
	n := head >> 1
	if n > uint64(len(src)) {
		return nil, nil, fmt.Errorf("%w: zstd block of %d bytes in %d", codec.ErrShort, n, len(src))
	}
	block := r.Next(int(n))
	if err := r.Err(); err != nil {
		return nil, nil, fmt.Errorf("%w: zstd block", err)
	}
	switch {
	case head&1 == 0:
		dict = nil
	case dict == nil:
		return nil, nil, fmt.Errorf("%w: it has id %d, this side has no dictionary", ErrDictionary, id)
	case dict.id != id:
		return nil, nil, fmt.Errorf("%w: it has id %d, this side has id %d", ErrDictionary, id, dict.id)
	}
	class, err = b.zip.inflate(block, dict)
	return class, r.Next(r.Len()), err
}

// presence reads the ops, and the ids and masks of new entities.
func (b *byteDecoder) presence(m *Model, parts []Part) error {
	total := 0
	for i := range parts {
		total += bits.OnesCount64(parts[i].Slots)
	}
	if total == 0 {
		return nil
	}
	op, run := b.num.get(numOp), total
	runs := op == opRuns
	if runs {
		run = 0
	}
	for i := range parts {
		p, q := &parts[i], &b.parts[i]
		for s := p.Slots; s != 0; s &= s - 1 {
			if run == 0 {
				op = b.num.get(numOp)
				run = b.num.gap() + 1
			}
			if b.num.err != nil {
				return b.num.err
			}
			if op >= opRuns || run > total {
				return fmt.Errorf("%w: presence of slots", codec.ErrMalformed)
			}
			run--
			total--
			k, bit := bits.TrailingZeros64(s), s&-s
			switch op {
			case opKeep:
				if p.Base == nil || p.Base.Known&bit == 0 {
					return fmt.Errorf("%w: slot %d", codec.ErrBaseline, k)
				}
				q.kept |= bit
			case opNew:
				q.full |= bit
			default:
				p.Cur.Clear(k, op == opHidden)
			}
		}
		if q.kept != 0 {
			adopt(p.Cur, p.Base, q.kept)
			q.kept &= p.Base.Alive
		}
	}
	return b.newEntities(m, parts)
}

// newEntities reads the ids and masks of new entities.
func (b *byteDecoder) newEntities(m *Model, parts []Part) error {
	id, mask, words := uint32(0), uint64(0), 0
	for i := range parts {
		for s := b.parts[i].full; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			id += uint32(b.num.signed(numID)) + 1
			mask ^= uint64(b.num.get(numMask))
			if m.layout.Components() > 32 {
				mask ^= uint64(b.num.get(numMask)) << 32
			}
			if b.num.err != nil {
				return b.num.err
			}
			if !m.layout.Known(mask) {
				return fmt.Errorf("%w: entity %d: mask %#x has unknown components", codec.ErrMalformed, id, mask)
			}
			n := m.layout.RecordWords(mask)
			if words += n; words > maxBlockWords {
				return fmt.Errorf("%w: new entities of more than %d words", codec.ErrTooLarge, maxBlockWords)
			}
			clear(parts[i].Cur.Put(k, id, mask, n))
		}
	}
	return nil
}

// readNews reads the set of kept entities that are not as predicted, and their modes.
func (b *byteDecoder) readNews() error {
	n := b.num.gap()
	gap := 0
	if n > 0 {
		gap = b.num.gap()
	}
	left := n
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.kept; s != 0 && left > 0; s &= s - 1 {
			if gap > 0 {
				gap--
				continue
			}
			k := bits.TrailingZeros64(s)
			p.news |= s & -s
			p.mode[k] = 0
			if left--; left > 0 {
				gap = b.num.gap()
			}
		}
	}
	if b.num.err != nil {
		return b.num.err
	}
	if left > 0 {
		return fmt.Errorf("%w: more entities with news than there are", codec.ErrMalformed)
	}
	if n == 0 {
		return nil
	}
	odd := b.num.gap()
	if odd > 0 {
		gap = b.num.gap()
	}
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.news; s != 0 && odd > 0; s &= s - 1 {
			if gap > 0 {
				gap--
				continue
			}
			m := b.num.get(numMode)
			if m >= uint32(modes)-1 {
				return fmt.Errorf("%w: motion of an entity", codec.ErrMalformed)
			}
			p.mode[bits.TrailingZeros64(s)] = mode(m) + 1
			if odd--; odd > 0 {
				gap = b.num.gap()
			}
		}
	}
	if b.num.err != nil {
		return b.num.err
	}
	if odd > 0 {
		return fmt.Errorf("%w: more odd motions than entities", codec.ErrMalformed)
	}
	return nil
}

// columns reads the residuals.
func (b *byteDecoder) columns(m *Model, parts []Part) error {
	total := 0
	for i := range b.parts {
		p := &b.parts[i]
		for s := p.full | p.news; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			p.at[k] = int32(total)
			total += m.layout.RecordWords(parts[i].Cur.Masks[k])
		}
	}
	b.res = grow(b.res[:0], total)
	clear(b.res)
	b.collectRows(parts)
	if b.spent != nil {
		b.spent.reset(m)
		b.spent.rest += b.position()
	}
	for c, words := range m.layout.words {
		b.col = b.col[:0]
		for i := range b.rows {
			if r := &b.rows[i]; r.mask>>c&1 != 0 {
				b.col = append(b.col, r.at)
				r.at += int32(words)
			}
		}
		if len(b.col) == 0 || words == 0 {
			continue
		}
		switch b.num.get(numColumn) {
		case 0:
		case 1:
			for k := 0; k < words && b.num.err == nil; k++ {
				before := b.position()
				b.column(b.col, k)
				if b.spent != nil && b.num.err == nil {
					b.spent.word(m, c, k, b.position()-before)
				}
			}
		default:
			return fmt.Errorf("%w: component %d", codec.ErrMalformed, c)
		}
		if b.num.err != nil {
			return fmt.Errorf("%w: component %d", b.num.err, c)
		}
	}
	return nil
}

// records makes the walk and computes the words from predictions and residuals.
func (b *byteDecoder) records(m *Model, parts []Part) error {
	b.startWalk(m, parts)
	w := &b.c.w
	for w.next() {
		if err := b.entity(); err != nil {
			return err
		}
		w.done()
	}
	return nil
}

// entity computes the words of the current entity of the walk. The words of a kept entity are still those of its baseline.
func (b *byteDecoder) entity() error {
	w := &b.c.w
	p := &b.parts[w.at]
	bit := uint64(1) << w.slot
	if (p.full|p.news)&bit == 0 {
		switch {
		case !w.quick():
			w.open()
			w.predictAll(w.expectedMode())
			copy(w.cur, w.pred)
		case w.plan.lines < len(w.plan.fields):
			l := b.c.line.planFor(w.plan)
			l.extendLines(l.words, w.part.cur.Record(w.slot), w.part.base.Record(w.slot), w.age)
		}
		return nil
	}
	w.open()
	res := b.res[p.at[w.slot]:]
	fields := w.plan.fields
	for i := range fields[:w.plan.plain] {
		f := &fields[i]
		for j := f.at; j < f.at+f.words; j++ {
			w.cur[j] = f.restored(w.pred[j], res[j])
		}
	}
	if w.plan.plain == len(fields) {
		return nil
	}
	w.reattach()
	m := w.expectedMode()
	if p.news&bit != 0 {
		m = (m + p.mode[w.slot]) % modes
	}
	w.predictMotion(m)
	for i := range fields[w.plan.plain:w.plan.lines] {
		f := &fields[w.plan.plain+i]
		w.predict(f)
		for j := f.at; j < f.at+f.words; j++ {
			w.cur[j] = f.restored(w.pred[j], res[j])
			if f.kind == kindQuat && j == f.at {
				if w.cur[j] < 0 || w.cur[j] > 3 {
					return fmt.Errorf("%w: component %d of a rotation", codec.ErrMalformed, w.cur[j])
				}
				w.predictQuatWords(f, w.cur[j])
			}
		}
	}
	return b.lines(res)
}

// position returns the number of 256ths of a bit that were read. Each byte before compression counts the same share of the
// zstd block.
func (b *byteDecoder) position() uint64 {
	return uint64(b.num.at)*costScale + uint64(b.classes-len(b.num.class))*b.weight
}
