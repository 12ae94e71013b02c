package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type benchPos struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type benchVel struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type benchRow struct {
	Pos *benchPos
	Vel *benchVel
}

type benchValues struct {
	Pos benchPos
	Vel benchVel
}

type benchChunk struct {
	Pos []benchPos
	Vel []benchVel
}

const benchEntities = 10_000

func benchWorld(n int) *ecs.World {
	p := ecs.NewProtocol("bench")
	ecs.Replicate[benchPos](p, ecs.Predicted)
	ecs.Replicate[benchVel](p, ecs.Predicted)
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range n {
		w.Spawn(benchPos{X: float32(i)}, benchVel{1, 2})
	}
	return w
}

// kernel is what the column forms share, so that they differ in nothing but how
// they come by their columns.
//
//go:noinline
func kernel(pos []benchPos, vel []benchVel) {
	vel = vel[:len(pos)]
	for i := range pos {
		pos[i].X += vel[i].X
		pos[i].Y += vel[i].Y
	}
}

func perEntity(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkWalkPlain(b *testing.B) {
	pos, vel := make([]benchPos, benchEntities), make([]benchVel, benchEntities)
	for b.Loop() {
		kernel(pos, vel)
	}
	perEntity(b, benchEntities)
}

func BenchmarkWalkChunks(b *testing.B) {
	w := benchWorld(benchEntities)
	for b.Loop() {
		for c := range ecs.Chunks[benchChunk](w) {
			kernel(c.Pos, c.Vel)
		}
	}
	perEntity(b, benchEntities)
}

//go:noinline
func eachKernel(w *ecs.World) {
	for _, r := range ecs.Each[benchRow](w) {
		r.Pos.X += r.Vel.X
		r.Pos.Y += r.Vel.Y
	}
}

func BenchmarkWalkEach(b *testing.B) {
	w := benchWorld(benchEntities)
	for b.Loop() {
		eachKernel(w)
	}
	perEntity(b, benchEntities)
}

func BenchmarkWalkEachInOrder(b *testing.B) {
	w := benchWorld(benchEntities)
	for b.Loop() {
		for _, r := range ecs.EachInOrder[benchRow](w) {
			r.Pos.X += r.Vel.X
			r.Pos.Y += r.Vel.Y
		}
	}
	perEntity(b, benchEntities)
}

func BenchmarkWalkAll(b *testing.B) {
	w := benchWorld(benchEntities)
	var sum float32
	for b.Loop() {
		for _, r := range ecs.All[benchValues](w) {
			sum += r.Pos.X*r.Vel.X + r.Pos.Y*r.Vel.Y
		}
	}
	perEntity(b, benchEntities)
}

// BenchmarkWalkEmpty is what a walk costs that finds nothing.
func BenchmarkWalkEmpty(b *testing.B) {
	w := benchWorld(0)
	for b.Loop() {
		eachKernel(w)
	}
}

func BenchmarkSpawnDespawn(b *testing.B) {
	w := benchWorld(1000)
	b.ReportAllocs()
	for b.Loop() {
		w.Despawn(w.Spawn(benchPos{}, benchVel{}))
	}
}

func BenchmarkAddRemove(b *testing.B) {
	w := benchWorld(1000)
	e := w.Spawn(benchPos{}, benchVel{})
	b.ReportAllocs()
	for b.Loop() {
		ecs.Add(w, e, components.Predicted{})
		ecs.Remove[components.Predicted](w, e)
	}
}

func BenchmarkGet(b *testing.B) {
	w := benchWorld(1000)
	e := w.Spawn(benchPos{}, benchVel{})
	for b.Loop() {
		ecs.Get[benchPos](w, e).X++
	}
}

const (
	historyEntities = 1000
	historyRing     = 64
)

func BenchmarkHistoryMemcpyOut(b *testing.B) {
	memcpy(b, func(live, kept []benchPos) { copy(kept, live) })
}
func BenchmarkHistoryMemcpyIn(b *testing.B) {
	memcpy(b, func(live, kept []benchPos) { copy(live, kept) })
}

func memcpy(b *testing.B, move func(live, kept []benchPos)) {
	pos, vel := make([]benchPos, historyEntities), make([]benchPos, historyEntities)
	var ringPos, ringVel [historyRing][]benchPos
	for i := range ringPos {
		ringPos[i], ringVel[i] = make([]benchPos, historyEntities), make([]benchPos, historyEntities)
	}
	i := 0
	for b.Loop() {
		move(pos, ringPos[i%historyRing])
		move(vel, ringVel[i%historyRing])
		i++
	}
	perEntity(b, historyEntities)
}

func BenchmarkHistoryCapture(b *testing.B) {
	w := benchWorld(historyEntities)
	h := ecs.NewHistory(w, historyRing)
	key := uint32(0)
	for b.Loop() {
		h.Capture(key)
		key++
	}
	perEntity(b, historyEntities)
}

func BenchmarkHistoryRestore(b *testing.B) {
	w := benchWorld(historyEntities)
	h := ecs.NewHistory(w, historyRing)
	for key := range uint32(historyRing) {
		h.Capture(key)
	}
	key := uint32(0)
	for b.Loop() {
		h.Restore(key % historyRing)
		key++
	}
	perEntity(b, historyEntities)
}

func BenchmarkHash(b *testing.B) {
	w := benchWorld(benchEntities)
	for b.Loop() {
		w.Hash()
	}
	perEntity(b, benchEntities)
}

func BenchmarkSpawnTyped(b *testing.B) {
	w := benchWorld(1000)
	b.ReportAllocs()
	for b.Loop() {
		w.Despawn(ecs.Spawn(w, benchValues{}))
	}
}

func BenchmarkSpawnDeferred(b *testing.B) {
	w := benchWorld(1000)
	var es [100]ecs.Entity
	stage := ecs.NewStage("bench", ecs.System{Name: "spawn", Run: func(w *ecs.World) {
		for i := range es {
			w.Despawn(es[i])
			es[i] = ecs.Spawn(w, benchValues{})
		}
	}})
	b.ReportAllocs()
	for b.Loop() {
		stage.Run(w)
	}
	perEntity(b, len(es))
}

// benchCreatures is a world of 40 bytes an entity.
func benchCreatures() *ecs.World {
	p := ecs.NewProtocol("bench")
	ecs.Replicate[benchPos](p, ecs.Predicted)
	ecs.Replicate[benchVel](p, ecs.Predicted)
	ecs.Local[[6]uint32](p, ecs.Predicted)
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range 1000 {
		w.Spawn(benchPos{X: float32(i)}, benchVel{1, 2}, [6]uint32{})
	}
	return w
}

func BenchmarkWorldHistoryCapture(b *testing.B) {
	h := ecs.NewWorldHistory(benchCreatures(), 64)
	for tick := range uint32(64) {
		h.Capture(tick)
	}
	b.ReportAllocs()
	tick := uint32(64)
	for b.Loop() {
		h.Capture(tick)
		tick++
	}
	perEntity(b, 1000)
}

// BenchmarkWorldHistoryRestore restores one tick after the other, between which so
// many of the 1,000 entities are replaced.
func BenchmarkWorldHistoryRestore(b *testing.B) {
	for _, replaced := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("replaced=%d", replaced), func(b *testing.B) {
			w := benchCreatures()
			h := ecs.NewWorldHistory(w, 64)
			var es []ecs.Entity
			for e := range ecs.All[struct{ Pos benchPos }](w) {
				es = append(es, e)
			}
			for tick := range uint32(64) {
				for i := range replaced {
					at := &es[(int(tick)*replaced+i*7)%len(es)]
					w.Despawn(*at)
					*at = w.Spawn(benchPos{}, benchVel{}, [6]uint32{})
				}
				h.Capture(tick)
			}
			b.ReportAllocs()
			tick := uint32(0)
			for b.Loop() {
				tick = (tick + 1) % 64
				if err := h.Restore(tick); err != nil {
					b.Fatal(err)
				}
			}
			perEntity(b, 1000)
		})
	}
}
