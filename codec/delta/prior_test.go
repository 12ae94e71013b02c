package delta

import (
	"testing"
)

// trained returns a prior that was trained on a scene.
func trained(t testing.TB, seed uint64) (*Prior, *scene) {
	s := newScene(t, seed, 3, 0.3)
	tr := NewTrainer(s.layout)
	s.teach(30, tr.Add)
	return tr.Prior(), s
}

// A prior that was trained on the same kind of traffic makes blocks smaller. A decoder with the prior reads them.
func TestAPriorMakesBlocksSmaller(t *testing.T) {
	p, s := trained(t, 1)
	built, m := NewModel(s.layout, nil), NewModel(s.layout, p)
	var e Encoder
	with, without := 0, 0
	s.teach(20, func(parts []Part) {
		without += len(e.appendRange(nil, built, parts))
		body := e.appendRange(nil, m, parts)
		with += len(body)
		reads(t, new(Decoder), m, parts, body, Range)
	})
	if with*100 > without*98 {
		t.Errorf("%d bytes with the prior, %d without", with, without)
	}
}

// A prior travels, and has no effect on another layout than its own.
func TestPriorsTravel(t *testing.T) {
	p, s := trained(t, 2)
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
