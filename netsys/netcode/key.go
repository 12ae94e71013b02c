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

// Key is a secret. Every verb of package fmt except %w and %p, and log/slog, print a placeholder; go vet reports %w and %p.
// But fmt calls no methods on unexported fields or for a verb that does not fit. A struct with a Key, or with a
// configuration in an unexported field, therefore needs its own Format method before it is printed.
type Key [KeySize]byte

var errMarshal = errors.New("netcode: a Key is secret; encode its bytes by hand where that is meant")

// GenerateKey returns a random key. random fills a slice with random bytes; nil means crypto/rand.
func GenerateKey(random func(b []byte)) (k Key) {
	fillRandom(random, k[:])
	return k
}

// ParseKey parses 64 hexadecimal digits. The error wraps [ErrKey] and does not contain the text.
func ParseKey(s string) (k Key, err error) {
	if len(s) != 2*KeySize {
		return Key{}, fmt.Errorf("%w: %d characters instead of %d hexadecimal digits", ErrKey, len(s), 2*KeySize)
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return Key{}, fmt.Errorf("%w: not hexadecimal", ErrKey)
	}
	return k, nil
}

// Format implements [fmt.Formatter] without printing the secret.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "netcode.Key(secret)") }

// MarshalText implements [encoding.TextMarshaler]. It returns an error, so that no encoder writes the secret by accident.
func (k Key) MarshalText() ([]byte, error) { return nil, errMarshal }

// fillRandom fills b by calling random, or from crypto/rand if random is nil. crypto/rand never fails.
func fillRandom(random func([]byte), b []byte) {
	if random == nil {
		_, _ = cryptorand.Read(b)
		return
	}
	random(b)
}
