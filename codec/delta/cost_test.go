package delta

import (
	"math"
	"testing"
)

// The costs of all fields add up to the length of the blocks, and so do those of all entities and the rest. A decoder counts
// the same costs as the encoder. With other coders, the fields and the rest add up to almost the whole block.
func TestCostsAddUp(t *testing.T) {
	s := newScene(t, 8, 4, 0.5)
	m := NewModel(s.layout, nil)
	e, d := Encoder{Account: true}, Decoder{Account: true}
	e.AccountEntities(true)
	bytes, blocks := 0, 20
	s.teach(blocks, func(parts []Part) {
		body := e.appendRange(nil, m, parts)
		bytes += len(body)
		reads(t, &d, m, parts, body, Range)
	})
	want, got := e.Costs(nil), d.Costs(nil)
	if len(want) != len(got) {
		t.Fatalf("%d costs, %d on the other side", len(want), len(got))
	}
	sum, rest := 0.0, 0.0
	for i, c := range want {
		if c != got[i] {
			t.Errorf("%+v was spent, %+v counted", c, got[i])
		}
		sum += c.Bits
		if c.Component < 0 {
			rest += c.Bits
		}
	}
	if math.Abs(sum/8-float64(bytes)) > float64(blocks) {
		t.Errorf("%.1f bytes in the account, %d on the wire", sum/8, bytes)
	}
	on := 0.0
	for id := range s.id {
		on += e.CostOf(id)
	}
	if math.Abs(on-(sum-rest)) > 1 {
		t.Errorf("%.1f bits by entity, %.1f by field", on, sum-rest)
	}
	for age := range 2 {
		s.step()
		parts := s.parts(age, 0, nil)
		body, coder := (&Encoder{Only: ZstdOnly}).Append(nil, m, parts)
		d := Decoder{Account: true}
		reads(t, &d, m, parts, body, coder)
		sum, some := 0.0, 0
		for _, c := range d.Costs(nil) {
			sum += c.Bits / 8
			if c.Bits > 0 {
				some++
			}
		}
		if n := float64(len(body)); sum > n+1 || sum < n*0.8-16 || some < 4 {
			t.Errorf("age %d: %.1f bytes in the account of a block of %.0f by coder %d, %d fields: %+v", age, sum, n, coder, some, d.Costs(nil))
		}
	}
}

// A decoder that does not count allocates no room for it, and one that does counts the same
// block alike.
func TestDecodersCountWhileAsked(t *testing.T) {
	_, m, parts := news(t, 3, 2, 0.5)
	body := new(Encoder).appendRange(nil, m, parts)
	var d Decoder
	decode := func() (bits float64) {
		reads(t, &d, m, parts, body, Range)
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
