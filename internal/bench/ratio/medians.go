package ratio

import (
	"cmp"
	"slices"
	"time"
)

// Turn is the length of a side's turn once its speed is known: long in comparison with the clock's resolution, short in
// comparison with disturbances.
const Turn = 100 * time.Microsecond

// Medians runs the sides in turn for the given number of rounds and returns the median time of one call of each, in
// nanoseconds. Each side warms up first.
func Medians(rounds int, sides ...func()) []float64 {
	calls := make([]int, len(sides))
	times := make([][]float64, len(sides))
	for i, side := range sides {
		calls[i] = calibrate(side, rounds)
	}
	for range rounds {
		for i, side := range sides {
			times[i] = append(times[i], float64(elapsed(side, calls[i]))/float64(calls[i]))
		}
	}
	medians := make([]float64, len(sides))
	for i, t := range times {
		slices.Sort(t)
		medians[i] = t[len(t)/2]
	}
	return medians
}

// Placements is the number of restarts in [Placed].
const Placements = 9

// Placed is [Medians] for sides whose speed depends on the placement of their memory, such as copies larger than a cache.
// It creates the sides several times and returns the times of the restart with the median ratio of the first two sides.
func Placed(rounds int, sides func() []func()) []float64 {
	n := min(rounds, Placements)
	all := make([][]float64, n)
	for i := range all {
		all[i] = Medians((rounds+n-1)/n, sides()...)
	}
	slices.SortFunc(all, func(a, b []float64) int { return cmp.Compare(a[0]/a[1], b[0]/b[1]) })
	return all[n/2]
}

// calibrate returns the number of calls per turn. With few rounds, as in a test, it calibrates only roughly.
func calibrate(side func(), rounds int) int {
	target := Turn
	if rounds < 10 {
		target /= 10
	}
	for n := 1; ; n *= 2 {
		if elapsed(side, n) >= target {
			return n
		}
	}
}

func elapsed(side func(), n int) time.Duration {
	start := time.Now()
	for range n {
		side()
	}
	return time.Since(start)
}
