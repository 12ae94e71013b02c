package delta

import (
	"math"
	"testing"
)

// A decoder counts for each field what the encoder counted; in blocks of other coders the
// fields and the rest together are no more than the block, and nearly all of it.
func TestDecodersCountWhatEncodersSpent(t *testing.T) {
	s := newScene(t, 8, 4, 0.5)
	m := NewModel(s.layout, nil)
	e, d := Encoder{Account: true}, Decoder{Account: true}
	for range 20 {
		base := s.groups
		s.step()
		parts := sceneParts(s.groups, base, nil, allSlots)
		if err := d.Decode(e.appendRange(nil, m, parts), Range, m, sceneEmpty(parts)); err != nil {
			t.Fatal(err)
		}
	}
	want, got := e.Costs(nil), d.Costs(nil)
	if len(want) != len(got) {
		t.Fatalf("%d costs, %d on the other side", len(want), len(got))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%+v was spent, %+v counted", want[i], got[i])
		}
	}
	for name, full := range map[string]bool{"full": true, "delta": false} {
		base := s.groups
		s.step()
		if full {
			base = nil
		}
		parts := sceneParts(s.groups, base, nil, allSlots)
		var b byteEncoder
		body, coder := b.append(nil, m, parts)
		d := Decoder{Account: true}
		if err := d.Decode(body, coder, m, sceneEmpty(parts)); err != nil {
			t.Fatal(err)
		}
		sum, some := 0.0, 0
		for _, c := range d.Costs(nil) {
			sum += c.Bits / 8
			if c.Bits > 0 {
				some++
			}
		}
		if n := float64(len(body)); sum > n+1 || sum < n*0.8-16 || some < 4 {
			t.Errorf("%s: %.1f bytes in the account of a block of %.0f by coder %d, %d fields: %+v", name, sum, n, coder, some, d.Costs(nil))
		}
	}
}

// A decoder that does not count allocates no room for it, and one that does counts the same
// block alike.
func TestDecodersCountWhileAsked(t *testing.T) {
	s := newScene(t, 3, 2, 0.5)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	var e Encoder
	body := e.appendRange(nil, m, parts)
	var d Decoder
	decode := func() (bits float64) {
		if err := d.Decode(body, Range, m, sceneEmpty(parts)); err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Costs(nil) {
			bits += c.Bits
		}
		return bits
	}
	if n := decode(); n != 0 || d.spent.fields != nil {
		t.Errorf("%v bits counted without being asked", n)
	}
	d.Account = true
	one := decode()
	d.Account = false
	if decode() != one {
		t.Error("it went on to count")
	}
	d.Account = true
	if n := decode(); one == 0 || math.Abs(n-2*one) > 1e-9 {
		t.Errorf("%v bits for one block, %v for two", one, n)
	}
}
