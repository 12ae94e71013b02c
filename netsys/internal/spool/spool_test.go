package spool

import (
	"bytes"
	"fmt"
	"testing"
)

// What is added is there in order, whether it was written into the room or elsewhere, and cutting one leaves the others.
func TestSpool(t *testing.T) {
	var s Spool[int]
	for round := range 3 {
		want := make([]string, 0, 100)
		for i := range 100 {
			text := fmt.Sprintf("%d of %d", i, round)
			if want = append(want, text); i%2 == 0 {
				room := s.Room(1500)
				if len(room) < 1500 {
					t.Fatalf("room for %d bytes", len(room))
				}
				s.Add(i, room[:copy(room, text)])
			} else {
				b := []byte(text)
				s.Add(i, b)
				clear(b)
			}
		}
		s.Add(100, nil)
		want = append(want, "")
		s.Cut(s.At(7), 1)
		want[7] = want[7][:1]
		size := 0
		for i, text := range want {
			e := s.At(i)
			if e.About != i || !bytes.Equal(s.Bytes(e), []byte(text)) {
				t.Fatalf("entry %d is %d, %q; want %q", i, e.About, s.Bytes(e), text)
			}
			size += len(text)
		}
		if s.Len() != 101 || s.Size() < size {
			t.Errorf("%d entries of %d bytes", s.Len(), s.Size())
		}
		if s.Clear(); s.Len() != 0 || s.Size() != 0 {
			t.Fatal("not empty")
		}
	}
}

// Once it has held as much it allocates nothing.
func TestAllocatesNothing(t *testing.T) {
	var s Spool[*int]
	b := make([]byte, 100)
	if n := testing.AllocsPerRun(20, func() {
		for range 50 {
			s.Add(nil, b)
			s.Add(nil, s.Room(1500)[:200])
		}
		s.Clear()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
