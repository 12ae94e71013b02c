package frames

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

type spot struct {
	X float32 `net:"0..2000 step 0.00390625 axis x lines 0.0625"`
	Y float32 `net:"0..2000 step 0.00390625 axis y lines 0.0625"`
}

type facing struct {
	Angle uint16 `net:"0..65535 angle along lines 1"`
}

type level struct {
	N uint8 `net:"0..200"`
}

type secret struct {
	Card uint8 `net:"0..51"`
}

type speed struct{ X, Y float64 } // per step

func field() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[spot](p, 0)
	ecs.Replicate[facing](p, 0)
	ecs.Replicate[level](p, 0)
	ecs.Replicate[secret](p, ecs.OwnerOnly)
	ecs.Local[speed](p, 0)
	return p
}

// stage is a world that is captured.
type stage struct {
	w      *ecs.World
	layout *delta.Layout
	ring   *Ring
	steps  int
	tick   uint32
}

func newStage(t testing.TB, steps int, log io.Writer) *stage {
	t.Helper()
	p := field()
	w := ecs.NewWorld(p, ecs.Config{TickRate: 60})
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		tables = append(tables, c.Schema)
	}
	if log == nil {
		log = io.Discard
	}
	l := delta.NewLayout(tables, steps, 60/steps)
	return &stage{w: w, layout: l, steps: steps, ring: New(Config{World: w, Layout: l, Steps: steps, Logger: slog.New(slog.NewTextHandler(log, nil))})}
}

// step runs one simulation step and captures the world when a send is due.
func (s *stage) step(move func()) *Frame {
	if move != nil {
		move()
	}
	s.tick++
	s.ring.Step()
	if s.tick%uint32(s.steps) != 0 {
		return nil
	}
	return s.ring.Take(s.tick/uint32(s.steps), s.tick)
}

// send runs steps up to the next send.
func (s *stage) send(move func()) *Frame {
	for {
		if f := s.step(move); f != nil {
			return f
		}
	}
}

// word finds a word of an entity's component in a frame.
func (s *stage) word(t testing.TB, f *Frame, e ecs.Entity, c *ecs.Component, word int) int32 {
	t.Helper()
	group, slot, ok := s.ring.Slot(s.w.NetID(e))
	if !ok {
		t.Fatalf("%v has no slot", e)
	}
	g := &f.Groups[group]
	return g.Record(slot)[s.layout.Offset(g.Masks[slot], c.Replicated())+word]
}

func crowd(s *stage, rng *rand.Rand, n int) []ecs.Entity {
	var all []ecs.Entity
	for range n {
		all = append(all, s.w.Spawn(spot{rng.Float32() * 2000, rng.Float32() * 2000}, facing{}, level{100},
			speed{rng.Float64()*4 - 2, rng.Float64()*4 - 2}))
	}
	return all
}

// walk moves everybody, who turns round at the walls.
func walk(w *ecs.World) {
	for _, r := range ecs.Each[struct {
		At  *spot
		Spd *speed
	}](w) {
		r.At.X += float32(r.Spd.X)
		r.At.Y += float32(r.Spd.Y)
		if r.At.X < 0 || r.At.X > 2000 {
			r.Spd.X = -r.Spd.X
			r.At.X = min(max(r.At.X, 0), 2000)
		}
		if r.At.Y < 0 || r.At.Y > 2000 {
			r.Spd.Y = -r.Spd.Y
			r.At.Y = min(max(r.At.Y, 0), 2000)
		}
	}
}
