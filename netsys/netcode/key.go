package netcode

import (
	cryptorand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// KeySize is the length of a [Key] in bytes.
const KeySize = 32

// Key is a secret. It is not printed: every verb of package fmt, and log/slog, show a placeholder; but for %w and
// %p, which fmt keeps to itself and go vet refuses here. And fmt calls no method of what is in an unexported field, and
// none behind a verb that does not fit: a struct that keeps a Key by itself, or a configuration in an unexported field,
// needs a Format method of its own before it is printed.
type Key [KeySize]byte

var errMarshal = errors.New("netcode: a Key is secret; encode its bytes by hand where that is meant")

// GenerateKey draws a key from a function that fills a slice with random bytes; nil means crypto/rand.
func GenerateKey(random func(b []byte)) (k Key) {
	fill(random, k[:])
	return k
}

// ParseKey reads 64 hexadecimal digits. The error wraps [ErrKey] and does not repeat the text.
func ParseKey(s string) (k Key, err error) {
	if len(s) != 2*KeySize {
		return Key{}, fmt.Errorf("%w: %d characters instead of %d hexadecimal digits", ErrKey, len(s), 2*KeySize)
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return Key{}, fmt.Errorf("%w: not hexadecimal", ErrKey)
	}
	return k, nil
}

// Format implements [fmt.Formatter] without telling the secret.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "netcode.Key(secret)") }

// MarshalText implements [encoding.TextMarshaler] by an error, so that no encoder writes the secret unasked.
func (k Key) MarshalText() ([]byte, error) { return nil, errMarshal }

// fill fills b by a Random function, or from crypto/rand, which never fails, when it is nil.
func fill(random func([]byte), b []byte) {
	if random == nil {
		_, _ = cryptorand.Read(b)
		return
	}
	random(b)
}
