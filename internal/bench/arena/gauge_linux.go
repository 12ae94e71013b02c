package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/systems"
)

// counts are figures of the server's process, since it began.
type counts struct {
	At      time.Time
	CPU     time.Duration
	Mallocs uint64
	Stats   systems.ServerStats
	Clients int // connected

	// Since measuring began, with the answer to its end.
	Wakes          int
	P50, P99, P999 float64 // of a wake-up, µs
	PauseMax       float64 // of garbage collection, µs
	TruthsLeftOut  uint64  // sends of which the truth was not told, as nobody read
	Resident       int     // bytes
}

// gauge measures wake-ups of a server, and answers questions between two of them.
type gauge struct {
	server  *systems.Server
	began   time.Time
	on      bool
	wakes   []uint32 // ns of each wake-up while it was on, up to cap
	pauses  []uint64 // of garbage collection when it was switched on, by bucket
	asked   chan func()
	sampler []metrics.Sample
}

// longest is how long a measurement may be for which every wake-up is kept, in seconds.
const longest = 3600

func newGauge(hz int) *gauge {
	return &gauge{
		wakes: make([]uint32, 0, hz*longest), asked: make(chan func()),
		sampler: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}},
	}
}

// Begin implements [systems.Probe].
func (g *gauge) Begin() { g.began = time.Now() }

// End implements [systems.Probe].
func (g *gauge) End() {
	if took := time.Since(g.began); g.on && len(g.wakes) < cap(g.wakes) {
		g.wakes = append(g.wakes, uint32(min(took, math.MaxUint32)))
	}
	select {
	case f := <-g.asked:
		f()
	default:
	}
}

// answer answers a question in its own goroutine.
func (g *gauge) answer(question string) (any, error) {
	switch question {
	case askMemory:
		return readMemory()
	case askBegin, askEnd:
	default:
		return nil, fmt.Errorf("%q is no question", question)
	}
	type answer struct {
		counts
		err error
	}
	answered := make(chan answer, 1)
	g.asked <- func() {
		c, err := g.read(question == askEnd)
		answered <- answer{c, err}
	}
	a := <-answered
	return a.counts, a.err
}

// read reads the figures, and begins or ends measuring.
func (g *gauge) read(end bool) (c counts, err error) {
	c.At, c.Stats = time.Now(), g.server.Stats()
	for range g.server.Clients {
		c.Clients++
	}
	if c.CPU, err = apart.CPU(); err != nil {
		return c, err
	}
	if c.Resident, _, err = apart.Resident(); err != nil {
		return c, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.Mallocs = m.Mallocs
	if end {
		c.Wakes = len(g.wakes)
		slices.Sort(g.wakes)
		c.P50, c.P99, c.P999 = g.percentile(0.5), g.percentile(0.99), g.percentile(0.999)
		c.PauseMax = g.pause(g.pauses)
	}
	g.on, g.wakes = !end, g.wakes[:0]
	g.pauses = append(g.pauses[:0], g.histogram().Counts...)
	return c, nil
}

// percentile is the wake-up at a share of all that are sorted, in µs.
func (g *gauge) percentile(share float64) float64 {
	if len(g.wakes) == 0 {
		return 0
	}
	return float64(g.wakes[min(int(share*float64(len(g.wakes))), len(g.wakes)-1)]) / 1000
}

func (g *gauge) histogram() *metrics.Float64Histogram {
	metrics.Read(g.sampler)
	return g.sampler[0].Value.Float64Histogram()
}

// pause is the longest pause since counts were as before: the upper end of its bucket, in µs.
func (g *gauge) pause(before []uint64) (longest float64) {
	h := g.histogram()
	for i, n := range h.Counts {
		if i < len(before) && n > before[i] {
			longest = h.Buckets[i]
			if upper := h.Buckets[i+1]; !math.IsInf(upper, 1) {
				longest = upper
			}
		}
	}
	return longest * 1e6
}
