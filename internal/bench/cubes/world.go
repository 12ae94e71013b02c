package main

import (
	"log/slog"
	"reflect"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

// Place is the position of a body.
type Place struct {
	X float32 `net:"-512..512 step 0.001953125 axis x"`
	Y float32 `net:"-512..512 step 0.001953125 axis y"`
	Z float32 `net:"-512..512 step 0.001953125 axis z"`
}

// Pose is the rotation of a body.
type Pose struct {
	Turn [4]float32 `net:"quat 9"`
}

// Contact reports whether the body touches the player's body.
type Contact struct {
	Interacting bool
}

// Pull refers to the body to which this body may stick.
type Pull struct {
	To components.NetID `net:"ref parent"`
}

const sendsPerSecond = 60

// protocol returns the protocol of the bodies. With parent, it includes Pull.
func protocol(parent bool) *ecs.Protocol {
	p := ecs.NewProtocol("cubes/1")
	ecs.Replicate[Place](p, ecs.Interpolated)
	ecs.Replicate[Pose](p, ecs.Interpolated)
	ecs.Replicate[Contact](p, 0)
	if parent {
		ecs.Replicate[Pull](p, 0)
	}
	return p
}

// stage is a world that plays a trace, and its captures.
type stage struct {
	trace    *trace
	layout   *delta.Layout
	world    *ecs.World
	ring     *frames.Ring
	entities []ecs.Entity
	next     int // frame
}

// newStage returns the world of a trace before its first frame.
func newStage(t *trace, parent bool) *stage {
	p := protocol(parent)
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		tables = append(tables, c.Schema)
	}
	s := &stage{trace: t, layout: delta.NewLayout(tables, 1, sendsPerSecond)}
	s.world = ecs.NewWorld(p, ecs.Config{TickRate: sendsPerSecond})
	s.ring = frames.New(frames.Config{World: s.world, Layout: s.layout, Steps: 1, Logger: slog.Default()})
	for i := range t.per {
		values := []any{Place{}, Pose{Turn: [4]float32{3: 1}}, Contact{}}
		if parent {
			pull := Pull{}
			if i > 0 {
				pull.To = s.world.NetID(s.entities[0])
			}
			values = append(values, pull)
		}
		s.entities = append(s.entities, s.world.Spawn(values...))
	}
	return s
}

// step plays and captures the next frame.
func (s *stage) step() *frames.Frame {
	cubes := s.trace.frame(s.next)
	for i := range cubes {
		c, e := &cubes[i], s.entities[i]
		*ecs.Get[Place](s.world, e) = Place{float32(c.xyz[0]) / grid, float32(c.xyz[1]) / grid, float32(c.xyz[2]) / grid}
		ecs.Get[Pose](s.world, e).Turn = c.quaternion()
		ecs.Get[Contact](s.world, e).Interacting = c.interacting != 0
	}
	s.next++
	s.ring.Step()
	return s.ring.Take(uint32(s.next), uint32(s.next))
}

// differ returns the number of cubes of the newest frame whose captured words
// differ from the trace.
func (s *stage) differ(f *frames.Frame) int {
	n := 0
	cubes := s.trace.frame(s.next - 1)
	for i := range cubes {
		g, slot, ok := s.ring.Slot(s.world.NetID(s.entities[i]))
		if !ok || !s.matches(f.Groups[g].Masks[slot], f.Groups[g].Record(slot), &cubes[i]) {
			n++
		}
	}
	return n
}

// matches reports whether the record of an entity with the components in mask has
// the words of a cube.
func (s *stage) matches(mask uint64, rec []int32, c *cube) bool {
	at := 0
	for i, comp := range s.world.Protocol().Replicated() {
		if mask>>i&1 == 0 {
			continue
		}
		for i := range comp.Schema.Fields {
			f := &comp.Schema.Fields[i]
			w := rec[at+f.Word:]
			switch {
			case f.Axis > 0:
				if w[0] != c.xyz[f.Axis-1]+reach*grid {
					return false
				}
			case f.Form == schema.FormQuat:
				if [4]int32(w) != [4]int32{c.largest, c.abc[0], c.abc[1], c.abc[2]} {
					return false
				}
			case f.Kind == reflect.Bool:
				if w[0] != c.interacting {
					return false
				}
			}
		}
		at += comp.Schema.Words
	}
	return true
}
