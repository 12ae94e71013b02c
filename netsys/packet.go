package netsys

import (
	"encoding/binary"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// A packet of an established session is the payload of a netcode packet, little-endian:
//
//	 0       1         3         5              9            11
//	┌───────┬─────────┬─────────┬──────────────┬────────────┬────────────────────┐
//	│ kind  │ seq     │ ack     │ ack bits     │ delay      │ body               │
//	│ u8    │ u16     │ u16     │ u32          │ u16        │ 0..1189 bytes      │
//	└───────┴─────────┴─────────┴──────────────┴────────────┴────────────────────┘
//
// seq counts this end's packets from 0 and wraps. ack is the newest sequence number received from the other end. Bit i of the ack
// bits is set if ack−1−i was received too. delay is the time from receiving packet ack to sending this packet, in 1/8 ms, up to
// 65534. 65535 means that nothing has been received yet; ack and ack bits are then meaningless.
//
//	4 datagram   a payload of Session.Send
//	5 both       length u16 │ length bytes of payload │ bytes of channels, at least one
//	6 channels   bytes of channels; none in a keep-alive or a pure acknowledgement
//	7 close      a Reason, u8
//	8 challenge  u64, which the client returns from the address where it arrived
//	9 answer     u64
const (
	kindHello uint8 = 1 + iota
	kindWelcome
	kindRefused
	kindDatagram
	kindBoth
	kindChannels
	kindClose
	kindChallenge
	kindAnswer
)

const (
	// MaxPayload is the longest payload of [Session.Send] in bytes.
	MaxPayload = netcode.MaxPayload - headerSize

	headerSize = 11
	lengthSize = 2
	pathSize   = 8

	// overhead is the number of bytes of a packet in addition to its body: the header, and netcode's prefix, sequence number and
	// MAC in the first minutes of a session.
	overhead = headerSize + 20

	delayUnit    = 125_000 // nanoseconds
	maxDelay     = 1<<16 - 2
	nothingHeard = 1<<16 - 1
)

// header is the fixed part of a session packet.
type header struct {
	kind     uint8
	seq, ack uint16
	bits     uint32
	delay    uint16
}

// put writes the header into the first headerSize bytes of b.
func (h header) put(b []byte) {
	b[0] = h.kind
	binary.LittleEndian.PutUint16(b[1:], h.seq)
	binary.LittleEndian.PutUint16(b[3:], h.ack)
	binary.LittleEndian.PutUint32(b[5:], h.bits)
	binary.LittleEndian.PutUint16(b[9:], h.delay)
}

// body is the parsed body of a session packet. Slices alias the packet.
type body struct {
	payload  []byte // of kindDatagram and kindBoth
	channels []byte // of kindBoth and kindChannels
	reason   Reason // of kindClose
	path     uint64 // of kindChallenge and kindAnswer
}

// parsePacket parses a session packet.
func parsePacket(b []byte) (h header, in body, drop DropReason) {
	switch {
	case len(b) < headerSize:
		return h, in, DropTooShort
	case len(b) > netcode.MaxPayload:
		return h, in, DropTooLong
	case b[0] < kindDatagram || b[0] > kindAnswer:
		return h, in, DropUnknownType
	}
	h = header{
		kind:  b[0],
		seq:   binary.LittleEndian.Uint16(b[1:]),
		ack:   binary.LittleEndian.Uint16(b[3:]),
		bits:  binary.LittleEndian.Uint32(b[5:]),
		delay: binary.LittleEndian.Uint16(b[9:]),
	}
	b = b[headerSize:]
	switch h.kind {
	case kindDatagram:
		in.payload = b
	case kindBoth:
		if len(b) < lengthSize {
			return header{}, body{}, DropMalformed
		}
		n := int(binary.LittleEndian.Uint16(b))
		if b = b[lengthSize:]; n >= len(b) {
			return header{}, body{}, DropMalformed
		}
		in.payload, in.channels = b[:n:n], b[n:]
	case kindChannels:
		in.channels = b
	case kindClose:
		if len(b) != 1 {
			return header{}, body{}, DropMalformed
		}
		in.reason = Reason(b[0])
	default:
		if len(b) != pathSize {
			return header{}, body{}, DropMalformed
		}
		in.path = binary.LittleEndian.Uint64(b)
	}
	return h, in, DropNone
}
