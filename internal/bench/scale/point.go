package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/bots"
	"github.com/tactusgo/tactus/internal/bench/replay"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
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

// match is the arena's.
func (p point) match(o *options) replay.Match {
	v := game.Variant{Players: max(p.clients, 1)}
	return replay.Match{
		Protocol: v.Protocol,
		Server:   systems.ServerConfig{Seed: o.seed, Budget: budget},
		Populate: func(w *ecs.World) { v.Populate(w, p.clients, p.npcs) },
		Clients:  p.clients,
		Input:    bots.Walk(o.seed, 0, p.clients),
	}
}

// run is a replay that is being measured.
type run struct {
	*replay.Replay
	cost
	cpu, wall time.Duration
	mallocs   uint64
	ticks     int
	told      replay.Told // when measuring began
}

// open replays a tape up to where it is measured.
func (p point) open(t *replay.Tape, workers int) (*run, error) {
	r, err := t.Open(workers)
	if err != nil {
		return nil, err
	}
	for i := range settle {
		if i == settle-30 {
			runtime.GC() // what it takes from pools is made anew before it is measured
		}
		r.Tick()
	}
	return &run{Replay: r, told: r.Told(), cost: cost{Clients: p.clients, Entities: p.clients + p.npcs, Workers: workers}}, nil
}

// measure measures so many ticks.
func (r *run) measure(ticks int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := processorTime(), time.Now()
	for range ticks {
		r.Tick()
	}
	r.wall += time.Since(began)
	r.cpu += processorTime() - cpu
	runtime.ReadMemStats(&after)
	r.mallocs += after.Mallocs - before.Mallocs
	r.ticks += ticks
}

// sum is what the ticks that were measured cost.
func (r *run) sum() cost {
	n := float64(r.ticks)
	r.CPU, r.Wall = r.cpu.Seconds()*1e6/n, r.wall.Seconds()*1e6/n
	told := r.Told()
	seconds := n / float64(r.Server.Config().TickRate)
	r.BytesPerS = float64(told.Bytes-r.told.Bytes) / seconds / float64(max(r.Clients, 1))
	r.WorldHash, r.WireHash = fmt.Sprintf("%016x", r.Server.World().Hash()), fmt.Sprintf("%016x", told.Hash)
	return r.cost
}

// price is what a match costs with one worker.
func (p point) price(o *options) (cost, error) {
	m := p.match(o)
	t, err := m.Record(settle + o.ticks)
	if err != nil {
		return cost{}, err
	}
	r, err := p.open(t, 1)
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = r.Close() }()
	// A collection during the measurement would empty pools, and start threads and goroutines, for which the runtime allocates.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r.measure(o.ticks)
	c, n := r.sum(), float64(r.mallocs)/float64(r.ticks)
	if n < 0.5 {
		n = 0 // the runtime allocates a few things of its own
	}
	c.AllocsPerTick = &n
	return c, nil
}
