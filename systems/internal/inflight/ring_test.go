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
