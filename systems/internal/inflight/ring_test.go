package inflight

import "testing"

// A packet is found once, under its own sequence number, until another packet replaces it or all are released.
func TestPacketsAreTakenOnce(t *testing.T) {
	r := New[[]int](8)
	*r.Put(65_535) = []int{3}
	if r.Take(7) != nil {
		t.Error("another packet of the same place was taken")
	}
	if x := r.Take(65_535); x == nil || (*x)[0] != 3 {
		t.Errorf("%v", x)
	}
	if r.Take(65_535) != nil {
		t.Error("taken twice")
	}
	if x := r.Put(7); len(*x) != 1 {
		t.Error("its memory is not used again")
	}
	r.Put(15)
	if r.Take(7) != nil {
		t.Error("taken although it was replaced")
	}
	open := 0
	for range r.All {
		open++
	}
	r.Clear()
	for _, is := range r.All {
		if is {
			t.Error("in flight after Clear")
		}
	}
	if open != 8 || r.Take(15) != nil {
		t.Errorf("%d places; or taken after Clear", open)
	}
}

// A ring grows, up to its limit, for packets in flight that are still needed. It forgets others.
func TestRingKeepsWhatIsNeeded(t *testing.T) {
	r := New[int](8)
	needed := func(n *int) bool { return *n%2 == 0 }
	for n := range 100 {
		seq := uint16(65_500 + n)
		r.Reserve(seq, 64, needed)
		*r.Put(seq) = n
		if n%4 == 3 && r.Take(seq) == nil {
			t.Fatalf("packet %d is not found", n)
		}
	}
	if len(r) != 64 {
		t.Errorf("%d places", len(r))
	}
	for n := range 100 {
		x := r.Take(uint16(65_500 + n))
		if want := n >= 36 && n%4 != 3; (x != nil) != want || want && *x != n {
			t.Errorf("packet %d: %v", n, x)
		}
	}
	few := New[int](8)
	for seq := range uint16(100) {
		few.Reserve(seq, 64, func(*int) bool { return false })
		few.Put(seq)
	}
	if len(few) != 8 {
		t.Errorf("%d places for packets that nobody needs", len(few))
	}
}
