package clock

import "cmp"

// outliers is in how many parts of a window of twenty there may be what is later than all
// else without moving a clock. In a window that is not yet full it is at most half of them.
const outliers = 3

// Lowest is the least of the values of a window without outliers, and the least of all; none
// stands where there are no values. It reports false where there are none at all.
func Lowest[T cmp.Ordered](window []T, none T) (low, least T, ok bool) {
	var lows [outliers + 1]T
	n := Least(lows[:], window, none)
	return lows[min(outliers, n/2)], lows[0], n > 0
}

// Least fills lows with the least of the values of a window, in ascending order, and returns
// how many values there are in all.
func Least[T cmp.Ordered](lows, window []T, none T) (n int) {
	for _, v := range window {
		if v == none {
			continue
		}
		for i := range min(n, len(lows)-1) + 1 {
			if i == n || v < lows[i] {
				v, lows[i] = lows[i], v
			}
		}
		n++
	}
	return n
}
