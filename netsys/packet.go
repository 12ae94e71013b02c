package netsys

import (
	"encoding/binary"
	"hash/crc32"
)

// A packet of an established session, little-endian:
//
//	 0       1              5          7          9              13           15
//	┌───────┬──────────────┬──────────┬──────────┬──────────────┬────────────┬───────────────┐
//	│ type  │ checksum     │ seq      │ ack      │ ack bits     │ delay      │ payload       │
//	│ u8    │ u32          │ u16      │ u16      │ u32          │ u16        │ 0..1185 bytes │
//	└───────┴──────────────┴──────────┴──────────┴──────────────┴────────────┴───────────────┘
//
// checksum is CRC-32C over the session's token (u64, known from the handshake, not sent) followed by the
// packet without the checksum itself. It finds damage and keeps out whoever has not seen the token; against
// one who reads the traffic it is no protection. seq counts this end's packets from 0 and wraps. ack is the newest sequence
// received from the other end, bit i of ack bits says that ack−1−i was received too. delay is how long the
// packet ack had waited here when this one was sent, in 1/8 ms, up to 65534; 65535 says that nothing has been
// received yet and that ack and ack bits mean nothing.
//
// Type 4 carries a payload, type 5 (keep-alive) none, type 6 (disconnect) one byte: a [Reason].
const (
	kindHello uint8 = 1 + iota
	kindWelcome
	kindRefused
	kindData
	kindKeepAlive
	kindDisconnect
)

const (
	// MaxPayload is the longest payload in bytes that [Session.Send] takes.
	MaxPayload = maxPacket - headerSize

	// maxPacket keeps packets below every path's limit: IPv6 guarantees 1,280 bytes, of which 48 go to IP
	// and UDP, and tunnels take some.
	maxPacket  = 1200
	headerSize = 15
	// prefixSize is the type and the checksum, with which every packet begins.
	prefixSize = 5

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

// castagnoli is built once by the standard library and never written.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal is the state of the checksum after the token.
type seal uint32

// openSeal is the seal of the handshake, where there is no token yet.
const openSeal seal = 0

func newSeal(token uint64) seal {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], token)
	return seal(crc32.Update(0, castagnoli, b[:]))
}

// close writes the checksum of a packet that is otherwise complete.
func (s seal) close(b []byte) { binary.LittleEndian.PutUint32(b[1:], s.sum(b)) }

// holds reports whether the checksum is right.
func (s seal) holds(b []byte) bool { return binary.LittleEndian.Uint32(b[1:]) == s.sum(b) }

func (s seal) sum(b []byte) uint32 {
	return crc32.Update(crc32.Update(uint32(s), castagnoli, b[:1]), castagnoli, b[prefixSize:])
}

// appendPacket appends a sealed packet to dst.
func appendPacket(dst []byte, s seal, h header, payload []byte) []byte {
	start := len(dst)
	dst = append(dst, h.kind, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint16(dst, h.seq)
	dst = binary.LittleEndian.AppendUint16(dst, h.ack)
	dst = binary.LittleEndian.AppendUint32(dst, h.bits)
	dst = binary.LittleEndian.AppendUint16(dst, h.delay)
	dst = append(dst, payload...)
	s.close(dst[start:])
	return dst
}

// parsePacket reads a session packet. The payload aliases b.
func parsePacket(b []byte, s seal) (h header, payload []byte, drop DropReason) {
	if len(b) < headerSize {
		return h, nil, DropTooShort
	}
	if len(b) > maxPacket {
		return h, nil, DropTooLong
	}
	if b[0] < kindData || b[0] > kindDisconnect {
		return h, nil, DropUnknownType
	}
	if !s.holds(b) {
		return h, nil, DropChecksum
	}
	h = header{
		kind:  b[0],
		seq:   binary.LittleEndian.Uint16(b[5:]),
		ack:   binary.LittleEndian.Uint16(b[7:]),
		bits:  binary.LittleEndian.Uint32(b[9:]),
		delay: binary.LittleEndian.Uint16(b[13:]),
	}
	payload = b[headerSize:]
	if h.kind == kindKeepAlive && len(payload) != 0 || h.kind == kindDisconnect && len(payload) != 1 {
		return h, nil, DropMalformed
	}
	return h, payload, DropNone
}
