//go:build js && !tactus_zstd

package zstd

import "errors"

// Encoder compresses nothing.
type Encoder struct{}

// Block returns nil.
func (*Encoder) Block([]byte, *Dictionary) []byte { return nil }

func (*Dictionary) check() error { return nil }

// BuildDictionary returns an error.
func BuildDictionary(uint32, [][]byte, []byte) ([]byte, error) {
	return nil, errors.New("zstd: cannot build a dictionary in a browser: build with the tag tactus_zstd")
}
