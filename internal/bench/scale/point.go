package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
)

// point is the size of a measured match.
type point struct {
	clients, npcs int
}

// cost is the server's cost of a match.
type cost struct {
	Clients  int     `json:"clients"`
	Entities int     `json:"entities"` // players included
	Workers  int     `json:"workers"`
	CPU      float64 `json:"cpu_us_per_tick"`
	Wall     float64 `json:"wall_us_per_tick"`
	// AllocsPerTick is nil for the row cores: a worker allocates when it first does a kind of work, at a random time.
	AllocsPerTick *float64 `json:"allocs_per_tick,omitempty"`
	BytesPerS     float64  `json:"bytes_down_per_client_s"`
	WorldHash     string   `json:"world_hash"`
	WireHash      string   `json:"wire_hash"`
}

// warmupTicks is the number of ticks before a match is measured. By then the histories are full, so that nothing grows.
const warmupTicks = 900

// budget is the limit of a snapshot: three datagrams.
const budget = 3 * netsys.MaxPayload

// match returns the match to record.
func (p point) match(o *options) match {
	return match{clients: p.clients, npcs: p.npcs, seed: o.seed, budget: budget}
}

// measuredRun is a replay with the figures so far.
type measuredRun struct {
	*replay
	cost
	cpu, wall time.Duration
	mallocs   uint64
	ticks     int
	before    sent // at the start of the measurement
}

// open replays a tape up to the start of the measurement.
func (p point) open(t *tape, workers int) (*measuredRun, error) {
	r, err := t.open(workers)
	if err != nil {
		return nil, err
	}
	for i := range warmupTicks {
		if i == warmupTicks-30 {
			runtime.GC() // empties the pools; the remaining ticks fill them again
		}
		r.tick()
	}
	return &measuredRun{replay: r, before: r.totalSent(), cost: cost{Clients: p.clients, Entities: p.clients + p.npcs, Workers: workers}}, nil
}

// measure measures a number of ticks.
func (r *measuredRun) measure(ticks int) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from, err := apart.CPU()
	if err != nil {
		return err
	}
	began := time.Now()
	for range ticks {
		r.tick()
	}
	r.wall += time.Since(began)
	to, err := apart.CPU()
	r.cpu += to - from
	runtime.ReadMemStats(&after)
	r.mallocs += after.Mallocs - before.Mallocs
	r.ticks += ticks
	return err
}

// totals returns the cost of the measured ticks.
func (r *measuredRun) totals() cost {
	n := float64(r.ticks)
	r.CPU, r.Wall = r.cpu.Seconds()*1e6/n, r.wall.Seconds()*1e6/n
	sent := r.totalSent()
	seconds := n / float64(r.server.Config().TickRate)
	r.BytesPerS = float64(sent.bytes-r.before.bytes) / seconds / float64(max(r.Clients, 1))
	r.WorldHash, r.WireHash = fmt.Sprintf("%016x", r.server.World().Hash()), fmt.Sprintf("%016x", sent.hash)
	return r.cost
}

// measureCost returns the cost of a match with one worker.
func (p point) measureCost(o *options) (cost, error) {
	m := p.match(o)
	t, err := m.record(warmupTicks + o.ticks)
	if err != nil {
		return cost{}, err
	}
	r, err := p.open(t, 1)
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = r.close() }()
	// A garbage collection during the measurement would empty pools and start threads, and the runtime would allocate.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := r.measure(o.ticks); err != nil {
		return cost{}, err
	}
	c, n := r.totals(), float64(r.mallocs)/float64(r.ticks)
	if n < 0.5 {
		n = 0 // allocations of the runtime
	}
	c.AllocsPerTick = &n
	return c, nil
}
