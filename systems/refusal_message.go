package systems

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// A server tells a client in notices what it refused and what the client may write. They
// are numbered from 1, and a packet has all that were not acknowledged, from the oldest
// on, as far as they fit:
//
//	5 | number of the first, varint | notices
//	notice   kind u8 | tick varint | by kind:
//	  0      an input was refused: its sequence varint | reason
//	  1      inputs come too fast: how many too many in all varint
//	  2      a change was refused: NetID varint | component u8 | number of the packet
//	         that had it u16 | reason | bits: the server's value, each word at its full
//	         width, zero bits up to the next byte
//	  3      the client may write the client-owned components of an entity: NetID varint
//	  4      it may not: NetID varint
//	  5      an entity of which that was told is gone: NetID varint
//	reason   length u8, up to 64 | UTF-8
const kindNotices = 5

const (
	noticeInput = iota
	noticeFast
	noticeChange
	noticeGranted
	noticeRevoked
	noticeGone
	noticeKinds
)

// notice is one of them.
type notice struct {
	kind      int
	tick      uint32
	input     uint32
	inputs    uint64
	id        uint32
	component int // among the client-owned ones
	seq       uint16
	reason    string
	first     int // word, of one that was read
}

// append writes a notice; a refused change has a value, of a component with table t.
func (n *notice) append(b []byte, words []int32, t *schema.Table) []byte {
	b = append(b, byte(n.kind))
	b = codec.AppendUvarint(b, uint64(n.tick))
	switch n.kind {
	case noticeInput:
		b = codec.AppendUvarint(b, uint64(n.input))
		b = appendReason(b, n.reason)
	case noticeFast:
		b = codec.AppendUvarint(b, n.inputs)
	case noticeChange:
		b = codec.AppendUvarint(b, uint64(n.id))
		b = append(b, byte(n.component), byte(n.seq), byte(n.seq>>8))
		b = appendReason(b, n.reason)
		var w codec.Writer
		w.Reset(b)
		for k, v := range words {
			w.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
		}
		b = w.Bytes()
	default:
		b = codec.AppendUvarint(b, uint64(n.id))
	}
	return b
}

func appendReason(b []byte, reason string) []byte {
	reason = cutReason(reason)
	return append(append(b, byte(len(reason))), reason...)
}

// noticeReader reads packets of notices.
type noticeReader struct {
	components []*ecs.Component // the client-owned ones
	first      uint32           // number of notices[0]
	notices    []notice
	words      []int32
}

// value is the words that a notice of a refused change brings.
func (r *noticeReader) value(n *notice) []int32 {
	return r.words[n.first : n.first+r.components[n.component].Words]
}

// read parses a packet.
func (r *noticeReader) read(b []byte) error {
	r.notices, r.words = r.notices[:0], r.words[:0]
	var in codec.ByteReader
	in.Reset(b)
	kind, first := in.Byte(), in.Uvarint()
	if in.Err() != nil || kind != kindNotices || first == 0 || first > math.MaxUint32-uint64(len(b)) || in.Len() == 0 {
		return fmt.Errorf("%w: notices from %d", ErrMessage, first)
	}
	r.first = uint32(first)
	for in.Len() > 0 {
		if err := r.notice(&in); err != nil {
			return err
		}
	}
	return nil
}

func (r *noticeReader) notice(in *codec.ByteReader) error {
	n := notice{kind: int(in.Byte())}
	tick := in.Uvarint()
	if n.kind >= noticeKinds || tick > math.MaxUint32 {
		return fmt.Errorf("%w: notice of kind %d", ErrMessage, n.kind)
	}
	n.tick = uint32(tick)
	if n.kind == noticeFast {
		n.inputs = in.Uvarint()
	} else {
		number := in.Uvarint() // of an input, or an entity
		if number > math.MaxUint32 || number == 0 {
			return fmt.Errorf("%w: notice about %d", ErrMessage, number)
		}
		n.input, n.id = uint32(number), uint32(number)
	}
	if n.kind == noticeChange {
		n.component, n.seq = int(in.Byte()), in.Uint16()
		if n.component >= len(r.components) {
			return fmt.Errorf("%w: notice about component %d", ErrMessage, n.component)
		}
	}
	if n.kind == noticeInput || n.kind == noticeChange {
		size := int(in.Byte())
		text := in.Next(size)
		if size > MaxReason || !utf8.Valid(text) {
			return fmt.Errorf("%w: a reason of %d bytes", ErrMessage, size)
		}
		n.reason = string(text)
	}
	if n.kind == noticeChange {
		n.first = len(r.words)
		t := r.components[n.component].Schema
		bits := 0
		for k := range t.Words {
			bits += t.WordBits(k)
		}
		var v codec.Reader
		v.Reset(in.Next((bits + 7) / 8))
		for k := range t.Words {
			r.words = append(r.words, int32(uint32(v.Bits(uint(t.WordBits(k))))))
		}
		if v.Align(); v.Err() != nil {
			return fmt.Errorf("%w: notice: %w", ErrMessage, v.Err())
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%w: notice: %w", ErrMessage, err)
	}
	r.notices = append(r.notices, n)
	return nil
}
