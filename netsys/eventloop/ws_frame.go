package eventloop

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/gobwas/ws"

	"github.com/tactusgo/tactus/netsys"
)

// maxFrame is the length in bytes of the longest frame that a client may send: a header and a datagram.
const maxFrame = ws.MaxHeaderSize + netsys.MaxDatagram

// errPartial means that a frame has not arrived completely.
var errPartial = errors.New("eventloop: partial frame")

// violation is the error for a frame that is not allowed. Its value is the status code of the close frame.
type violation ws.StatusCode

func (v violation) Error() string { return "eventloop: the WebSocket frame is not allowed" }

// frameReader reads the frames that a client sends. It belongs to one goroutine.
type frameReader struct {
	reader bytes.Reader
	header [ws.MaxHeaderSize]byte
}

// next parses the header of the first frame in b. b must have at least [maxFrame] bytes or all that have arrived. next returns
// the header, its size, and the size of header and payload. It checks the header before the payload has arrived. The error is
// [errPartial] or a [violation].
func (r *frameReader) next(b []byte) (h ws.Header, head, size int, err error) {
	if h, head, size = parseCommon(b); size > 0 {
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
		// A datagram fits into one frame. Fragments would occupy memory until the last one arrives.
		return h, 0, 0, violation(ws.StatusPolicyViolation)
	}
	size = head + int(h.Length)
	if len(b) < size {
		return h, head, size, errPartial
	}
	return h, head, size, nil
}

// parseCommon is the fast path for a complete, masked binary frame, the form of nearly every datagram. size is 0 for all
// others.
func parseCommon(b []byte) (h ws.Header, head, size int) {
	const (
		first    = 0x82 // first and last frame of a binary message
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

// appendFrame appends a complete frame, unmasked as servers send it, for a payload of at most 65,535 bytes.
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

// appendClose appends a close frame with a status code.
func appendClose(dst []byte, code ws.StatusCode) []byte {
	return appendFrame(dst, ws.OpClose, binary.BigEndian.AppendUint16(nil, uint16(code)))
}
