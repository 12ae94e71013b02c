package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// After any change of the column, the runs are equal to those that a look at each row finds.
func TestRowRunsAreThoseOfTheColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var runs rowRuns
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
		runs.update(column)
		serial := runs.serial
		if runs.update(slices.Clone(column)); runs.serial != serial {
			t.Fatalf("step %d: found again in an equal column", step)
		}
		var rows []uint32
		for i, run := range runs.all {
			if run.start != int32(len(rows)) || run.end <= run.start || i > 0 && runs.all[i-1].key == run.key {
				t.Fatalf("step %d: run %d is %+v behind row %d", step, i, run, len(rows))
			}
			if head := runs.all[runs.heads[run.nth]-1]; head.key != run.key || head.start > run.start {
				t.Fatalf("step %d: the first run of %d is said to be %+v", step, run.key, head)
			}
			for range run.end - run.start {
				rows = append(rows, run.key)
			}
		}
		if !slices.Equal(rows, column) {
			t.Fatalf("step %d: %v, want %v", step, rows, column)
		}
		for key := range uint32(6) {
			n := 0
			for at := runs.first(key); at > 0; at = runs.all[at-1].next {
				run := runs.all[at-1]
				if run.key != key {
					t.Fatalf("step %d: run %+v among those of %d", step, run, key)
				}
				n += int(run.end - run.start)
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
