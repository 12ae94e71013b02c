package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
)

// curve is how the cost of a tick grows.
type curve struct {
	// Base is the cost without what grows.
	Base   cost   `json:"base"`
	Points []cost `json:"points"`
	// Exponent is that of the cost less that of Base, Plain that of the cost.
	Exponent float64 `json:"exponent"`
	Plain    float64 `json:"plain_exponent"`

	of func(cost) int // what grows
}

// halvings are the sizes from a largest one down, the smallest first.
func halvings(largest, points int) (sizes []int) {
	for range points {
		sizes = append(sizes, max(largest, 1))
		largest /= 2
	}
	slices.Reverse(sizes)
	return slices.Compact(sizes)
}

// measure makes a curve of points, of which the first is the base.
func measure(o *options, progress io.Writer, name string, of func(cost) int, points []point) (*curve, error) {
	c := &curve{of: of}
	for i, p := range points {
		x, err := p.price(o)
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

// fit finds the exponents.
func (c *curve) fit() {
	var n, plain, less []float64
	for _, p := range c.Points {
		n = append(n, float64(c.of(p)))
		plain = append(plain, p.CPU)
		less = append(less, p.CPU-c.Base.CPU)
	}
	c.Plain, c.Exponent = exponent(n, plain), exponent(n, less)
}

// exponent is e of the y = a·x^e that is nearest by least squares of the logarithms. Values that have no logarithm are
// left out; it is 0 where fewer than two are left.
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

// cores is what workers are good for.
type cores struct {
	Points []cost `json:"points"`
	// Exponent is that of the wall time by workers, as far as there is a processor for each; -1 is perfect, 0 says that
	// they are good for nothing, or that there is one processor.
	Exponent float64 `json:"exponent"`
	// TwoWorkersRatio is the wall time of a tick with two workers by that with one, the median of rounds in which both
	// took turns.
	TwoWorkersRatio float64 `json:"two_workers_ratio"`
	// SameHashes says that worlds and datagrams were the same.
	SameHashes bool `json:"same_hashes"`
}

// rounds is how often the replays take turns.
const rounds = 12

// share measures a match with different numbers of workers, which take turns.
func share(o *options, progress io.Writer, p point) (*cores, error) {
	m := p.match(o)
	t, err := m.record(settle + o.ticks)
	if err != nil {
		return nil, err
	}
	var runs []*run
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
		x := r.sum()
		fmt.Fprintf(progress, "workers: %d: %.0f µs of the clock, %.0f µs of processors\n", x.Workers, x.Wall, x.CPU)
		c.Points = append(c.Points, x)
		c.SameHashes = c.SameHashes && x.WorldHash == c.Points[0].WorldHash && x.WireHash == c.Points[0].WireHash
	}
	slices.Sort(ratios)
	c.TwoWorkersRatio = ratios[len(ratios)/2]
	c.fit(runtime.NumCPU())
	return c, nil
}

// fit finds the exponent, on so many processors.
func (c *cores) fit(processors int) {
	var workers, wall []float64
	for _, p := range c.Points {
		if p.Workers <= processors {
			workers, wall = append(workers, float64(p.Workers)), append(wall, p.Wall)
		}
	}
	c.Exponent = exponent(workers, wall)
}
