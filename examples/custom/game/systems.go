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

// Systems returns the custom systems with the given names, separated by commas. It returns none for "".
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

// Recorded returns a custom InputGather that plays a recording. It holds each input for hold ticks, and releases all keys at the
// end.
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

// Predict returns a custom Predict that applies inputs a tick late. The own player responds later, and the server knows one more
// tick of the client's inputs.
func Predict(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		for next := p.Predictor.Applied() + 1; next < p.Predictor.Due(); next++ {
			p.Predictor.Step(next)
		}
	}
}

// Reconcile returns a custom Reconcile, a copy of reconcile.Correct that requires positions to equal the server's exactly, and other
// values within their tolerance. On a mismatch it adopts the server's state and simulates the later inputs again.
func Reconcile(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		for told := range p.Predictor.Confirmed {
			wrong := told.Unpredicted
			for v := range told.Values {
				at, predicted, place := reconcile.Read[components.Position](v)
				wrong = wrong || !v.Agrees() || place && at != predicted
			}
			if wrong {
				told.Reject()
			}
		}
		for input := range p.Predictor.Rewind {
			p.Predictor.Step(input)
		}
	}
}

// Shift returns another custom Reconcile. If only positions and velocities are wrong, it does not simulate ticks again. It adds
// the error to the predictions since then and to the current state. A pushed player can therefore pass a wall on the new
// path until the server corrects it.
func Shift(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		for told := range p.Predictor.Confirmed {
			moved := !told.Unpredicted // or all is right
			for v := range told.Values {
				_, _, place := reconcile.Read[components.Position](v)
				_, _, pace := reconcile.Read[components.Velocity](v)
				moved = moved && (v.Agrees() || place || pace)
			}
			if !moved {
				told.Reject()
				continue
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
		for input := range p.Predictor.Rewind {
			p.Predictor.Step(input)
		}
	}
}
