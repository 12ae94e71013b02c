package delta

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

// A block is the state of some entities at one send, encoded against states that the receiver has acknowledged.

// Coder is the coding of the body of a block.
type Coder uint8

// The coders and their values in the wire format.
const (
	Raw   Coder = iota // numbers as bits
	Zstd               // the same numbers by columns, with their lengths compressed by zstd
	Range              // a range coder with context models
)

// Part is the content of a block for one group.
type Part struct {
	// Cur is the state to encode. A decoder adds the decoded slots to it.
	Cur *Group
	// Base is an older state that the receiver has and in which all Slots are known, or nil. Base2 is the state of the send
	// before Base, if the receiver has it too and [Layout.Second] is true, else nil. All parts of a block have a Base from
	// the same send, or none has a Base; the same holds for Base2.
	Base, Base2 *Group
	// Slots are the slots that the block contains.
	Slots uint64
}

// Encoder encodes blocks. It keeps scratch memory and statistics, but no state that a decoder would need: a block depends
// only on its parts, the layout and the model. The zero value is ready to use. An Encoder is not safe for concurrent use.
// It allocates when the model changes.
type Encoder struct {
	// Only restricts the coders. The zero value allows all of them.
	Only Coders
	// Account makes the Encoder count the cost of each field, see [Encoder.Costs].
	Account bool

	coder   blockCoder
	symbols symbols
	other   []byte
	spent   costs
}

// Coders is a set of coders for an [Encoder] to choose from.
type Coders uint8

// The sets of coders.
const (
	AnyCoder Coders = iota // the range coder; without a baseline, the smallest of all
	ZstdOnly               // zstd, or raw if that is smaller
)

// Append appends the body of a block to dst. It returns the extended slice and the coder used.
func (e *Encoder) Append(dst []byte, m *Model, parts []Part) (all []byte, c Coder) {
	if e.Only == ZstdOnly {
		return e.appendSymbols(dst, m, parts)
	}
	at, all := len(dst), e.appendRange(dst, m, parts)
	if len(parts) > 0 && parts[0].Base != nil {
		return all, Range
	}
	if e.other, c = e.appendSymbols(e.other[:0], m, parts); len(e.other) >= len(all)-at {
		return all, Range
	}
	return append(all[:at], e.other...), c
}

// Trace codes a block with a sink instead of the range coder. The sink gets pointers into now, which must be as long as
// [Model.Chances] and then holds the chances of the block.
func (e *Encoder) Trace(m *Model, parts []Part, now []rangecoder.Chance, to rangecoder.Sink) {
	c := &e.coder
	c.symbols, c.spent, c.ctx = nil, nil, now
	c.Divert(to, false)
	_ = c.code(m, parts)
}

func (e *Encoder) appendRange(dst []byte, m *Model, parts []Part) []byte {
	c := &e.coder
	c.Write(dst)
	if c.symbols, c.spent = nil, nil; e.Account {
		c.spent = &e.spent
	}
	_ = c.code(m, parts) // only reading fails
	return c.Finish()
}

func (e *Encoder) appendSymbols(dst []byte, m *Model, parts []Part) ([]byte, Coder) {
	c := &e.coder
	c.symbols, c.spent = &e.symbols, nil
	c.symbols.write(m.columns)
	c.Divert(c.symbols, false)
	_ = c.code(m, parts)
	return c.symbols.finish(dst)
}

// Decoder decodes blocks. It keeps nothing between blocks except scratch memory. The zero value is ready to use. A Decoder
// is not safe for concurrent use. It allocates when the model changes.
type Decoder struct {
	// Account makes the Decoder count the cost of each field, see [Decoder.Costs].
	Account bool

	coder   blockCoder
	symbols symbols
	scratch []Group
	parts   []Part
	spent   costs
}

// Decode decodes the body of a block and adds the state of the Slots to Cur of each part. Slots that Cur knows already are
// decoded but stay unchanged. Cur gets at most the words of the baselines plus 4,194,304 words for entities without a
// baseline. Decode uses scratch memory of the same order plus 128 KiB.
//
// Errors are [codec.ErrShort], [codec.ErrMalformed] and [codec.ErrTooLarge] for bytes that no Encoder produces,
// and [codec.ErrBaseline] if a Base does not know the slots. After an error, discard Cur: it may be partly changed.
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

// decode decodes a body into groups that do not know its slots.
func (d *Decoder) decode(src []byte, coder Coder, m *Model, parts []Part) (err error) {
	c := &d.coder
	if c.symbols, c.spent = nil, nil; d.Account {
		c.spent = &d.spent
	}
	switch coder {
	case Raw, Zstd:
		c.symbols = &d.symbols
		if err = c.symbols.open(src, coder, m.columns); err == nil {
			c.Divert(c.symbols, true)
			err = c.code(m, parts)
		}
	case Range:
		c.Read(src)
		err = c.code(m, parts)
	default:
		err = fmt.Errorf("%w: coder %d", codec.ErrMalformed, coder)
	}
	if err != nil {
		return fmt.Errorf("snapshot block: %w", err)
	}
	return nil
}

// Cost is the encoded size of one field since accounting started.
type Cost struct {
	// Component and Field are indices into the components of the layout and the fields of the component. They are −1, −1
	// for data outside of fields: presence of entities, and flags for changed entities.
	Component, Field int
	// Bits is the size in bits, with fractions.
	Bits float64
}

// costs counts encoded sizes, in 256ths of a bit.
type costs struct {
	fields   [][]uint64 // by component and field
	rest     uint64
	entities map[uint32]uint64 // by ID, or nil
	from     uint64            // position of the start of the next value
}

// costScale is the number of units per bit.
const costScale = rangecoder.Parts

// Costs appends the cost of each field since accounting started to dst: the fields in order, then the rest. It allocates
// nothing if dst is large enough.
func (e *Encoder) Costs(dst []Cost) []Cost { return e.spent.appendTo(dst) }

// Costs appends the cost of each field in the decoded blocks since accounting started to dst: the fields in order, then the
// rest. For blocks of [Range] it is exact, as in [Encoder.Costs]. For other coders it is the size of the values, with an
// equal share of the zstd block for each byte before compression. It allocates nothing if dst is large enough.
func (d *Decoder) Costs(dst []Cost) []Cost { return d.spent.appendTo(dst) }

func (s *costs) appendTo(dst []Cost) []Cost {
	for c, fs := range s.fields {
		for f, n := range fs {
			dst = append(dst, Cost{Component: c, Field: f, Bits: float64(n) / costScale})
		}
	}
	return append(dst, Cost{Component: -1, Field: -1, Bits: float64(s.rest) / costScale})
}

// AccountEntities turns counting of the cost per entity on or off, for an Encoder with Account. Turning it on resets the
// counts.
func (e *Encoder) AccountEntities(on bool) {
	e.spent.entities = nil
	if on {
		e.spent.entities = map[uint32]uint64{}
	}
}

// CostOf returns the cost of the entity with network id id, in bits.
func (e *Encoder) CostOf(id uint32) float64 { return float64(e.spent.entities[id]) / costScale }

// reset prepares the counters for a block of a model.
func (s *costs) reset(m *Model) {
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
