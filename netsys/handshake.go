package netsys

import "encoding/binary"

// The packets of the handshake, little-endian. All begin with type u8 and checksum u32, the CRC-32C of the
// packet without the checksum itself.
//
//	Hello    1 │ checksum │ "TACT" │ version u16 │ nonce u64 │ schema u64 │ lines u8 │ lines × u32 │ tag u64 │
//	         zeros to 1,024 bytes
//	Welcome  2 │ checksum │ nonce u64 │ id u64 │ token u64 │ length u16 │ length bytes, at most 512
//	Refused  3 │ checksum │ nonce u64 │ reason u8 │ line u16 │ length u16 │ length bytes, at most 300
//
// A Hello is longer than any answer to it, so a server is of no use to somebody who forges sender addresses
// to flood a third party. Its first 19 bytes are the same in every version. The nonce comes back in the
// answer: only who saw the Hello can answer it. schema is the hash of all schema lines, and each line's own
// hash finds the first that differs. tag is the application's. line is the index of that line, 65535 when unknown; the text is the
// server's line, cut.
const (
	helloSize    = 1024
	helloVersion = prefixSize + 4
	helloNonce   = helloVersion + 2
	helloSchema  = helloNonce + 8
	helloLines   = helloSchema + 8
	helloHashes  = helloLines + 1

	welcomeSize = prefixSize + 8 + 8 + 8 + 2
	refusedSize = prefixSize + 8 + 1 + 2 + 2

	wireVersion = 1

	// MaxWelcome is the longest payload in bytes that [ServerConfig.Welcome] may return.
	MaxWelcome = 512

	maxRefusedText = 300
	unknownLine    = 1<<16 - 1
)

const magic = "TACT"

// hello opens a handshake.
type hello struct {
	version uint16
	nonce   uint64
	schema  uint64
	lines   int
	hashes  [MaxSchemaLines]uint32
	tag     uint64
}

func appendHello(dst []byte, h *hello) []byte {
	start := len(dst)
	dst = append(dst, kindHello, 0, 0, 0, 0)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint16(dst, h.version)
	dst = binary.LittleEndian.AppendUint64(dst, h.nonce)
	dst = binary.LittleEndian.AppendUint64(dst, h.schema)
	dst = append(dst, uint8(h.lines))
	for _, hash := range h.hashes[:h.lines] {
		dst = binary.LittleEndian.AppendUint32(dst, hash)
	}
	dst = binary.LittleEndian.AppendUint64(dst, h.tag)
	for len(dst) < start+helloSize {
		dst = append(dst, 0)
	}
	openSeal.close(dst[start:])
	return dst
}

// parseHello reads a Hello into h. With [DropVersion] the nonce is valid and nothing behind it.
func parseHello(b []byte, h *hello) DropReason {
	if len(b) < helloSize {
		return DropTooShort
	}
	if len(b) > helloSize {
		return DropTooLong
	}
	if b[0] != kindHello {
		return DropUnknownType
	}
	if !openSeal.holds(b) {
		return DropChecksum
	}
	if string(b[prefixSize:helloVersion]) != magic {
		return DropMalformed
	}
	h.version = binary.LittleEndian.Uint16(b[helloVersion:])
	h.nonce = binary.LittleEndian.Uint64(b[helloNonce:])
	if h.version != wireVersion {
		return DropVersion
	}
	h.schema = binary.LittleEndian.Uint64(b[helloSchema:])
	h.lines = int(b[helloLines])
	if h.lines > MaxSchemaLines {
		return DropMalformed
	}
	for i := range h.lines {
		h.hashes[i] = binary.LittleEndian.Uint32(b[helloHashes+4*i:])
	}
	b = b[helloHashes+4*h.lines:]
	h.tag = binary.LittleEndian.Uint64(b)
	for _, c := range b[8:] {
		if c != 0 {
			return DropMalformed
		}
	}
	return DropNone
}

// welcome accepts a client.
type welcome struct {
	nonce, id, token uint64
	payload          []byte
}

func appendWelcome(dst []byte, w welcome) []byte {
	start := len(dst)
	dst = append(dst, kindWelcome, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, w.nonce)
	dst = binary.LittleEndian.AppendUint64(dst, w.id)
	dst = binary.LittleEndian.AppendUint64(dst, w.token)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(w.payload)))
	dst = append(dst, w.payload...)
	openSeal.close(dst[start:])
	return dst
}

// parseWelcome reads a Welcome. The payload aliases b.
func parseWelcome(b []byte) (w welcome, drop DropReason) {
	if drop := checkAnswer(b, kindWelcome, welcomeSize, welcomeSize+MaxWelcome); drop != DropNone {
		return w, drop
	}
	w = welcome{
		nonce:   binary.LittleEndian.Uint64(b[5:]),
		id:      binary.LittleEndian.Uint64(b[13:]),
		token:   binary.LittleEndian.Uint64(b[21:]),
		payload: b[welcomeSize:],
	}
	if w.id == 0 || int(binary.LittleEndian.Uint16(b[29:])) != len(w.payload) {
		return welcome{}, DropMalformed
	}
	return w, DropNone
}

// refusedReason is why a server said no.
type refusedReason uint8

const (
	refusedVersion refusedReason = 1 + iota
	refusedSchema
	refusedFull
	refusedClosing
)

// refused turns a client away.
type refused struct {
	nonce  uint64
	reason refusedReason
	line   uint16
	text   []byte
}

func appendRefused(dst []byte, r refused) []byte {
	start := len(dst)
	dst = append(dst, kindRefused, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, r.nonce)
	dst = append(dst, uint8(r.reason))
	dst = binary.LittleEndian.AppendUint16(dst, r.line)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.text)))
	dst = append(dst, r.text...)
	openSeal.close(dst[start:])
	return dst
}

// parseRefused reads a Refused. The text aliases b.
func parseRefused(b []byte) (r refused, drop DropReason) {
	if drop := checkAnswer(b, kindRefused, refusedSize, refusedSize+maxRefusedText); drop != DropNone {
		return r, drop
	}
	r = refused{
		nonce:  binary.LittleEndian.Uint64(b[5:]),
		reason: refusedReason(b[13]),
		line:   binary.LittleEndian.Uint16(b[14:]),
		text:   b[refusedSize:],
	}
	if r.reason < refusedVersion || r.reason > refusedClosing || int(binary.LittleEndian.Uint16(b[16:])) != len(r.text) {
		return refused{}, DropMalformed
	}
	return r, DropNone
}

// checkAnswer does what the two answers have in common.
func checkAnswer(b []byte, kind uint8, shortest, longest int) DropReason {
	switch {
	case len(b) < shortest:
		return DropTooShort
	case len(b) > longest:
		return DropTooLong
	case b[0] != kind:
		return DropUnknownType
	case !openSeal.holds(b):
		return DropChecksum
	}
	return DropNone
}
