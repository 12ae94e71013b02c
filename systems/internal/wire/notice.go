package wire

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// A server sends notices to a client about refusals and about what the client may write. Notices
// are numbered from 1. A packet contains all unacknowledged ones that fit, from the oldest
// on:
//
//	5 | number of the first, varint | notices
//	notice   kind u8 | tick varint | by kind:
//	  0      an input was refused: its sequence number varint | reason
//	  1      inputs arrive too fast: total number of excess inputs varint
//	  2      a change was refused: NetID varint | component u8 | number of the packet
//	         with the change u16 | reason | bits: the server's value, each word at its full
//	         width, zero bits up to the next byte
//	  3      the client may write the client-owned components of an entity: NetID varint
//	  4      the client may no longer do so: NetID varint
//	  5      an entity of kind 3 is gone: NetID varint
//	  6      a command was refused: its kind plus 1, varint | reason
//	  7      a part of a ticket to another room: number u8, from 0 | number of parts u8 |
//	         length u16 | bytes; see package travel
//	reason   length u8, up to 64 | UTF-8
const KindNotices = 5

// Kinds of notices.
const (
	NoticeInput   = iota // an input was refused
	NoticeFast           // inputs arrive too fast
	NoticeChange         // a change of a client-owned component was refused
	NoticeGranted        // the client may write an entity
	NoticeRevoked        // the client may no longer write an entity
	NoticeGone           // a granted entity is gone
	NoticeCommand        // a command was refused
	NoticeTravel         // part of a ticket to another room
	noticeKinds
)

// MaxReason is the maximum size of a reason, in bytes.
const MaxReason = 64

// Notice is one notice.
type Notice struct {
	Kind      int
	Tick      uint32
	Input     uint32 // sequence number; for a command its kind plus 1
	Inputs    uint64
	ID        uint32
	Component int // index among the client-owned components
	Seq       uint16
	Reason    string // for a ticket the bytes of the part
	Part      uint8  // of a ticket, from 0
	Parts     uint8
	first     int // index of the first word of a decoded notice
}

// Append encodes a notice. For a refused change, words and t are the server's value and the table of its component.
func (n *Notice) Append(b []byte, words []int32, t *schema.Table) []byte {
	b = append(b, byte(n.Kind))
	b = codec.AppendUvarint(b, uint64(n.Tick))
	switch n.Kind {
	case NoticeInput, NoticeCommand:
		b = codec.AppendUvarint(b, uint64(n.Input))
		b = appendReason(b, n.Reason)
	case NoticeFast:
		b = codec.AppendUvarint(b, n.Inputs)
	case NoticeTravel:
		b = append(b, n.Part, n.Parts, byte(len(n.Reason)), byte(len(n.Reason)>>8))
		b = append(b, n.Reason...)
	case NoticeChange:
		b = codec.AppendUvarint(b, uint64(n.ID))
		b = append(b, byte(n.Component), byte(n.Seq), byte(n.Seq>>8))
		b = appendReason(b, n.Reason)
		var w codec.Writer
		w.Reset(b)
		for k, v := range words {
			w.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
		}
		b = w.Bytes()
	default:
		b = codec.AppendUvarint(b, uint64(n.ID))
	}
	return b
}

func appendReason(b []byte, reason string) []byte {
	reason = CutReason(reason)
	return append(append(b, byte(len(reason))), reason...)
}

// CutReason shortens a reason to MaxReason bytes.
func CutReason(reason string) string {
	reason = strings.ToValidUTF8(reason, "?")
	if len(reason) <= MaxReason {
		return reason
	}
	n := MaxReason
	for !utf8.RuneStart(reason[n]) {
		n--
	}
	return reason[:n]
}

// NoticeReader decodes packets of notices.
type NoticeReader struct {
	Components []*ecs.Component // the client-owned components
	First      uint32           // number of Notices[0]
	Notices    []Notice
	Words      []int32
}

// Value returns the server's value in a notice of a refused change.
func (r *NoticeReader) Value(n *Notice) []int32 {
	return r.Words[n.first : n.first+r.Components[n.Component].Words]
}

// Read decodes a packet.
func (r *NoticeReader) Read(b []byte) error {
	r.Notices, r.Words = r.Notices[:0], r.Words[:0]
	var in codec.ByteReader
	in.Reset(b)
	kind, first := in.Byte(), in.Uvarint()
	if in.Err() != nil || kind != KindNotices || first == 0 || first > math.MaxUint32-uint64(len(b)) || in.Len() == 0 {
		return fmt.Errorf("%w: notices from %d", ErrMessage, first)
	}
	r.First = uint32(first)
	for in.Len() > 0 {
		if err := r.readNotice(&in); err != nil {
			return err
		}
	}
	return nil
}

func (r *NoticeReader) readNotice(in *codec.ByteReader) error {
	n := Notice{Kind: int(in.Byte())}
	tick := in.Uvarint()
	if n.Kind >= noticeKinds || tick > math.MaxUint32 {
		return fmt.Errorf("%w: notice of kind %d", ErrMessage, n.Kind)
	}
	n.Tick = uint32(tick)
	switch n.Kind {
	case NoticeFast:
		n.Inputs = in.Uvarint()
	case NoticeTravel:
		n.Part, n.Parts = in.Byte(), in.Byte()
		n.Reason = string(in.Next(int(in.Uint16())))
	default:
		number := in.Uvarint() // of an input, an entity, or a kind of command
		if number > math.MaxUint32 || number == 0 {
			return fmt.Errorf("%w: notice about %d", ErrMessage, number)
		}
		n.Input, n.ID = uint32(number), uint32(number)
	}
	if n.Kind == NoticeChange {
		n.Component, n.Seq = int(in.Byte()), in.Uint16()
		if n.Component >= len(r.Components) {
			return fmt.Errorf("%w: notice about component %d", ErrMessage, n.Component)
		}
	}
	if n.Kind == NoticeInput || n.Kind == NoticeChange || n.Kind == NoticeCommand {
		size := int(in.Byte())
		text := in.Next(size)
		if size > MaxReason || !utf8.Valid(text) {
			return fmt.Errorf("%w: a reason of %d bytes", ErrMessage, size)
		}
		n.Reason = string(text)
	}
	if n.Kind == NoticeChange {
		n.first = len(r.Words)
		t := r.Components[n.Component].Schema
		bits := 0
		for k := range t.Words {
			bits += t.WordBits(k)
		}
		var v codec.Reader
		v.Reset(in.Next((bits + 7) / 8))
		for k := range t.Words {
			r.Words = append(r.Words, int32(uint32(v.Bits(uint(t.WordBits(k))))))
		}
		if v.Align(); v.Err() != nil {
			return fmt.Errorf("%w: notice: %w", ErrMessage, v.Err())
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%w: notice: %w", ErrMessage, err)
	}
	r.Notices = append(r.Notices, n)
	return nil
}
