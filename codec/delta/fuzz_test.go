package delta

import (
	"bytes"
	"io"
	"testing"
)

// fuzzBlock decodes any bytes as the body of a block. They are refused, or the result can be encoded again with the same
// meaning.
func fuzzBlock(t *testing.T, m *Model, parts []Part, body []byte, coder Coder, encode func([]Part) ([]byte, Coder)) {
	got := sceneEmpty(parts)
	d := Decoder{Account: true}
	if err := d.Decode(body, coder, m, got); err != nil {
		refused(t, err)
		return
	}
	written, with := encode(got)
	reads(t, new(Decoder), m, got, written, with)
}

func FuzzDecodeRange(f *testing.F) {
	s := newScene(f, 2, 2, 0.3)
	m := NewModel(s.layout, nil)
	s.step()
	s.step()
	variants := [][]Part{s.parts(0, 0, nil), s.parts(1, 0, nil), s.parts(1, 1, nil), s.parts(1, 1, slotsOf(0x00ff_0ff0_f0f0_3333))}
	encode := func(parts []Part) ([]byte, Coder) { return new(Encoder).appendRange(nil, m, parts), Range }
	for i, parts := range variants {
		body, _ := encode(parts)
		f.Add(uint8(i), body)
	}
	f.Add(uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, variant uint8, body []byte) {
		fuzzBlock(t, m, variants[int(variant)%len(variants)], body, Range, encode)
	})
}

func FuzzSymbols(f *testing.F) {
	s := newScene(f, 77, 3, 0.3)
	for range 5 {
		s.step()
	}
	m := NewModel(s.layout, nil)
	enc := Encoder{Only: ZstdOnly}
	for how := range uint8(8) {
		parts := s.parts(int(how>>1), min(int(how>>1), 1), nil)
		if body, coder := enc.Append(nil, m, parts); coder == Coder(how&1) {
			f.Add(body, how)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, how uint8) {
		coder, age := Coder(how&1), int(how>>1)%len(s.sends)
		gap := 0
		if age < len(s.sends)-1 {
			gap = 1
		}
		fuzzBlock(t, m, s.parts(age, gap, nil), body, coder, func(parts []Part) ([]byte, Coder) { return enc.Append(nil, m, parts) })
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
	p, s := anyPrior(f, 4)
	f.Add(NewTrained(s.layout, p).Append(nil))
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
		if again, err := ParseTrained(got.Append(nil)); err != nil || again.Hash() != got.Hash() {
			t.Fatalf("read again: %v", err)
		}
	})
}

func FuzzParsePrior(f *testing.F) {
	p, s := anyPrior(f, 4)
	f.Add(p.Append(nil))
	f.Add([]byte{priorVersion})
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := ParsePrior(src)
		if err != nil {
			refused(t, err)
			return
		}
		NewModel(s.layout, p)
		if string(p.Append(nil)) != string(src) {
			t.Error("another spelling of the same prior")
		}
	})
}
