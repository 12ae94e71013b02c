package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
)

// point is a match that is measured.
type point struct {
	clients, npcs int
}

// cost is what a match costs its server.
type cost struct {
	Clients  int     `json:"clients"`
	Entities int     `json:"entities"` // players included
	Workers  int     `json:"workers"`
	CPU      float64 `json:"cpu_us_per_tick"`
	Wall     float64 `json:"wall_us_per_tick"`
	// AllocsPerTick is nil for the row cores: a worker allocates when it first does some kind of work, which is up to chance.
	AllocsPerTick *float64 `json:"allocs_per_tick,omitempty"`
	BytesPerS     float64  `json:"bytes_down_per_client_s"`
	WorldHash     string   `json:"world_hash"`
	WireHash      string   `json:"wire_hash"`
}

// settle is how many ticks a match is long before it is measured: histories have gone round then, so that nothing grows
// any more.
const settle = 900

// budget is most of what a snapshot may have: three datagrams.
const budget = 3 * netsys.MaxPayload

// match returns the match to record.
func (p point) match(o *options) match {
	return match{clients: p.clients, npcs: p.npcs, seed: o.seed, budget: budget}
}

// run is a replay that is being measured.
type run struct {
	*replay
	cost
	cpu, wall time.Duration
	mallocs   uint64
	ticks     int
	before    sent // when measuring began
}

// open replays a tape up to the point where it is measured.
func (p point) open(t *tape, workers int) (*run, error) {
	r, err := t.open(workers)
	if err != nil {
		return nil, err
	}
	for i := range settle {
		if i == settle-30 {
			runtime.GC() // pools are empty then, and filled again before it is measured
		}
		r.tick()
	}
	return &run{replay: r, before: r.sent(), cost: cost{Clients: p.clients, Entities: p.clients + p.npcs, Workers: workers}}, nil
}

// measure measures a number of ticks.
func (r *run) measure(ticks int) error {
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

// sum is what the ticks that were measured cost.
func (r *run) sum() cost {
	n := float64(r.ticks)
	r.CPU, r.Wall = r.cpu.Seconds()*1e6/n, r.wall.Seconds()*1e6/n
	sent := r.sent()
	seconds := n / float64(r.server.Config().TickRate)
	r.BytesPerS = float64(sent.bytes-r.before.bytes) / seconds / float64(max(r.Clients, 1))
	r.WorldHash, r.WireHash = fmt.Sprintf("%016x", r.server.World().Hash()), fmt.Sprintf("%016x", sent.hash)
	return r.cost
}

// price is what a match costs with one worker.
func (p point) price(o *options) (cost, error) {
	m := p.match(o)
	t, err := m.record(settle + o.ticks)
	if err != nil {
		return cost{}, err
	}
	r, err := p.open(t, 1)
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = r.close() }()
	// A collection during the measurement would empty pools, and start threads and goroutines, for which the runtime allocates.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := r.measure(o.ticks); err != nil {
		return cost{}, err
	}
	c, n := r.sum(), float64(r.mallocs)/float64(r.ticks)
	if n < 0.5 {
		n = 0 // the runtime allocates a few things of its own
	}
	c.AllocsPerTick = &n
	return c, nil
}
