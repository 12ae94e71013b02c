package recording

import (
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// No content makes a reader of a segment panic or go on forever.
func FuzzSegment(f *testing.F) {
	f.Add([]byte{7, 2, 'h', 'i', 5, 1, 2, 3, 'a', 'b', 'c', 9, 2 + beginsFlag, 4, 1, 'x', 0, 3, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s segmentReader
		if s.reset(b, 0) != nil {
			return
		}
		for n := 0; ; n++ {
			var x Record
			ok, err := s.next(&x)
			if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, codec.ErrMalformed) {
				t.Fatal(err)
			}
			if !ok {
				return
			}
			if n > len(b) {
				t.Fatal("it goes on")
			}
		}
	})
}
