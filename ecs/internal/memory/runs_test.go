package memory

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Runs are what one finds by looking at each row, after any change of the column.
func TestRunsAreThoseOfTheColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var runs Runs
	var column []uint32
	for step := range 2000 {
		switch n := len(column); {
		case n == 0 || r.IntN(4) == 0 && n < 60:
			column = append(column, r.Uint32N(5))
		case r.IntN(4) == 0:
			column = column[:n-1]
		default:
			column[r.IntN(n)] = r.Uint32N(5)
		}
		runs.Find(column)
		serial := runs.Serial
		if runs.Find(slices.Clone(column)); runs.Serial != serial {
			t.Fatalf("step %d: found again in an equal column", step)
		}
		var rows []uint32
		for i, run := range runs.List {
			if run.Start != int32(len(rows)) || run.End <= run.Start || i > 0 && runs.List[i-1].Key == run.Key {
				t.Fatalf("step %d: run %d is %+v behind row %d", step, i, run, len(rows))
			}
			if head := runs.List[runs.Heads[run.Nth]-1]; head.Key != run.Key || head.Start > run.Start {
				t.Fatalf("step %d: the first run of %d is said to be %+v", step, run.Key, head)
			}
			for range run.End - run.Start {
				rows = append(rows, run.Key)
			}
		}
		if !slices.Equal(rows, column) {
			t.Fatalf("step %d: %v, want %v", step, rows, column)
		}
		for key := range uint32(6) {
			n := 0
			for at := runs.First(key); at > 0; at = runs.List[at-1].Next {
				run := runs.List[at-1]
				if run.Key != key {
					t.Fatalf("step %d: run %+v among those of %d", step, run, key)
				}
				n += int(run.End - run.Start)
			}
			want := 0
			for _, k := range column {
				if k == key {
					want++
				}
			}
			if n != want {
				t.Fatalf("step %d: %d rows of %d, want %d", step, n, key, want)
			}
		}
	}
}
