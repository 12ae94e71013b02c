package rooms

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ID is the number of a room, drawn at random. It is written in 13 letters and digits.
type ID uint64

// alphabet leaves out i, l, o and u, which are misread.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const (
	idLength   = 13
	codeLength = 6
)

// String writes the id.
func (id ID) String() string {
	var b [idLength]byte
	for i := range b {
		b[idLength-1-i] = alphabet[id>>(5*i)&31]
	}
	return string(b[:])
}

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] by [ParseID].
func (id *ID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseID(string(b))
	return err
}

// errID is the error of ParseID.
var errID = errors.New("rooms: no id of a room")

// ParseID reads what [ID.String] wrote.
func ParseID(s string) (ID, error) {
	var id ID
	for i := range len(s) {
		n := strings.IndexByte(alphabet, s[i])
		if n < 0 || len(s) != idLength || i == 0 && n > 15 {
			return 0, fmt.Errorf("%w: %.20q", errID, s)
		}
		id = id<<5 | ID(n)
	}
	if id == 0 {
		return 0, fmt.Errorf("%w: %.20q", errID, s)
	}
	return id, nil
}

// draw draws eight random bytes.
func draw(random func([]byte)) uint64 {
	var b [8]byte
	random(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// code returns a short code for players to tell each other.
func code(n uint64) string {
	var b [codeLength]byte
	for i := range b {
		b[i] = alphabet[n>>(5*i)&31]
	}
	return string(b[:])
}
