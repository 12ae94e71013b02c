package fieldtest

import (
	"math"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Walk is the input. N is the low half of the input's sequence, so that neighboring inputs differ and a journal
// shows which input the server consumed.
type Walk struct {
	DX, DY int8   `net:"-1..1"`
	Jump   bool   `net:"edge"`
	N      uint16 `net:"0..65535"`
}

// Jumps counts presses.
type Jumps struct {
	Count uint16 `net:"0..65535"`
}

// Drift makes an entity move back and forth along X.
type Drift struct {
	Number int32
}

// StepLength is how far a player walks in a tick, in units. It is a power of two, so sums are exact.
const StepLength = 1.0 / 8

// Tolerance is the step of components.Position: positions that differ by at most this much per axis count as equal.
const Tolerance = 0.01

// Walker is a player of the field.
type Walker struct {
	Pos   *components.Position
	Jumps *Jumps
	Own   *components.Owner
	In    *Walk
}

// Drifter is an entity that moves back and forth.
type Drifter struct {
	Pos *components.Position
	Do  *Drift
}

// Part adds a component, a system or a setting to a protocol.
type Part = func(p *ecs.Protocol)

// Predicted replicates a component that owners predict and nobody interpolates.
func Predicted[T any](p *ecs.Protocol) { ecs.Replicate[T](p, ecs.Predicted) }

// Simulate adds a system to the stage Simulate.
func Simulate(name string, f func(w *ecs.World)) Part {
	return func(p *ecs.Protocol) { p.Simulate(name, f) }
}

// Authority adds a system that runs on the server alone.
func Authority(f func(w *ecs.World)) Part {
	return func(p *ecs.Protocol) { p.Authority("test", f) }
}

// OnJoin sets the handler of joining players, unless an earlier part has set one.
func OnJoin(join func(w *ecs.World, client uint32)) Part {
	return func(p *ecs.Protocol) {
		if p.Players().Join == nil {
			ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { join(w, client) })
		}
	}
}

// Protocol returns the protocol of the field.
func Protocol() *ecs.Protocol { return ProtocolWith()() }

// ProtocolWith returns the field with more parts. Their systems run after the field's.
func ProtocolWith(parts ...Part) func() *ecs.Protocol {
	return ProtocolFrom(append([]Part{Simulate("walk", MoveWalkers), Simulate("drift", MoveDrifters)}, parts...)...)
}

// ProtocolWithAuthority returns the field with a system that runs on the server alone.
func ProtocolWithAuthority(f func(w *ecs.World)) func() *ecs.Protocol {
	return ProtocolWith(Authority(f))
}

// ProtocolFrom returns the components and the input of the field, with parts in place of its systems.
func ProtocolFrom(parts ...Part) func() *ecs.Protocol { return ProtocolOn[Walk](parts...) }

// ProtocolOn is ProtocolFrom with another input type.
func ProtocolOn[I any](parts ...Part) func() *ecs.Protocol {
	return ProtocolWithoutInput(append([]Part{ecs.Input[I]}, parts...)...)
}

// ProtocolWithoutInput is ProtocolFrom without an input.
func ProtocolWithoutInput(parts ...Part) func() *ecs.Protocol {
	return ProtocolWithFields(nil, parts...)
}

// ProtocolWithFields is ProtocolWithoutInput with other tags for the fields of components.Position.
func ProtocolWithFields(places schema.Fields, parts ...Part) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("field/1")
		ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, places)
		ecs.Replicate[Jumps](p, ecs.Predicted)
		ecs.Local[Drift](p, 0)
		for _, add := range append(parts, OnJoin(JoinField)) {
			add(p)
		}
		return p
	}
}

// MoveWalkers moves players by their inputs. It records the steps in the world's Journal, if there is one.
func MoveWalkers(w *ecs.World) {
	j := ecs.Resource[Journal](w)
	for e, d := range ecs.Each[Walker](w) {
		d.Pos.X += float32(d.In.DX) * StepLength
		d.Pos.Y += float32(d.In.DY) * StepLength
		if d.In.Jump {
			d.Jumps.Count++
		}
		if j != nil {
			j.Steps = append(j.Steps, Step{w.Tick(), w.NetID(e), d.Own.Client, *d.In})
		}
	}
}

// DriftPeriod is the number of ticks in which a drifter moves forth and back.
const DriftPeriod = 240

// MoveDrifters moves the drifters. Their velocity depends on the tick alone.
func MoveDrifters(w *ecs.World) {
	for _, d := range ecs.Each[Drifter](w) {
		if (w.Tick()+17*uint32(d.Do.Number))%DriftPeriod < DriftPeriod/2 {
			d.Pos.X += StepLength
		} else {
			d.Pos.X -= StepLength
		}
	}
}

// JoinField spawns the player of a client.
func JoinField(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{})
}

// JoinWith is JoinField for players with more components.
func JoinWith(more ...any) func(w *ecs.World, client uint32) {
	return func(w *ecs.World, client uint32) {
		w.Spawn(append([]any{components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{}}, more...)...)
	}
}

// Drifters returns a function that spawns n drifters.
func Drifters(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: float32(i), Y: -100}, Drift{Number: int32(i)})
		}
	}
}

// PushAt returns a system for the server that moves players by d at chosen ticks.
func PushAt(at func(tick, owner uint32) (d components.Position, ok bool)) func(w *ecs.World) {
	return func(w *ecs.World) {
		for _, p := range ecs.Each[Pushable](w) {
			if d, ok := at(w.Tick(), p.Own.Client); ok && p.Own.Client != 0 {
				p.Pos.X, p.Pos.Y = p.Pos.X+d.X, p.Pos.Y+d.Y
			}
		}
	}
}

// Pushable is an entity with an owner and a position.
type Pushable struct {
	Pos *components.Position
	Own *components.Owner
}

const (
	PushEvery    = 120 // ticks between two pushes
	PushDistance = 10  // units
)

// Pushes returns the field in which the server pushes all players every PushEvery ticks, beginning with tick from. The
// clients mispredict every push.
func Pushes(from uint32) func() *ecs.Protocol {
	return ProtocolWithAuthority(func(w *ecs.World) {
		if w.Tick() >= from && w.Tick()%PushEvery == 0 {
			PushPlayers(w)
		}
	})
}

// PushPlayers moves each player by PushDistance in a random direction.
func PushPlayers(w *ecs.World) {
	for e, p := range ecs.Each[Pushable](w) {
		if p.Own.Client != 0 {
			r := w.Rand(e)
			s, c := math.Sincos(2 * math.Pi * r.Float64())
			p.Pos.X, p.Pos.Y = p.Pos.X+float32(PushDistance*c), p.Pos.Y+float32(PushDistance*s)
		}
	}
}
