//go:build js && !tactus_zstd

package zstd

import "errors"

// Encoder finds nothing to compress.
type Encoder struct{}

// Block returns nil.
func (*Encoder) Block([]byte, *Dictionary) []byte { return nil }

func (*Dictionary) check() error { return nil }

// BuildDictionary returns an error.
func BuildDictionary(uint32, [][]byte, []byte) ([]byte, error) {
	return nil, errors.New("zstd: no dictionary is made in a browser without the tag tactus_zstd")
}
