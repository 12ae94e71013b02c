package wire

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tactusgo/tactus/codec"
)

// A server sends notices to a client about refusals, and tickets to other rooms. Notices are
// numbered from 1. A packet contains all unacknowledged ones that fit, from the oldest on:
//
//	5 | number of the first, varint | notices
//	notice   kind u8 | tick varint | by kind:
//	  0      an input was refused: its sequence number varint | reason
//	  1      inputs arrive too fast: total number of excess inputs varint
//	  2      a command was refused: its kind plus 1, varint | reason
//	  3      a part of a ticket to another room: number u8, from 0 | number of parts u8 |
//	         length u16 | bytes; see package travel
//	reason   length u8, up to 64 | UTF-8
const KindNotices = 5

// Kinds of notices.
const (
	NoticeInput   = iota // an input was refused
	NoticeFast           // inputs arrive too fast
	NoticeCommand        // a command was refused
	NoticeTravel         // part of a ticket to another room
	noticeKinds
)

// MaxReason is the maximum size of a reason, in bytes.
const MaxReason = 64

// Notice is one notice.
type Notice struct {
	Kind   int
	Tick   uint32
	Input  uint32 // sequence number; for a command its kind plus 1
	Inputs uint64
	Reason string // for a ticket the bytes of the part
	Part   uint8  // of a ticket, from 0
	Parts  uint8
}

// Append encodes a notice.
func (n *Notice) Append(b []byte) []byte {
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
	First   uint32 // number of Notices[0]
	Notices []Notice
}

// Read decodes a packet.
func (r *NoticeReader) Read(b []byte) error {
	r.Notices = r.Notices[:0]
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
		number := in.Uvarint() // of an input, or a kind of command
		if number > math.MaxUint32 || number == 0 {
			return fmt.Errorf("%w: notice about %d", ErrMessage, number)
		}
		n.Input = uint32(number)
		size := int(in.Byte())
		text := in.Next(size)
		if size > MaxReason || !utf8.Valid(text) {
			return fmt.Errorf("%w: a reason of %d bytes", ErrMessage, size)
		}
		n.Reason = string(text)
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%w: notice: %w", ErrMessage, err)
	}
	r.Notices = append(r.Notices, n)
	return nil
}
