package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Messages are the payload of a session's packets; the first byte says which.
//
//	input     see inputMessage
//	snapshot  2 | epoch u8 | send u16 | tick u32 | input u16 | depth u8 |
//	          shift i16 | floor u8 | own length u16 | own | frame of codec deltas
//	own       per entity: NetID varint | components varint | raw fields
//
// A client that cannot decode a snapshot, because it no longer has a baseline
// that it acknowledged, begins a new epoch; the server answers with full states
// until some of that epoch are acknowledged.
//
// Numbers are little-endian. Sequences and sends travel as their low 16 bits.
const (
	kindInput    = 1
	kindSnapshot = 2
)

// ErrMessage is wrapped by errors about a message that a peer should not have
// sent.
var ErrMessage = errors.New("systems: bad message")

// MaxMalformed is how many messages that no honest peer sends a session may
// carry: as many as four wake-ups of a server read. The first is logged, the last
// ends the session with netsys.ReasonProtocol; all are counted as
// MalformedMessages.
const MaxMalformed = 4 * MaxMessages

// snapshotHeader precedes a snapshot's body.
type snapshotHeader struct {
	epoch uint8  // newest that the server has heard of from this client
	send  uint16 // number of the send, counting up
	tick  uint32 // ticks that the server had completed
	input uint16 // last input of this client consumed into that state
	depth uint8  // inputs that wait in the server's buffer; 255: see unreadDepth
	shift int16  // clock shift asked of this client in all, in 1/shiftUnit ticks
	floor uint8  // sends before this one; no packet from now on uses an older baseline
	own   int    // bytes of own state between header and body; 0: none here
}

const snapshotHeaderSize = 16

func appendSnapshotHeader(dst []byte, h *snapshotHeader) []byte {
	return append(dst, kindSnapshot, h.epoch,
		byte(h.send), byte(h.send>>8),
		byte(h.tick), byte(h.tick>>8), byte(h.tick>>16), byte(h.tick>>24),
		byte(h.input), byte(h.input>>8),
		h.depth,
		byte(h.shift), byte(h.shift>>8),
		h.floor,
		byte(h.own), byte(h.own>>8))
}

// readSnapshotHeader parses what follows the kind byte.
func readSnapshotHeader(b []byte) (h snapshotHeader, own, body []byte, err error) {
	const n = snapshotHeaderSize - 1
	if len(b) < n {
		return h, nil, nil, fmt.Errorf("%w: snapshot of %d bytes", ErrMessage, len(b))
	}
	var r codec.ByteReader
	r.Reset(b)
	h.epoch = r.Byte()
	h.send = r.Uint16()
	h.tick = r.Uint32()
	h.input = r.Uint16()
	h.depth = r.Byte()
	h.shift = int16(r.Uint16())
	h.floor = r.Byte()
	h.own = int(r.Uint16())
	own = r.Next(h.own)
	if r.Err() != nil {
		return h, nil, nil, fmt.Errorf("%w: own state of %d bytes in a snapshot of %d", ErrMessage, h.own, len(b)+1)
	}
	return h, own, b[n+h.own:], nil
}

// resize returns a slice of length n, reusing s where it can.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n, n+n/2)
	}
	return s[:n]
}
