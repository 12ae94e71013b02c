package main

import (
	"fmt"
	"math"
	"runtime"
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
	Clients       int     `json:"clients"`
	Entities      int     `json:"entities"` // players included
	Workers       int     `json:"workers"`
	CPU           float64 `json:"cpu_us_per_tick"`
	Wall          float64 `json:"wall_us_per_tick"`
	AllocsPerTick float64 `json:"allocs_per_tick"`
	BytesPerS     float64 `json:"bytes_down_per_client_s"`
	WorldHash     string  `json:"world_hash"`
	WireHash      string  `json:"wire_hash"`
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
	made      []allocated
	ticks     int
	told      replay.Told // when measuring began
}

// allocated is how often some ticks allocated.
type allocated struct {
	mallocs uint64
	ticks   int
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
	r.made = append(r.made, allocated{after.Mallocs - before.Mallocs, ticks})
	r.ticks += ticks
}

// spans are at most in how many parts it is looked whether ticks allocate.
const spans = 4

// allocs is how often a tick allocates: the least of spans of what was measured. A worker has room and plans of its own, which
// it makes when it first does a kind of work. Which worker does what is up to chance, so that one may do so long after the start;
// what each tick, or each send, allocates is in all spans.
func allocs(made []allocated) float64 {
	least := math.Inf(1)
	n := max(len(made)/spans, 1)
	for ; len(made) > 0; made = made[min(n, len(made)):] {
		if len(made) < 2*n {
			n = len(made) // what is left over is part of the last
		}
		var all allocated
		for _, a := range made[:n] {
			all.mallocs, all.ticks = all.mallocs+a.mallocs, all.ticks+a.ticks
		}
		least = min(least, float64(all.mallocs)/float64(all.ticks))
	}
	if least < 0.5 {
		return 0 // the runtime allocates a few things of its own
	}
	return least
}

// sum is what the ticks that were measured cost.
func (r *run) sum() cost {
	n := float64(r.ticks)
	r.CPU, r.Wall = r.cpu.Seconds()*1e6/n, r.wall.Seconds()*1e6/n
	r.AllocsPerTick = allocs(r.made)
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
	r.measure(o.ticks)
	return r.sum(), nil
}
