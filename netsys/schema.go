package netsys

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/netsys/channel"
)

// MaxSchemaLines is the largest number of lines that a handshake can compare: those of the schema, of the channels'
// configuration and of messages together.
const MaxSchemaLines = 255

// schema is what two ends compare in the handshake: the lines, a short hash of each to find the first that
// differs, and a long one over all of them to be sure.
type schema struct {
	own    int // how many of the lines are the session's
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

// sessionLines are the lines that two ends compare beside those of the schema, and before them.
func sessionLines(channels channel.Config, messages []string) []string {
	return slices.Concat(channels.Lines(), messages)
}

func validateSchema(config string, schema []string, channels channel.Config, messages []string) error {
	if n := len(schema) + len(sessionLines(channels, messages)); n > MaxSchemaLines {
		return fmt.Errorf("netsys: %s has %d lines of Schema, Channels and Messages, more than %d", config, n, MaxSchemaLines)
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
