package wire

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tactusgo/tactus/codec"
)

// A server sends notices to a client about refusals, and tickets to other rooms. Each is a message of channel.Control:
//
//	notice   kind u8 | tick varint | by kind:
//	  0      an input was refused: its sequence number varint | reason
//	  1      inputs arrive too fast: total number of excess inputs varint
//	  2      a command was refused: its kind plus 1, varint | reason
//	  3      a ticket to another room; see package travel
//	reason   length u8, up to 64 | UTF-8

// Kinds of notices.
const (
	NoticeInput   = iota // an input was refused
	NoticeFast           // inputs arrive too fast
	NoticeCommand        // a command was refused
	NoticeTravel         // a ticket to another room
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
	Reason string
	Ticket []byte // part of the message
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
		b = append(b, n.Ticket...)
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

// ReadNotice decodes a message.
func ReadNotice(b []byte) (n Notice, err error) {
	var in codec.ByteReader
	in.Reset(b)
	n.Kind = int(in.Byte())
	tick := in.Uvarint()
	if n.Kind >= noticeKinds || tick > math.MaxUint32 {
		return n, fmt.Errorf("%w: notice of kind %d", ErrMessage, n.Kind)
	}
	n.Tick = uint32(tick)
	switch n.Kind {
	case NoticeFast:
		n.Inputs = in.Uvarint()
	case NoticeTravel:
		n.Ticket = in.Next(in.Len())
	default:
		number := in.Uvarint() // of an input, or a kind of command
		if number > math.MaxUint32 || number == 0 {
			return n, fmt.Errorf("%w: notice about %d", ErrMessage, number)
		}
		n.Input = uint32(number)
		size := int(in.Byte())
		text := in.Next(size)
		if size > MaxReason || !utf8.Valid(text) {
			return n, fmt.Errorf("%w: a reason of %d bytes", ErrMessage, size)
		}
		n.Reason = string(text)
	}
	if in.Err() != nil || in.Len() > 0 {
		return n, fmt.Errorf("%w: notice of %d bytes", ErrMessage, len(b))
	}
	return n, nil
}
