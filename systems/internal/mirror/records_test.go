package mirror

import "testing"

// Whoever comes to an index that was another entity's finds a clean record in every room.
func TestReusedIndexIsClean(t *testing.T) {
	var a Records[int]
	var b Records[struct{ p *int }]
	e := Entities{byID: make(map[uint32]*Replica)}
	e.Attach(&a, &b)
	first, other := e.add(1), e.add(2)
	for i, r := range []*Replica{first, other} {
		*a.Of(r), b.Of(r).p = i+1, new(int)
	}
	e.forget(first)
	if e.Of(1) != nil || e.tombstones.of(1) != Destroyed {
		t.Error("an entity that is gone is not forgotten")
	}
	again := e.add(3)
	if again.Index != first.Index || again.Index == other.Index {
		t.Errorf("index %d after %d and %d", again.Index, first.Index, other.Index)
	}
	if *a.Of(again) != 0 || b.Of(again).p != nil {
		t.Errorf("%v, %v of another entity", *a.Of(again), b.Of(again).p)
	}
	if *a.Of(other) != 2 || b.Of(other).p == nil {
		t.Error("the records of one that lives are lost")
	}
}
