package ratio

import (
	"cmp"
	"slices"
	"time"
)

// Turn is how long a side runs at a time, once it is known how fast it is: long
// against the clock's grain, short against what disturbs a machine.
const Turn = 100 * time.Microsecond

// Medians runs the sides in turn, rounds times, and returns the median time of
// one call of each, in nanoseconds. Each has run for a while before it counts.
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

// Placements is how often [Placed] begins anew.
const Placements = 9

// Placed is [Medians] for sides whose speed depends on where their memory lies,
// such as copies of more than a cache holds: it makes them anew several times, and
// returns the medians of the time with the median ratio of the first two.
func Placed(rounds int, sides func() []func()) []float64 {
	n := min(rounds, Placements)
	all := make([][]float64, n)
	for i := range all {
		all[i] = Medians((rounds+n-1)/n, sides()...)
	}
	slices.SortFunc(all, func(a, b []float64) int { return cmp.Compare(a[0]/a[1], b[0]/b[1]) })
	return all[n/2]
}

// calibrate returns how many calls fill a turn. With few rounds, as in a test,
// it is content with little.
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
