package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
)

// curve has the cost of a tick for several sizes.
type curve struct {
	// Base is the cost without the growing part.
	Base   cost   `json:"base"`
	Points []cost `json:"points"`
	// Exponent is fitted to the cost minus Base, Plain to the cost.
	Exponent float64 `json:"exponent"`
	Plain    float64 `json:"plain_exponent"`

	size func(cost) int // returns the size that grows
}

// halvings returns sizes that double up to largest, in ascending order.
func halvings(largest, points int) (sizes []int) {
	for range points {
		sizes = append(sizes, max(largest, 1))
		largest /= 2
	}
	slices.Reverse(sizes)
	return slices.Compact(sizes)
}

// measure measures the curve of some points. The first point is the base.
func measure(o *options, progress io.Writer, name string, size func(cost) int, points []point) (*curve, error) {
	c := &curve{size: size}
	for i, p := range points {
		x, err := p.measureCost(o)
		if err != nil {
			return nil, fmt.Errorf("%s, %d clients, %d NPCs: %w", name, p.clients, p.npcs, err)
		}
		fmt.Fprintf(progress, "%s: %d clients, %d entities: %.0f µs\n", name, x.Clients, x.Entities, x.CPU)
		if i == 0 {
			c.Base = x
		} else {
			c.Points = append(c.Points, x)
		}
	}
	c.fit()
	return c, nil
}

// fit computes the exponents.
func (c *curve) fit() {
	var n, plain, less []float64
	for _, p := range c.Points {
		n = append(n, float64(c.size(p)))
		plain = append(plain, p.CPU)
		less = append(less, p.CPU-c.Base.CPU)
	}
	c.Plain, c.Exponent = exponent(n, plain), exponent(n, less)
}

// exponent returns e of the y = a·x^e that is nearest by least squares of the logarithms. It omits values without a
// logarithm, and returns 0 if fewer than two values are left.
func exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if x[i] <= 0 || y[i] <= 0 {
			continue
		}
		lx, ly := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	if d := n*sxx - sx*sx; n >= 2 && d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

// cores has the cost of a tick with 1, 2 and 4 workers.
type cores struct {
	Points []cost `json:"points"`
	// Exponent is e in time = a·workers^e, fitted to the points with at most one worker for each processor. It is -1 if twice
	// the workers halve the time, and 0 if the time stays the same or if the machine has one processor.
	Exponent float64 `json:"exponent"`
	// TwoWorkersRatio is the wall time of a tick with two workers divided by the time with one worker: the median of rounds
	// in which both take turns.
	TwoWorkersRatio float64 `json:"two_workers_ratio"`
	// SameHashes reports whether worlds and datagrams were equal.
	SameHashes bool `json:"same_hashes"`
}

// rounds is the number of turns of each replay.
const rounds = 12

// measureCores measures a match with 1, 2 and 4 workers, which take turns.
func measureCores(o *options, progress io.Writer, p point) (*cores, error) {
	m := p.match(o)
	t, err := m.record(warmupTicks + o.ticks)
	if err != nil {
		return nil, err
	}
	var runs []*measuredRun
	for _, n := range []int{1, 2, 4} {
		r, err := p.open(t, n)
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.close() }()
		runs = append(runs, r)
	}
	var ratios []float64
	for done := 0; done < o.ticks; {
		ticks := min(max(o.ticks/rounds, 1), o.ticks-done)
		done += ticks
		var took [3]float64
		for i, r := range runs {
			before := r.wall
			if err := r.measure(ticks); err != nil {
				return nil, err
			}
			took[i] = (r.wall - before).Seconds()
		}
		ratios = append(ratios, took[1]/took[0])
	}
	c := &cores{SameHashes: true}
	for _, r := range runs {
		x := r.totals()
		fmt.Fprintf(progress, "workers: %d: %.0f µs of the clock, %.0f µs of processors\n", x.Workers, x.Wall, x.CPU)
		c.Points = append(c.Points, x)
		c.SameHashes = c.SameHashes && x.WorldHash == c.Points[0].WorldHash && x.WireHash == c.Points[0].WireHash
	}
	slices.Sort(ratios)
	c.TwoWorkersRatio = ratios[len(ratios)/2]
	c.fit(runtime.NumCPU())
	return c, nil
}

// fit computes the exponent on a number of processors.
func (c *cores) fit(processors int) {
	var workers, wall []float64
	for _, p := range c.Points {
		if p.Workers <= processors {
			workers, wall = append(workers, float64(p.Workers)), append(wall, p.Wall)
		}
	}
	c.Exponent = exponent(workers, wall)
}
