package netsys

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// MaxSchemaLines is the largest number of schema lines that a handshake can compare.
const MaxSchemaLines = 180

// schema is what two ends compare in the handshake: the lines, a short hash of each to find the first that
// differs, and a long one over all of them to be sure.
type schema struct {
	lines  []string
	hashes [MaxSchemaLines]uint32
	hash   uint64
}

func newSchema(lines []string) *schema {
	s := &schema{lines: append([]string(nil), lines...)}
	all := sha256.New()
	var b [8]byte
	for i, line := range lines {
		one := sha256.Sum256([]byte(line))
		s.hashes[i] = binary.LittleEndian.Uint32(one[:])
		binary.LittleEndian.PutUint64(b[:], uint64(len(line)))
		all.Write(b[:])
		all.Write([]byte(line))
	}
	s.hash = binary.LittleEndian.Uint64(all.Sum(nil))
	return s
}

func validateSchema(config string, lines []string) error {
	if len(lines) > MaxSchemaLines {
		return fmt.Errorf("netsys: %s.Schema has %d lines, more than %d", config, len(lines), MaxSchemaLines)
	}
	for i, line := range lines {
		if line == "" || strings.ContainsAny(line, "\r\n") {
			return fmt.Errorf("netsys: %s.Schema[%d] is empty or more than one line: %q", config, i, line)
		}
	}
	return nil
}

// line is the line of that index, or nothing.
func (s *schema) line(i int) string {
	if i < 0 || i >= len(s.lines) {
		return ""
	}
	return s.lines[i]
}

// differs compares with a Hello's schema. Where they differ it also gives the index of the first line that
// does, −1 when only the long hash does.
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
