package systems_test

import (
	"math"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The field is the world of these tests: players walk where their inputs say, drifters go
// to and fro by the tick, and a test adds what it needs besides (fieldOf).

// Walk is the input. N is the low half of its sequence, so that no two inputs
// within reach of each other are equal and a journal says which was consumed.
type Walk struct {
	DX, DY int8   `net:"-1..1"`
	Jump   bool   `net:"edge"`
	N      uint16 `net:"0..65535"`
}

// Jumps counts presses.
type Jumps struct {
	Count uint16 `net:"0..65535"`
}

// Drift makes an entity go to and fro along X.
type Drift struct {
	Number int32
}

// inputLimit is how far a player walks in a tick, in units: a power of two, so that
// sums are exact.
const inputLimit = 1.0 / 8

// tolerance is how far two places may lie apart and count as the same, per axis:
// the step of components.Position.
const tolerance = 0.01

type walker struct {
	Pos   *components.Position
	Jumps *Jumps
	Own   *components.Owner
	In    *Walk
}

type drifter struct {
	Pos *components.Position
	Do  *Drift
}

// part is what a test adds to a protocol: a component, a system, a setting.
type part = func(p *ecs.Protocol)

// predicted is a component that owners predict, and nobody interpolates.
func predicted[T any](p *ecs.Protocol) { ecs.Replicate[T](p, ecs.Predicted) }

// simulate is a system of Simulate.
func simulate(name string, f func(w *ecs.World)) part {
	return func(p *ecs.Protocol) { p.Simulate(name, f) }
}

// authority is a system on the server alone.
func authority(f func(w *ecs.World)) part {
	return func(p *ecs.Protocol) { p.Authority("test", f) }
}

// comes says how players come, unless a part before it does.
func comes(join func(w *ecs.World, client uint32)) part {
	return func(p *ecs.Protocol) {
		if p.Players().Join == nil {
			ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { join(w, client) })
		}
	}
}

// field is the protocol.
func field() *ecs.Protocol { return fieldOf()() }

// fieldOf is the field with more in it; its systems run after the field's.
func fieldOf(parts ...part) func() *ecs.Protocol {
	return fieldFrom(append([]part{simulate("walk", walk), simulate("drift", drift)}, parts...)...)
}

// fieldWith is the field with one more system on the server alone.
func fieldWith(f func(w *ecs.World)) func() *ecs.Protocol { return fieldOf(authority(f)) }

// fieldFrom is the field's components and input, with parts in place of its systems.
func fieldFrom(parts ...part) func() *ecs.Protocol { return fieldOn[Walk](parts...) }

// fieldOn is fieldFrom with another input.
func fieldOn[I any](parts ...part) func() *ecs.Protocol {
	return fieldWithoutInput(append([]part{ecs.Input[I]}, parts...)...)
}

// fieldWithoutInput is fieldFrom where nobody has a hand in anything.
func fieldWithoutInput(parts ...part) func() *ecs.Protocol { return fieldIn(nil, parts...) }

// fieldIn is fieldWithoutInput with other tags of the places.
func fieldIn(places schema.Fields, parts ...part) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("field/1")
		ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, places)
		ecs.Replicate[Jumps](p, ecs.Predicted)
		ecs.Local[Drift](p, 0)
		for _, add := range append(parts, comes(joinField)) {
			add(p)
		}
		return p
	}
}

func walk(w *ecs.World) {
	j := ecs.Resource[journal](w)
	for e, d := range ecs.Each[walker](w) {
		d.Pos.X += float32(d.In.DX) * inputLimit
		d.Pos.Y += float32(d.In.DY) * inputLimit
		if d.In.Jump {
			d.Jumps.Count++
		}
		if j != nil {
			j.steps = append(j.steps, step{w.Tick(), w.NetID(e), d.Own.Client, *d.In})
		}
	}
}

// driftPeriod is the ticks of a drifter's way there and back.
const driftPeriod = 240

func drift(w *ecs.World) {
	for _, d := range ecs.Each[drifter](w) {
		if (w.Tick()+17*uint32(d.Do.Number))%driftPeriod < driftPeriod/2 {
			d.Pos.X += inputLimit
		} else {
			d.Pos.X -= inputLimit
		}
	}
}

// joinField spawns a client's player.
func joinField(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{})
}

// joinWith is joinField for players that have more components.
func joinWith(more ...any) func(w *ecs.World, client uint32) {
	return func(w *ecs.World, client uint32) {
		w.Spawn(append([]any{components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{}}, more...)...)
	}
}

// drifters fills a world with n drifters.
func drifters(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: float32(i), Y: -100}, Drift{Number: int32(i)})
		}
	}
}

// pushAt moves players by d at chosen ticks, on the server alone.
func pushAt(at func(tick, owner uint32) (d components.Position, ok bool)) func(w *ecs.World) {
	return func(w *ecs.World) {
		for _, p := range ecs.Each[pushable](w) {
			if d, ok := at(w.Tick(), p.Own.Client); ok && p.Own.Client != 0 {
				p.Pos.X, p.Pos.Y = p.Pos.X+d.X, p.Pos.Y+d.Y
			}
		}
	}
}

// pushable is whoever has an owner and a place.
type pushable struct {
	Pos *components.Position
	Own *components.Owner
}

// The push test: the server alone moves every player by 10 units every 2 s, so
// that predictions are wrong again and again, and the clients have to notice.

const (
	pushEvery    = 120 // ticks
	pushDistance = 10
)

// pushes is the field in which players are pushed in directions of chance, from a
// tick on.
func pushes(from uint32) func() *ecs.Protocol {
	return fieldWith(func(w *ecs.World) {
		if w.Tick() >= from && w.Tick()%pushEvery == 0 {
			push(w)
		}
	})
}

func push(w *ecs.World) {
	for e, p := range ecs.Each[pushable](w) {
		if p.Own.Client != 0 {
			r := w.Rand(e)
			s, c := math.Sincos(2 * math.Pi * r.Float64())
			p.Pos.X, p.Pos.Y = p.Pos.X+float32(pushDistance*c), p.Pos.Y+float32(pushDistance*s)
		}
	}
}
