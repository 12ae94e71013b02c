package delta

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/rangecoder"
)

// A block is the state of some entities of one send, coded against states that
// the receiver is proven to hold.

// Coder says how the body of a block is coded.
type Coder uint8

// The coders, with their values on the wire.
const (
	Raw   Coder = iota // numbers in columns, as bits
	Zstd               // the same numbers, their lengths compressed
	Range              // context-modelled range coder
)

// Part is what a block says of one group.
type Part struct {
	// Cur is the state to be coded; a decoder adds to it what it reads.
	Cur *Group
	// Base is an older state that the receiver holds, and that knows all of
	// Slots, or nil for none. Base2 is the state of the send before Base, if the
	// receiver holds that too and [Layout.Second], else nil. In a block, all
	// parts have a Base of one send, or none has; the same for Base2.
	Base, Base2 *Group
	// Slots are those that the block speaks of.
	Slots uint64
}

// Encoder codes blocks. It keeps scratch memory and statistics, but nothing that
// decides what a decoder must know: a block depends on its parts, the layout and
// the model only. The zero value is ready. An Encoder is not for concurrent use,
// and allocates when the model is not that of the block before.
type Encoder struct {
	// Only, when not AnyCoder, is the one coder to use.
	Only Coders
	// Account makes the Encoder count what the fields cost: see [Encoder.Costs].
	Account bool

	ranged blockCoder
	bytes  byteEncoder
	other  []byte
	deltas int // blocks with a baseline so far
	won    int // so many of them are tried with both coders yet
	spent  costs
}

// Coders is a choice of coders.
type Coders uint8

// The choices.
const (
	AnyCoder Coders = iota // the smallest of all
	ZstdOnly               // zstd, or raw where that is smaller
)

// The range coder nearly always wins where there is a baseline, so that the
// others are tried with one such block in tryEvery, and after they won with the
// tryAfter next ones.
const (
	tryEvery = 256
	tryAfter = 8
)

// Append appends the body of a block to dst and returns it, and the coder used.
func (e *Encoder) Append(dst []byte, m *Model, parts []Part) (all []byte, c Coder) {
	all, c = e.AppendBest(dst, m, parts, e.won > 0 || (e.deltas+1)%tryEvery == 0)
	if len(parts) > 0 && parts[0].Base != nil {
		e.deltas, e.won = e.deltas+1, max(e.won-1, 0)
	}
	if c != Range {
		e.won = tryAfter
	}
	return all, c
}

// AppendBest is Append where the caller says whether a block with a baseline is tried with all
// coders, so that its body does not depend on the blocks before it.
func (e *Encoder) AppendBest(dst []byte, m *Model, parts []Part, try bool) (all []byte, c Coder) {
	if e.Only == ZstdOnly {
		return e.bytes.append(dst, m, parts)
	}
	at, all := len(dst), e.appendRange(dst, m, parts)
	if !try && len(parts) > 0 && parts[0].Base != nil {
		return all, Range
	}
	if e.other, c = e.bytes.append(e.other[:0], m, parts); len(e.other) >= len(all)-at {
		return all, Range
	}
	return append(all[:at], e.other...), c
}

func (e *Encoder) appendRange(dst []byte, m *Model, parts []Part) []byte {
	c := &e.ranged
	c.Write(dst)
	if c.spent = nil; e.Account {
		c.spent = &e.spent
	}
	_ = c.code(m, parts) // only reading fails
	return c.Finish()
}

// Decoder reads blocks. It keeps nothing from one block to the next but scratch
// memory. The zero value is ready. A Decoder is not for concurrent use, and
// allocates when the model is not that of the block before.
type Decoder struct {
	// Account makes the Decoder count what the fields cost: see [Decoder.Costs].
	Account bool

	ranged  blockCoder
	bytes   byteDecoder
	scratch []Group
	parts   []Part
	spent   costs
}

// Decode reads the body of a block, adding to Cur of each part the state of its
// Slots. Slots that Cur knows already are read and left as they are. Cur gets no
// more words than those of the baselines and 4,194,304 for entities without one;
// what else Decode uses is of that order, and 128 KiB.
//
// Errors: [codec.ErrShort], [codec.ErrMalformed] and [codec.ErrTooLarge] for bytes
// that no Encoder writes, [codec.ErrBaseline] when a Base does not know the slots,
// [ErrDictionary]. Cur may have been changed then, and is to be thrown away.
func (d *Decoder) Decode(src []byte, c Coder, m *Model, parts []Part) error {
	merge := false
	for i := range parts {
		p := &parts[i]
		if p.Base != nil && p.Slots&^p.Base.Known != 0 || p.Base2 != nil && p.Slots&^p.Base2.Known != 0 {
			return fmt.Errorf("%w: slots %x of part %d", codec.ErrBaseline, p.Slots, i)
		}
		merge = merge || p.Cur.Known&p.Slots != 0
	}
	if !merge {
		return d.decode(src, c, m, parts)
	}
	if d.parts = append(d.parts[:0], parts...); len(d.scratch) < len(parts) {
		d.scratch = make([]Group, len(parts))
	}
	for i := range parts {
		d.scratch[i].Reset(parts[i].Cur.Send)
		d.parts[i].Cur = &d.scratch[i]
	}
	if err := d.decode(src, c, m, d.parts); err != nil {
		return err
	}
	for i := range parts {
		adopt(parts[i].Cur, &d.scratch[i], parts[i].Slots&^parts[i].Cur.Known)
	}
	return nil
}

// decode reads a body into groups that do not know its slots.
func (d *Decoder) decode(src []byte, c Coder, m *Model, parts []Part) (err error) {
	if d.ranged.spent, d.bytes.spent = nil, nil; d.Account {
		d.ranged.spent, d.bytes.spent = &d.spent, &d.spent
	}
	switch c {
	case Raw, Zstd:
		err = d.bytes.decode(src, c, m, parts)
	case Range:
		d.ranged.Read(src)
		err = d.ranged.code(m, parts)
	default:
		err = fmt.Errorf("%w: coder %d", codec.ErrMalformed, c)
	}
	if err != nil {
		return fmt.Errorf("snapshot block: %w", err)
	}
	return nil
}

// Cost is what some of the values of a layout cost so far.
type Cost struct {
	// Component and Field are indices into the layout's components and the
	// component's fields. They are −1, −1 for what belongs to no field: which
	// entities there are and which have news.
	Component, Field int
	// Bits is the length, with fractions.
	Bits float64
}

// spending counts, in 256ths of a bit.
type costs struct {
	fields   [][]uint64 // by component and field
	rest     uint64
	entities map[uint32]uint64 // by ID, or nil
	from     uint64            // position at which the next value begins
}

// costScale is how many parts of a bit are counted.
const costScale = rangecoder.Parts

// Costs appends to dst what each field has cost since the Encoder began to
// Account, the fields in order, and the rest last. It allocates nothing if dst is
// large enough.
func (e *Encoder) Costs(dst []Cost) []Cost { return e.spent.appendTo(dst) }

// Costs appends to dst what each field has cost in the blocks that were decoded since
// the Decoder began to Account, the fields in order, and the rest last. In blocks of
// [Range] it is what the coder took, as [Encoder.Costs] has it; in others what
// stands for the values, and of what zstd made smaller their share. It allocates nothing
// if dst is large enough.
func (d *Decoder) Costs(dst []Cost) []Cost { return d.spent.appendTo(dst) }

func (s *costs) appendTo(dst []Cost) []Cost {
	for c, fs := range s.fields {
		for f, n := range fs {
			dst = append(dst, Cost{Component: c, Field: f, Bits: float64(n) / costScale})
		}
	}
	return append(dst, Cost{Component: -1, Field: -1, Bits: float64(s.rest) / costScale})
}

// AccountEntities makes an Encoder that does Account count the cost of each
// entity too, from now on, or no longer.
func (e *Encoder) AccountEntities(on bool) {
	e.spent.entities = nil
	if on {
		e.spent.entities = map[uint32]uint64{}
	}
}

// CostOf returns what an entity has cost in bits, by its ID.
func (e *Encoder) CostOf(id uint32) float64 { return float64(e.spent.entities[id]) / costScale }

// begin gets ready for a model.
func (s *costs) begin(m *Model) {
	for len(s.fields) < len(m.fields) {
		s.fields = append(s.fields, nil)
	}
	for c := range m.fields {
		for len(s.fields[c]) < len(m.fields[c]) {
			s.fields[c] = append(s.fields[c], 0)
		}
	}
	s.from = 0
}

// word counts what a word of the entities' components took.
func (s *costs) word(m *Model, component, word int, n uint64) {
	for i := range m.fields[component] {
		if f := &m.fields[component][i]; word >= f.at && word < f.at+f.words {
			s.fields[component][i] += n
		}
	}
}
