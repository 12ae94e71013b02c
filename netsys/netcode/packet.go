package netcode

import (
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// The packets. A request is not encrypted:
//
//	0 │ version 13 │ protocol id u64 │ expire u64 │ nonce 24 │ private token 1,024      1,078 bytes
//
// Any other packet is sealed by ChaCha20-Poly1305 with the key of its direction. The nonce is the sequence number; the
// associated data are version, protocol id and prefix:
//
//	prefix u8: bytes of the sequence << 4 | type │ sequence, 1 to 8 bytes, lowest first │ body │ MAC 16
//
//	1 denied       nothing
//	2 challenge    sequence u64 │ challenge token 300
//	3 response     the same
//	4 keep-alive   slot u32 │ slots u32
//	5 payload      1 to 1,200 bytes
//	6 disconnect   nothing
const (
	kindRequest = iota
	kindDenied
	kindChallenge
	kindResponse
	kindKeepAlive
	kindPayload
	kindDisconnect

	// MaxPayload is the largest payload in bytes.
	MaxPayload = 1200
	// MaxDatagram is the size in bytes of the largest datagram of a server or client: 1,225 for the largest payload. A
	// request has 1,078.
	MaxDatagram = maxHeader + MaxPayload + macSize

	requestSize   = 1 + len(version) + 8 + 8 + nonceSize + privateSize
	challengeBody = 8 + challengeSize
	keepAliveBody = 8
	maxHeader     = 1 + 8
	minPacket     = 1 + 1 + macSize

	// disconnects is the number of disconnect packets at the end of a session. They are repeated because they are not
	// acknowledged.
	disconnects = 10

	// globalSequence is the first sequence number of packets sealed outside sessions with keys that sessions also use.
	globalSequence = 1 << 63

	// sequenceSpan is the longest remaining lifetime of a token, in milliseconds, for which a new session repeats no nonce.
	sequenceSpan = 1 << 22

	// MaxLifetime is the maximum of [ServerConfig.MaxLifetime].
	MaxLifetime = sequenceSpan * time.Millisecond
)

// kinds is a set of packet types.
type kinds uint8

// serverReceives are the packet types that a server accepts. For clients the types depend on the state.
const serverReceives kinds = 1<<kindResponse | 1<<kindKeepAlive | 1<<kindPayload | 1<<kindDisconnect

func (k kinds) has(kind uint8) bool { return kind <= kindDisconnect && k>>kind&1 != 0 }

// header is the unencrypted part of a sealed packet.
type header struct {
	kind     uint8
	size     int // of prefix and sequence in bytes
	sequence uint64
}

// parseHeader checks a sealed packet as far as possible without a key.
func parseHeader(b []byte, allowed kinds) (h header, drop DropReason) {
	if len(b) < minPacket || len(b) > MaxDatagram {
		return h, DropSize
	}
	h.kind = b[0] & 15
	if h.kind == kindRequest || !allowed.has(h.kind) {
		return h, DropType
	}
	n := int(b[0] >> 4)
	if n < 1 || n > 8 {
		return h, DropSequence
	}
	h.size = 1 + n
	if len(b) < h.size+macSize {
		return h, DropSize
	}
	for i, c := range b[1:h.size] {
		h.sequence |= uint64(c) << (8 * i)
	}
	return h, DropNone
}

// bodyFits reports whether n is a valid body size for a packet of this type.
func bodyFits(kind uint8, n int) bool {
	switch kind {
	case kindDenied, kindDisconnect:
		return n == 0
	case kindChallenge, kindResponse:
		return n == challengeBody
	case kindKeepAlive:
		return n == keepAliveBody
	case kindPayload:
		return n >= 1 && n <= MaxPayload
	}
	return false
}

// direction seals or opens the packets of one direction of a session. It keeps its cipher, because creating one per packet
// would allocate. The key is behind a pointer, so fmt does not print it.
type direction struct{ aead cipher.AEAD }

func newDirection(key *Key) direction { return direction{newPacketCipher(key)} }

func newPacketCipher(key *Key) cipher.AEAD {
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic(err) // in FIPS 140-only mode, as the key has the right length
	}
	return aead
}

// parameters are a packet's nonce and associated data. The cipher takes slices of them through an interface, which forces
// them onto the heap; they are reused for every packet.
type parameters struct {
	nonce [chacha20poly1305.NonceSize]byte
	data  [len(version) + 8 + 1]byte
}

func newParameters(protocolID uint64) (x parameters) {
	copy(x.data[:], version)
	binary.LittleEndian.PutUint64(x.data[len(version):], protocolID)
	return x
}

// set sets the parameters for a packet.
func (x *parameters) set(prefix uint8, sequence uint64) {
	binary.LittleEndian.PutUint64(x.nonce[4:], sequence)
	x.data[len(x.data)-1] = prefix
}

// appendPacket appends a sealed packet. body must not overlap the spare capacity of dst.
func (d *direction) appendPacket(dst []byte, x *parameters, kind uint8, sequence uint64, body []byte) []byte {
	n := max(1, (bits.Len64(sequence)+7)/8)
	prefix := uint8(n)<<4 | kind
	x.set(prefix, sequence)
	dst = append(dst, prefix)
	for i := range n {
		dst = append(dst, uint8(sequence>>(8*i)))
	}
	return d.aead.Seal(dst, x.nonce[:], body, x.data[:])
}

// open appends the body of a packet to dst. dst must have enough capacity and must not overlap b.
func (d *direction) open(dst []byte, x *parameters, h header, b []byte) (body []byte, ok bool) {
	x.set(b[0], h.sequence)
	body, err := d.aead.Open(dst, x.nonce[:], b[h.size:], x.data[:])
	return body, err == nil
}
