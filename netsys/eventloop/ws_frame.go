package eventloop

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/gobwas/ws"

	"github.com/tactusgo/tactus/netsys"
)

// maxFrame is the longest frame with a datagram in it, as a client sends it.
const maxFrame = ws.MaxHeaderSize + netsys.MaxDatagram

// errPartial means that a frame has not arrived in full.
var errPartial = errors.New("eventloop: partial frame")

// violation is a frame that no honest client of ours sends, with the code that the close frame tells it.
type violation ws.StatusCode

func (v violation) Error() string { return "eventloop: WebSocket frame not allowed" }

// frameReader reads the frames that a client sends. It belongs to one goroutine.
type frameReader struct {
	reader bytes.Reader
	header [ws.MaxHeaderSize]byte
}

// next reads the header of the frame that b begins with, of which at least [maxFrame] bytes must be there when
// so many have arrived. It returns the header, and the size of header and payload. Everything is judged by the
// header alone, before the payload has arrived. The error is [errPartial] or a [violation].
func (r *frameReader) next(b []byte) (h ws.Header, head, size int, err error) {
	if h, head, size = usual(b); size > 0 {
		return h, head, size, nil
	}
	r.reader.Reset(b)
	h, err = ws.ReadHeaderBuffer(&r.reader, r.header[:])
	head = len(b) - r.reader.Len()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return h, 0, 0, errPartial
	case err != nil:
		return h, 0, 0, violation(ws.StatusProtocolError)
	case ws.CheckHeader(h, ws.StateServerSide) != nil || ws.HeaderSize(h) != head:
		return h, 0, 0, violation(ws.StatusProtocolError)
	case h.Length > netsys.MaxDatagram:
		return h, 0, 0, violation(ws.StatusMessageTooBig)
	case h.OpCode == ws.OpText:
		return h, 0, 0, violation(ws.StatusUnsupportedData)
	case !h.Fin:
		// A datagram is one frame; who cuts messages of this size to pieces does it to keep memory busy.
		return h, 0, 0, violation(ws.StatusPolicyViolation)
	}
	size = head + int(h.Length)
	if len(b) < size {
		return h, head, size, errPartial
	}
	return h, head, size, nil
}

// usual reads the header of a frame that has arrived in full and is as datagrams nearly always come; size is 0 where it is
// not.
func usual(b []byte) (h ws.Header, head, size int) {
	const (
		first    = 0x82 // the only frame of a binary message
		masked   = 0x80
		in16bits = 126
	)
	if len(b) < 8 || b[0] != first || b[1]&masked == 0 {
		return h, 0, 0
	}
	head = 6
	n := int(b[1] &^ masked)
	if n >= in16bits {
		head = 8
		if n > in16bits {
			return h, 0, 0
		}
		if n = int(binary.BigEndian.Uint16(b[2:])); n < in16bits || n > netsys.MaxDatagram {
			return h, 0, 0
		}
	}
	if size = head + n; len(b) < size {
		return h, 0, 0
	}
	return ws.Header{Fin: true, OpCode: ws.OpBinary, Masked: true, Mask: [4]byte(b[head-4 : head]), Length: int64(n)}, head, size
}

// appendFrame appends a whole frame as a server sends it, for a payload of at most 65,535 bytes.
func appendFrame(dst []byte, op ws.OpCode, payload []byte) []byte {
	const final = 0x80
	dst = append(dst, final|byte(op))
	if len(payload) <= ws.MaxControlFramePayloadSize {
		dst = append(dst, byte(len(payload)))
	} else {
		const in16bits = 126
		dst = binary.BigEndian.AppendUint16(append(dst, in16bits), uint16(len(payload)))
	}
	return append(dst, payload...)
}

// appendClose appends a close frame with a code.
func appendClose(dst []byte, code ws.StatusCode) []byte {
	return appendFrame(dst, ws.OpClose, binary.BigEndian.AppendUint16(nil, uint16(code)))
}
