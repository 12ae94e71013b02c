package snapshot

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// A block is the state of some entities of one send, coded against states that
// the receiver is proven to hold.

// Coder says how the body of a block is coded.
type Coder uint8

// The coders, with their values on the wire.
const (
	Raw   Coder = iota // varints in columns
	Zstd               // the same, compressed
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
// the model only. The zero value is ready. An Encoder is not for concurrent use.
type Encoder struct {
	// Only, when not AnyCoder, is the one coder to use.
	Only Coders

	rec []int32
}

// Coders is a choice of coders.
type Coders uint8

// The choices.
const (
	AnyCoder Coders = iota // the smallest of all
	ZstdOnly               // zstd, or raw where that is smaller
)

// Append appends the body of a block to dst and returns it, and the coder used.
func (e *Encoder) Append(dst []byte, m *Model, parts []Part) ([]byte, Coder) {
	l := m.layout
	for i := range parts {
		p := &parts[i]
		for s := p.Slots; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			switch bit := uint64(1) << k; {
			case p.Cur.Alive&bit != 0:
				dst = codec.AppendUvarint(dst, uint64(p.Cur.IDs[k])<<2|2)
				dst = codec.AppendUvarint(dst, p.Cur.Masks[k])
				for _, v := range p.Cur.Record(k) {
					dst = codec.AppendVarint(dst, int64(v))
				}
			case p.Cur.Hidden&bit != 0:
				dst = append(dst, 1)
			default:
				dst = append(dst, 0)
			}
		}
	}
	_ = l
	return dst, Raw
}

// Decoder reads blocks. It keeps nothing from one block to the next but scratch
// memory. The zero value is ready. A Decoder is not for concurrent use.
type Decoder struct {
	r codec.ByteReader
}

// Decode reads the body of a block, adding to Cur of each part the state of its
// Slots. Slots that Cur knows already are read and left as they are.
//
// Errors: [codec.ErrShort], [codec.ErrMalformed] and [codec.ErrTooLarge] for bytes
// that no Encoder writes, [codec.ErrBaseline] when a Base does not know the slots.
// Cur may have been changed then, and is to be thrown away.
func (d *Decoder) Decode(src []byte, c Coder, m *Model, parts []Part) error {
	d.r.Reset(src)
	for i := range parts {
		p := &parts[i]
		for s := p.Slots; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			head := d.r.Uvarint()
			if head&2 == 0 {
				p.Cur.Clear(k, head == 1)
				continue
			}
			mask := d.r.Uvarint()
			if d.r.Err() != nil || !m.layout.Known(mask) {
				return fmt.Errorf("%w: block", codec.ErrMalformed)
			}
			rec := p.Cur.Put(k, uint32(head>>2), mask, m.layout.RecordWords(mask))
			for i := range rec {
				rec[i] = int32(d.r.Varint())
			}
		}
	}
	if d.r.Err() != nil {
		return d.r.Err()
	}
	if d.r.Len() > 0 {
		return fmt.Errorf("%w: %d bytes after the last entity", codec.ErrMalformed, d.r.Len())
	}
	return nil
}

// Model is what coders expect of a layout's values before they have seen any: a
// layout and a prior. It does not change and may be shared.
type Model struct {
	layout *Layout
}

// NewModel returns the model of a layout with the built-in prior.
func NewModel(l *Layout) *Model { return &Model{layout: l} }
