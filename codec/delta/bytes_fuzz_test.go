package delta

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// refused fails the test when err is not one that hostile bytes may give.
func refused(t *testing.T, err error) {
	t.Helper()
	for _, want := range []error{codec.ErrShort, codec.ErrMalformed, codec.ErrTooLarge, codec.ErrBaseline} {
		if errors.Is(err, want) {
			return
		}
	}
	t.Fatal(err)
}

// bytesGame is what blocks are decoded against in fuzzing: the last of sends of a
// scene, by age.
func bytesGame(t testing.TB) (m *Model, sends [][]Group) {
	s := newScene(t, 77, 3, 0.3)
	for range 6 {
		sends = append(sends, s.groups)
		s.step()
	}
	return NewModel(s.layout, nil).WithDictionary(sceneDictionary(t, 1)), sends
}

// bytesParts are the parts of a block against the baseline of an age, 0 for none.
func bytesParts(sends [][]Group, age int) []Part {
	var base, base2 []Group
	if age > 0 {
		base = sends[len(sends)-1-age]
	}
	if age > 0 && age < len(sends)-1 {
		base2 = sends[len(sends)-2-age]
	}
	return sceneParts(sends[len(sends)-1], base, base2, allSlots)
}

func FuzzBytes(f *testing.F) {
	m, sends := bytesGame(f)
	var enc byteEncoder
	dec := byteDecoder{spent: new(costs)}
	f.Fuzz(func(t *testing.T, body []byte, how uint8) {
		coder, age := Coder(how&1), int(how>>1)%len(sends)
		parts := sceneEmpty(bytesParts(sends, age))
		if err := dec.decode(body, coder, m, parts); err != nil {
			refused(t, err)
			return
		}
		// What was read can be written, and means the same.
		written, with := enc.append(nil, m, parts)
		again := sceneEmpty(parts)
		if err := dec.decode(written, with, m, again); err != nil {
			t.Fatal(err)
		}
		sceneSame(t, parts, again)
	})
}

func FuzzRecording(f *testing.F) {
	head, _, _ := sceneRecording(f, 1, 0)
	f.Fuzz(func(t *testing.T, sends []byte) {
		// The head is always the same: types that are made up stay in memory.
		r, err := NewRecording(io.MultiReader(bytes.NewReader(head), bytes.NewReader(sends)))
		if err != nil {
			t.Fatal(err)
		}
		var groups []Group
		for n := 0; err == nil && n < 64; n++ {
			groups, err = r.Next(groups)
		}
		if err != nil && err != io.EOF {
			refused(t, err)
		}
	})
}

func FuzzParseTrained(f *testing.F) {
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) >= trainedTail {
			// Nothing else gets past the hash.
			file = bytes.Clone(file)
			sum := sumOf(file[:len(file)-trainedTail])
			for i := range trainedTail {
				file[len(file)-trainedTail+i] = byte(sum >> (8 * i))
			}
		}
		got, err := ParseTrained(file)
		if err != nil {
			refused(t, err)
			return
		}
		if again, err := ParseTrained(got.Append(nil)); err != nil || again.Hash() != got.Hash() && got.dictionary == nil {
			t.Fatalf("read again: %v", err)
		}
	})
}
