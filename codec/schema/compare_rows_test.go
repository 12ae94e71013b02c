package schema

import (
	"math"
	"testing"
)

// A row with equal infinities does not hide differences in later rows, wherever in the component the field is.
func TestCompareBehindInfinities(t *testing.T) {
	type pair struct{ X, Y float32 }
	table := compile[pair](t, Fields{"X": "raw", "Y": "raw"})
	inf := float32(math.Inf(1))
	for last := range 6 {
		var a, b [6]pair
		for i := range a {
			a[i] = pair{1, 2}
			if i%2 == 0 {
				a[i].Y = inf
			}
		}
		b = a
		if row, field := table.CompareColumn(at(&a), at(&b), len(a)); row != -1 || field != -1 {
			t.Errorf("equal rows: %d, %d", row, field)
		}
		b[last].Y = 7
		if row, field := table.CompareColumn(at(&a), at(&b), len(a)); row != last || field != 1 {
			t.Errorf("row %d field %d differs, want row %d field 1", row, field, last)
		}
	}
}

// A tolerance of 0 allows no difference at all, not even by the rounding of a type.
func TestNoToleranceForgivesNoRounding(t *testing.T) {
	table := compile[num[float64]](t, Fields{"V": "-512..512 step 0.01 tol 0"})
	a, b := num[float64]{1}, num[float64]{math.Nextafter(1, 2)}
	if table.Compare(at(&a), at(&b)) != 0 {
		t.Error("neighbours are equal")
	}
	raw := compile[num[float32]](t, Fields{"V": "raw tol 0.25"})
	c, d := num[float32]{1}, num[float32]{math.Nextafter32(1.25, 2)}
	if raw.Compare(at(&c), at(&d)) != 0 {
		t.Error("a tolerance without a range has no rounding on top")
	}
}
