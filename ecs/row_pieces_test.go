package ecs

import "testing"

// Every row is in exactly one piece of at most pieceRows rows. Without workers, pieces run in order.
func TestRowPiecesAreAllRows(t *testing.T) {
	var l rowPieces
	for range 2 { // the second time in the memory of the first
		l.reset()
		seen := map[[2]int32]int{}
		want := 0
		for table, n := range []int{1, 0, pieceRows, pieceRows + 1, 5 * pieceRows} {
			l.add(table, 7, n)
			want += n
		}
		next := 0
		l.run(nil, func(_, i int) {
			if i != next {
				t.Fatalf("piece %d is done in place of %d", i, next)
			}
			next++
			p := l.all[i]
			if p.n < 1 || p.n > pieceRows {
				t.Errorf("piece %+v", p)
			}
			for k := range p.n {
				seen[[2]int32{p.table, p.start + k}]++
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
