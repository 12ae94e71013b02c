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
	SendP50        float64 // of one in which snapshots were sent
	OtherP50       float64 // of one in which none were
	PauseMax       float64 // of garbage collection, µs
	TruthsLeftOut  uint64  // sends of which the truth was not told, as nobody read
	Resident       int     // bytes

	Ticks      uint32   // the server's newest
	Work       float64  // share of the time since measuring began, or a burst, that wake-ups took, without what they burnt
	Factor     float64  // of a burst
	SnapshotUs float64  // or by how much each snapshot takes longer
	Steps      []stepAt // of a burst, until now
}

// gauge measures wake-ups of a server, and answers questions between two of them.
type gauge struct {
	server  *systems.Server
	burner  burner
	since   time.Time // of burner.work
	began   time.Time
	on      bool
	steps   uint32   // ticks between two sends
	newest  uint32   // send
	wakes   []uint32 // ns of each wake-up while it was on, up to cap
	sends   []uint32 // likewise, of those in which snapshots were sent
	others  []uint32 // and of those in which none were
	pauses  []uint64 // of garbage collection when it was switched on, by bucket
	asked   chan func()
	sampler []metrics.Sample
}

// longest is how long a measurement may be for which every wake-up is kept, in seconds.
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

// answer answers a question in its own goroutine.
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

// read reads the figures, and begins or ends measuring, or a burst.
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
		g.burner.begin(float64(pct)/100, c.Work, float64(snapshots), c.Ticks)
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

// percentile is the wake-up at a share of all that are sorted, in µs.
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
