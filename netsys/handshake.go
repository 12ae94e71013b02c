package netsys

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// The packets of a session's handshake are payloads of netcode packets, little-endian:
//
//	hello    1 │ version u16 │ schema u64 │ lines u8 │ lines × u32 │ tag u64 │ role u8 │ login, at most 256 bytes
//	welcome  2 │ id u64 │ payload, at most 512 bytes
//	refused  3 │ reason u8 │ line u16 │ text, at most 300 bytes
//
// A hello starts with the same fields in every version. schema is the hash of all schema lines. The hashes of the single lines show
// the first difference. tag and login belong to the application. role is 0 for a player and 1 for a spectator. In a refusal, line is the index of the first different line, or
// 65535 if unknown. text is the server's line, truncated, or the reason why the login was refused. Before the first of these
// packets, netcode has proved the client's address and the authenticity of the packets.
const (
	helloSchema = 1 + 2
	helloLines  = helloSchema + 8
	helloHashes = helloLines + 1
	helloSize   = helloHashes + 8 + 1 // without lines
	welcomeSize = 1 + 8
	refusedSize = 1 + 1 + 2

	// WireVersion is the version of all messages. Server and clients must have the same. A recording has it, too.
	WireVersion = 8

	// MaxWelcome is the longest payload in bytes that [ServerConfig.Welcome] may return.
	MaxWelcome = 512

	// MaxLogin is the longest [ClientConfig.Login] in bytes.
	MaxLogin = 256

	maxRefusedText = 300
	unknownLine    = 1<<16 - 1
)

// hello describes the client.
type hello struct {
	version uint16
	schema  uint64
	lines   int
	hashes  [MaxSchemaLines]uint32
	tag     uint64
	role    uint8
	login   []byte
}

// Roles.
const (
	rolePlayer = iota
	roleSpectator
)

func appendHello(dst []byte, h *hello) []byte {
	dst = append(dst, kindHello)
	dst = binary.LittleEndian.AppendUint16(dst, h.version)
	dst = binary.LittleEndian.AppendUint64(dst, h.schema)
	dst = append(dst, uint8(h.lines))
	for _, hash := range h.hashes[:h.lines] {
		dst = binary.LittleEndian.AppendUint32(dst, hash)
	}
	return append(append(binary.LittleEndian.AppendUint64(dst, h.tag), h.role), h.login...)
}

// parseHello reads a hello into h, whose login aliases b. With [DropVersion] only the version is valid.
func parseHello(b []byte, h *hello) DropReason {
	switch {
	case len(b) < helloSchema:
		return DropTooShort
	case len(b) > netcode.MaxPayload:
		return DropTooLong
	case b[0] != kindHello:
		return DropUnknownType
	}
	if h.version = binary.LittleEndian.Uint16(b[1:]); h.version != WireVersion {
		return DropVersion
	}
	if len(b) < helloSize {
		return DropTooShort
	}
	h.schema = binary.LittleEndian.Uint64(b[helloSchema:])
	h.lines = int(b[helloLines])
	if size := helloSize + 4*h.lines; h.lines > MaxSchemaLines || len(b) < size || len(b) > size+MaxLogin {
		return DropMalformed
	}
	for i := range h.lines {
		h.hashes[i] = binary.LittleEndian.Uint32(b[helloHashes+4*i:])
	}
	if h.role = b[helloHashes+4*h.lines+8]; h.role > roleSpectator {
		return DropMalformed
	}
	h.tag = binary.LittleEndian.Uint64(b[helloHashes+4*h.lines:])
	h.login = b[helloSize+4*h.lines:]
	return DropNone
}

// welcome accepts a client.
type welcome struct {
	id      uint64
	payload []byte
}

func appendWelcome(dst []byte, w welcome) []byte {
	dst = append(dst, kindWelcome)
	dst = binary.LittleEndian.AppendUint64(dst, w.id)
	return append(dst, w.payload...)
}

// parseWelcome reads a welcome. The payload aliases b.
func parseWelcome(b []byte) (w welcome, drop DropReason) {
	if drop := checkAnswer(b, kindWelcome, welcomeSize, welcomeSize+MaxWelcome); drop != DropNone {
		return w, drop
	}
	w = welcome{id: binary.LittleEndian.Uint64(b[1:]), payload: b[welcomeSize:]}
	if w.id == 0 {
		return welcome{}, DropMalformed
	}
	return w, DropNone
}

// refusedReason is why a server refused a client.
type refusedReason uint8

const (
	refusedVersion refusedReason = 1 + iota
	refusedSchema
	refusedClosing
	refusedLogin
	refusedBusy
	refusedFull
)

// refused refuses a client.
type refused struct {
	reason refusedReason
	line   uint16
	text   []byte
}

func appendRefused(dst []byte, r refused) []byte {
	dst = append(dst, kindRefused, uint8(r.reason))
	dst = binary.LittleEndian.AppendUint16(dst, r.line)
	return append(dst, r.text...)
}

// parseRefused reads a refusal. The text aliases b.
func parseRefused(b []byte) (r refused, drop DropReason) {
	if drop := checkAnswer(b, kindRefused, refusedSize, refusedSize+maxRefusedText); drop != DropNone {
		return r, drop
	}
	r = refused{reason: refusedReason(b[1]), line: binary.LittleEndian.Uint16(b[2:]), text: b[refusedSize:]}
	if r.reason < refusedVersion || r.reason > refusedFull {
		return refused{}, DropMalformed
	}
	return r, DropNone
}

// checkAnswer checks the length and the first byte of a welcome or a refusal.
func checkAnswer(b []byte, kind uint8, shortest, longest int) DropReason {
	switch {
	case len(b) < shortest:
		return DropTooShort
	case len(b) > longest:
		return DropTooLong
	case b[0] != kind:
		return DropUnknownType
	}
	return DropNone
}

// MaxSchemaLines is the largest number of lines that a handshake can compare: those of the schema, of the channels'
// configuration and of messages together.
const MaxSchemaLines = 255

// schema holds what the two ends compare in the handshake: a short hash of each line, to find the first difference, and a long hash
// of all lines.
type schema struct {
	own    int // number of lines for channels and messages, which come first
	lines  []string
	hashes [MaxSchemaLines]uint32
	hash   uint64
}

func newSchema(session, lines []string) *schema {
	s := &schema{own: len(session), lines: slices.Concat(session, lines)}
	all := sha256.New()
	var b [8]byte
	for i, line := range s.lines {
		one := sha256.Sum256([]byte(line))
		s.hashes[i] = binary.LittleEndian.Uint32(one[:])
		binary.LittleEndian.PutUint64(b[:], uint64(len(line)))
		all.Write(b[:])
		all.Write([]byte(line))
	}
	s.hash = binary.LittleEndian.Uint64(all.Sum(nil))
	return s
}

// sessionLines returns the lines of channels and messages, which the two ends compare before those of the schema.
func sessionLines(channels channel.Config, messages []string) []string {
	return slices.Concat(channels.Lines(), messages)
}

func validateSchema(config string, schema []string, channels channel.Config, messages []string) error {
	if n := len(schema) + len(sessionLines(channels, messages)); n > MaxSchemaLines {
		return fmt.Errorf("netsys: %s has %d lines of Schema, Channels and Messages; at most %d are allowed", config, n, MaxSchemaLines)
	}
	check := func(name string, lines []string) error {
		for i, line := range lines {
			if line == "" || strings.ContainsAny(line, "\r\n") {
				return fmt.Errorf("netsys: %s.%s[%d] is empty or more than one line: %q", config, name, i, line)
			}
		}
		return nil
	}
	return errors.Join(check("Schema", schema), check("Messages", messages))
}

// line returns the line with an index, or "".
func (s *schema) line(i int) string {
	if i < 0 || i >= len(s.lines) {
		return ""
	}
	return s.lines[i]
}

// differs compares the schema with that of a hello. If they differ, at is the index of the first different line, or −1 if only the
// long hashes differ.
func (s *schema) differs(h *hello) (at int, differs bool) {
	if s.hash == h.schema && len(s.lines) == h.lines {
		return 0, false
	}
	for i := range max(len(s.lines), h.lines) {
		if i >= len(s.lines) || i >= h.lines || s.hashes[i] != h.hashes[i] {
			return i, true
		}
	}
	return -1, true
}

// role returns the role of a client in its hello.
func role(spectates bool) uint8 {
	if spectates {
		return roleSpectator
	}
	return rolePlayer
}
