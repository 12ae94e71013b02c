package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// Messages are the payload of a session's packets; the first byte says which.
//
//	input     1 | epoch u8 | shift i16 | newest u16 | count u8 | bits: first
//	          input, then per input 1 bit "as before", or per field 1 bit and
//	          its value
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

// maxRedundancy bounds the inputs in one packet (rule C2).
const maxRedundancy = 32

// shiftUnit is the resolution of clock shifts on the wire, in parts of a tick.
const shiftUnit = 16

// inputMessage is what a client sends every tick.
type inputMessage struct {
	epoch  uint8
	shift  int16  // clock shift carried out so far, in 1/shiftUnit ticks
	newest uint16 // sequence of the last input in words
	count  int    // inputs in words, oldest first, table.Words each
	words  []int32
}

// appendInput writes m; t is the input's field table.
func appendInput(dst []byte, w *codec.Writer, t *schema.Table, m *inputMessage) []byte {
	dst = append(dst, kindInput, m.epoch, byte(m.shift), byte(m.shift>>8), byte(m.newest), byte(m.newest>>8), byte(m.count))
	w.Reset(dst)
	n := t.Words
	for i := range m.count {
		cur := m.words[i*n : (i+1)*n]
		if i == 0 {
			for k, v := range cur {
				w.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
			}
			continue
		}
		before := m.words[(i-1)*n : i*n]
		same := true
		for k := range cur {
			same = same && cur[k] == before[k]
		}
		w.Bool(same)
		if same {
			continue
		}
		for k, v := range cur {
			w.Bool(v != before[k])
			if v != before[k] {
				w.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
			}
		}
	}
	return w.Bytes()
}

// readInput parses what follows the kind byte into m, whose words are reused.
// Words may lie outside their fields' ranges; Table.Dequantize, through which
// all of them pass on their way into the world, clamps those.
func readInput(b []byte, r *codec.Reader, t *schema.Table, m *inputMessage) error {
	if len(b) < 6 {
		return fmt.Errorf("%w: input of %d bytes", ErrMessage, len(b))
	}
	m.epoch = b[0]
	m.shift = int16(uint16(b[1]) | uint16(b[2])<<8)
	m.newest = uint16(b[3]) | uint16(b[4])<<8
	m.count = int(b[5])
	if m.count < 1 || m.count > maxRedundancy {
		return fmt.Errorf("%w: %d inputs in a packet, 1 to %d are allowed", ErrMessage, m.count, maxRedundancy)
	}
	n := t.Words
	m.words = resize(m.words, m.count*n)
	r.Reset(b[6:])
	for i := range m.count {
		cur := m.words[i*n : (i+1)*n]
		if i > 0 {
			copy(cur, m.words[(i-1)*n:i*n])
			if r.Bool() {
				continue
			}
		}
		for k := range cur {
			if i == 0 || r.Bool() {
				cur[k] = int32(uint32(r.Bits(uint(t.WordBits(k)))))
			}
		}
	}
	r.Align() // what is left of the last byte must be zero
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: input: %w", ErrMessage, err)
	}
	if r.Remaining() > 0 {
		return fmt.Errorf("%w: input with %d bytes behind its end", ErrMessage, r.Remaining()/8)
	}
	return nil
}

// snapshotHeader precedes a snapshot's body.
type snapshotHeader struct {
	epoch uint8  // newest that the server has heard of from this client
	send  uint16 // number of the send, counting up
	tick  uint32 // ticks that the server had completed
	input uint16 // last input of this client consumed into that state
	depth uint8  // inputs that wait in the server's buffer
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
