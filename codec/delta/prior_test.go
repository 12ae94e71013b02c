package delta

import (
	"testing"
)

// trained returns a prior that was trained on a scene.
func trained(t testing.TB, seed uint64) (*Prior, *scene) {
	s := newScene(t, seed, 3, 0.3)
	tr := NewTrainer(s.layout)
	for range 30 {
		base := s.groups
		s.step()
		tr.Add(sceneParts(s.groups, base, nil, allSlots))
	}
	return tr.Prior(), s
}

// Trained on its own kind of traffic, a prior makes blocks smaller, and they are
// read with it.
func TestAPriorMakesBlocksSmaller(t *testing.T) {
	p, s := trained(t, 1)
	built, m := NewModel(s.layout, nil), NewModel(s.layout, p)
	var e Encoder
	with, without := 0, 0
	for range 20 {
		base := s.groups
		s.step()
		parts := sceneParts(s.groups, base, nil, allSlots)
		without += len(e.appendRange(nil, built, parts))
		body := e.appendRange(nil, m, parts)
		with += len(body)
		got := sceneEmpty(parts)
		if err := new(Decoder).Decode(body, Range, m, got); err != nil {
			t.Fatal(err)
		}
		sceneSame(t, parts, got)
	}
	if with*100 > without*98 {
		t.Errorf("%d bytes with the prior, %d without", with, without)
	}
}

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
}

// A prior for another layout has no effect.
func TestPriorOfAnotherLayout(t *testing.T) {
	p, s := trained(t, 3)
	other := NewLayout(s.layout.tables[1:], 3, 20)
	if p.Fits(other) {
		t.Error("it fits")
	}
	a, b := NewModel(other, p), NewModel(other, nil)
	for i := range a.start {
		if a.start[i] != b.start[i] {
			t.Fatalf("context %d differs", i)
		}
	}
}

func FuzzParsePrior(f *testing.F) {
	p, s := trained(f, 4)
	f.Add(p.Append(nil))
	f.Add([]byte{priorVersion})
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := ParsePrior(src)
		if err != nil {
			if !named(err) {
				t.Fatal(err)
			}
			return
		}
		NewModel(s.layout, p)
		if string(p.Append(nil)) != string(src) {
			t.Error("another spelling of the same prior")
		}
	})
}
