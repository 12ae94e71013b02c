package netsys

import (
	"bytes"
	"fmt"
	"testing"
)

// The list returns its entries in order, whether they were written into its room or copied. Truncating one entry does not
// change the others.
func TestDatagramList(t *testing.T) {
	var list datagramList[int]
	for round := range 3 {
		want := make([]string, 0, 100)
		for i := range 100 {
			text := fmt.Sprintf("%d of %d", i, round)
			if want = append(want, text); i%2 == 0 {
				room := list.room(1500)
				if len(room) < 1500 {
					t.Fatalf("room for %d bytes", len(room))
				}
				list.add(i, room[:copy(room, text)])
			} else {
				b := []byte(text)
				list.add(i, b)
				clear(b)
			}
		}
		list.add(100, nil)
		want = append(want, "")
		list.truncate(list.at(7), 1)
		want[7] = want[7][:1]
		size := 0
		for i, text := range want {
			e := list.at(i)
			if e.about != i || !bytes.Equal(list.data(e), []byte(text)) {
				t.Fatalf("entry %d is %d, %q; want %q", i, e.about, list.data(e), text)
			}
			size += len(text)
		}
		if list.len() != 101 || len(list.bytes) < size {
			t.Errorf("%d entries of %d bytes", list.len(), len(list.bytes))
		}
		if list.clear(); list.len() != 0 || len(list.bytes) != 0 {
			t.Fatal("not empty")
		}
	}
}
