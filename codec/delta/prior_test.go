package delta

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/internal/rangecoder"
)

// anyPrior returns a prior with any chances, for a scene.
func anyPrior(t testing.TB, seed uint64) (*Prior, *scene) {
	s := newScene(t, seed, 3, 0.3)
	start := NewModel(s.layout, nil).Chances()
	for i := range start {
		start[i] = chance{P: uint16(1 + s.rng.IntN(math.MaxUint16)), N: uint16(s.rng.IntN(rangecoder.MostSeen + 1))}
	}
	return NewPrior(s.layout, start), s
}

// A decoder with a prior reads the blocks of an encoder with this prior.
func TestPriorsDecode(t *testing.T) {
	p, s := anyPrior(t, 1)
	m := NewModel(s.layout, p)
	var e Encoder
	for range 20 {
		s.step()
		parts := s.parts(1, 0, nil)
		reads(t, new(Decoder), m, parts, e.appendRange(nil, m, parts), Range)
	}
}

// A prior travels, and has no effect on another layout than its own.
func TestPriorsTravel(t *testing.T) {
	p, s := anyPrior(t, 2)
	again, err := ParsePrior(p.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != p.Hash() || p.Hash() == 0 || !again.Fits(s.layout) {
		t.Errorf("hashes %x and %x, fits %t", again.Hash(), p.Hash(), again.Fits(s.layout))
	}
	if (*Prior)(nil).Hash() != 0 {
		t.Error("the built-in prior has a hash")
	}
	other := NewLayout(s.layout.tables[1:], 3, 20)
	if p.Fits(other) {
		t.Error("it fits another layout")
	}
	a, b := NewModel(other, p), NewModel(other, nil)
	for i := range a.start {
		if a.start[i] != b.start[i] {
			t.Fatalf("context %d differs", i)
		}
	}
}
