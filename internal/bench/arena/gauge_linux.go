package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/systems"
)

// counts are figures of the server's process since its start.
type counts struct {
	At      time.Time
	CPU     time.Duration
	Mallocs uint64
	Stats   systems.ServerStats
	Clients int // connected

	// Since the start of the measurement, in the answer to its end:
	Wakes          int
	P50, P99, P999 float64 // length of wake-ups, µs
	SendP50        float64 // length of wake-ups with snapshots
	OtherP50       float64 // length of wake-ups without snapshots
	PauseMax       float64 // longest pause by garbage collection, µs
	TruthsLeftOut  uint64  // send ticks whose state was not sent to the checker, because the pipe was full
	Resident       int     // bytes

	Ticks      uint32   // newest tick of the server
	Work       float64  // busy share of the time since the start of the measurement or burst, without the slowdown
	Factor     float64  // slowdown factor of a burst
	SnapshotUs float64  // added time per snapshot
	Steps      []stepAt // overload steps of the burst so far
}

// gauge measures the wake-ups of a server and answers questions between two of them.
type gauge struct {
	server  *systems.Server
	burner  burner
	since   time.Time // start of burner.work
	began   time.Time
	on      bool
	steps   uint32   // ticks between two send ticks
	newest  uint32   // newest send tick
	wakes   []uint32 // length of each measured wake-up in ns, up to cap
	sends   []uint32 // the same for wake-ups with snapshots
	others  []uint32 // the same for wake-ups without
	pauses  []uint64 // pauses by garbage collection before the measurement, by bucket
	asked   chan func()
	sampler []metrics.Sample
}

// longest is the longest measurement, in seconds, for which every wake-up is stored.
const longest = 3600

func newGauge(hz int) *gauge {
	return &gauge{
		steps: uint32(hz / sendRate(hz)), wakes: make([]uint32, 0, hz*longest),
		sends: make([]uint32, 0, hz*longest), others: make([]uint32, 0, hz*longest), asked: make(chan func()),
		sampler: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}},
	}
}

// Begin implements [systems.Probe].
func (g *gauge) Begin() { g.began = time.Now() }

// End implements [systems.Probe].
func (g *gauge) End() {
	took := time.Since(g.began)
	if g.on && len(g.wakes) < cap(g.wakes) {
		ns := uint32(min(took, math.MaxUint32))
		g.wakes = append(g.wakes, ns)
		if send := g.server.Tick() / g.steps; send != g.newest {
			g.newest, g.sends = send, append(g.sends, ns)
		} else {
			g.others = append(g.others, ns)
		}
	}
	g.burner.end(took)
	if !g.burner.began.IsZero() && g.server.Tick()%3 == 0 {
		now := g.server.Stats().Overload.Step
		g.burner.note(int(now), now.String(), g.server.Tick())
	}
	select {
	case f := <-g.asked:
		f()
	default:
	}
}

// answer answers a question on its own goroutine.
func (g *gauge) answer(question string) (any, error) {
	question, text, _ := strings.Cut(question, " ")
	var pct, snapshots int
	if _, err := fmt.Sscan(text, &pct, &snapshots); text != "" && err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	switch question {
	case askMemory:
		return readMemory()
	case askBegin, askEnd, askBurst, askCalm:
	default:
		return nil, fmt.Errorf("%q is no question", question)
	}
	type answer struct {
		counts
		err error
	}
	answered := make(chan answer, 1)
	g.asked <- func() {
		c, err := g.read(question, pct, snapshots)
		answered <- answer{c, err}
	}
	a := <-answered
	return a.counts, a.err
}

// read returns the figures and starts or ends a measurement or a burst.
func (g *gauge) read(question string, pct, snapshots int) (c counts, err error) {
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
	c.Ticks, c.Work = g.server.Tick(), g.burner.work.Seconds()/max(time.Since(g.since).Seconds(), 1e-9)
	switch question {
	case askBurst:
		g.burner.startBurst(float64(pct)/100, c.Work, float64(snapshots), c.Ticks)
	case askCalm:
		g.burner.calm()
	}
	c.Factor, c.SnapshotUs, c.Steps = max(g.burner.factor, 1), g.burner.each.Seconds()*1e6, g.burner.steps
	if question != askBegin && question != askEnd {
		return c, nil
	}
	if question == askEnd {
		c.Wakes = len(g.wakes)
		for _, x := range [][]uint32{g.wakes, g.sends, g.others} {
			slices.Sort(x)
		}
		c.P50, c.P99, c.P999 = percentile(g.wakes, 0.5), percentile(g.wakes, 0.99), percentile(g.wakes, 0.999)
		c.SendP50, c.OtherP50 = percentile(g.sends, 0.5), percentile(g.others, 0.5)
		c.PauseMax = g.pause(g.pauses)
	}
	g.on, g.wakes, g.sends, g.others = question == askBegin, g.wakes[:0], g.sends[:0], g.others[:0]
	if g.on {
		g.burner.work, g.since = 0, time.Now()
	}
	g.pauses = append(g.pauses[:0], g.histogram().Counts...)
	return c, nil
}

// percentile returns the given quantile of sorted wake-ups, in µs.
func percentile(sorted []uint32, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]) / 1000
}

func (g *gauge) histogram() *metrics.Float64Histogram {
	metrics.Read(g.sampler)
	return g.sampler[0].Value.Float64Histogram()
}

// pause returns the longest pause since before, as the upper bound of its bucket in µs.
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
