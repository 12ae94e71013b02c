package game

import (
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// Systems are the systems of the game's own that are named, with commas between the names; none
// for no name.
func Systems(names string) (own systems.ClientSystems, err error) {
	for _, name := range strings.FieldsFunc(names, func(c rune) bool { return c == ',' }) {
		switch name {
		case "inputgather":
			own.InputGather = Recorded([]Input{{DX: 1}, {DY: 1}, {DX: -1}, {DY: -1}}, 60)
		case "predict":
			own.Predict = Predict
		case "reconcile":
			own.Reconcile = Reconcile
		case "shift":
			own.Reconcile = Shift
		case "interpolate":
			own.Interpolate = Draw
		default:
			return own, fmt.Errorf("no system %q", name)
		}
	}
	return own, nil
}

// Recorded is an InputGather of the game's own: it plays a recording, holding each of its inputs
// for so many ticks, and then lets go of all keys.
func Recorded(recording []Input, hold int) func(systems.ClientParts) func(*ecs.World) {
	return func(p systems.ClientParts) func(*ecs.World) {
		tick := 0
		return func(*ecs.World) {
			if n := tick / hold; n < len(recording) {
				inputgather.Push(p.Inputs, recording[n])
			}
			tick++ // a tick without Push has the neutral input
		}
	}
}

// Predict is the game's own Predict: it applies inputs a tick late. The own player answers later by
// that, and the server knows a tick more of what a client has applied.
func Predict(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		for next := p.Predictor.Applied() + 1; next < p.Predictor.Due(); next++ {
			p.Predictor.Step(next)
		}
	}
}

// Reconcile is the game's own Reconcile: places have to be the server's to the bit, all else within
// its tolerance. Where that is not so it goes back to what the server told, and simulates again
// what the player has done since.
func Reconcile(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		told, ok := p.Confirmed()
		if !ok {
			return
		}
		wrong := told.Unpredicted
		for v := range told.Values {
			at, predicted, place := reconcile.Read[components.Position](v)
			wrong = wrong || !v.Agrees() || place && at != predicted
		}
		if !wrong {
			return
		}
		for input := range p.Predictor.Rewind(told.Input) {
			p.Predictor.Step(input)
		}
	}
}

// Shift is another Reconcile of the game's own. Where places and velocities alone are wrong it simulates nothing again: it
// adds the error to what was predicted then and since, and to what is now. So a player who was pushed by another one passes
// a wall that stands in the new way, until the server tells of it.
func Shift(p systems.ClientParts) func(*ecs.World) {
	again := Reconcile(p)
	return func(w *ecs.World) {
		told, ok := p.Confirmed()
		if !ok {
			return
		}
		moved := !told.Unpredicted // or all is right
		for v := range told.Values {
			_, _, place := reconcile.Read[components.Position](v)
			_, _, pace := reconcile.Read[components.Velocity](v)
			moved = moved && (v.Agrees() || place || pace)
		}
		if !moved {
			again(w)
			return
		}
		for v := range told.Values {
			if at, was, is := reconcile.Read[components.Position](v); is && !v.Agrees() {
				reconcile.Amend(v, func(x *components.Position) { x.X, x.Y = x.X+at.X-was.X, x.Y+at.Y-was.Y })
			}
			if at, was, is := reconcile.Read[components.Velocity](v); is && !v.Agrees() {
				reconcile.Amend(v, func(x *components.Velocity) { x.X, x.Y = x.X+at.X-was.X, x.Y+at.Y-was.Y })
			}
		}
	}
}
