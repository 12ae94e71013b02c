package share

import "testing"

// All rows are in one piece each, of at most so many rows, and pieces are done in order without workers.
func TestPiecesAreAllRows(t *testing.T) {
	var l List
	for range 2 { // the second time in the memory of the first
		l.Reset()
		seen := map[[2]int32]int{}
		want := 0
		for table, n := range []int{1, 0, Rows, Rows + 1, 5 * Rows} {
			l.Add(table, 7, n)
			want += n
		}
		next := 0
		l.Run(nil, func(_, i int) {
			if i != next {
				t.Fatalf("piece %d is done in place of %d", i, next)
			}
			next++
			p := l.At(i)
			if p.N < 1 || p.N > Rows {
				t.Errorf("piece %+v", p)
			}
			for k := range p.N {
				seen[[2]int32{p.Table, p.Start + k}]++
			}
		})
		if len(seen) != want {
			t.Errorf("%d rows in pieces, of %d", len(seen), want)
		}
		for at, n := range seen {
			if n != 1 || at[1] < 7 {
				t.Errorf("row %v is in %d pieces", at, n)
			}
		}
	}
}
