package inputgather

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// own is a game's own InputGather.
type own struct {
	run    func(*ecs.World)
	pushed bool // in this tick
}

// Replace makes run gather the input of each tick instead of s. run calls [Push].
func (s *System) Replace(run func(*ecs.World)) { s.own.run = run }

// runOwn runs the game's function. It adds a neutral input if the function pushed none, because inputs are numbered
// with ticks.
func (s *System) runOwn(w *ecs.World) {
	s.own.pushed, s.gathering = false, true
	s.own.run(w)
	s.gathering = false
	if !s.own.pushed {
		s.push()
		s.Log.Seal()
	}
}

// push returns the input of this tick, which it adds once.
func (s *System) push() unsafe.Pointer {
	if !s.own.pushed {
		s.own.pushed = true
		s.Gathered++
		return s.Log.Push()
	}
	return s.Log.Value(s.Log.Newest)
}

// Inputs gives a game's own InputGather access to the inputs of a client: [Push] and [At].
type Inputs struct {
	system   *System
	protocol *ecs.Protocol
}

// Inputs returns the inputs. Their type is the protocol's input.
func (s *System) Inputs(p *ecs.Protocol) Inputs { return Inputs{s, p} }

// Newest returns the number of the newest input. Inputs are numbered consecutively.
func (x Inputs) Newest() uint32 { return x.system.Log.Newest }

// Push makes v the input of the coming tick. It numbers and quantizes v, so that the client predicts with the input
// that the server will read. A second Push in the same tick replaces the first. A tick without Push has the neutral
// input. Push panics if T is not the protocol's input type.
func Push[T any](x Inputs, v T) {
	checkType[T](x)
	if p := x.system.push(); p != nil {
		*(*T)(p) = v
	}
	x.system.Log.Seal()
}

// At returns an input by its number, as the server reads it. It returns false for an input that is no longer stored
// or not gathered yet. It panics if T is not the protocol's input type.
func At[T any](x Inputs, number uint32) (v T, ok bool) {
	checkType[T](x)
	log := x.system.Log
	if number < log.First || number > log.Newest {
		return v, false
	}
	if p := log.Value(number); p != nil {
		v = *(*T)(p)
	}
	return v, true
}

// Type describes the input type of a protocol, for errors about another type.
func Type(p *ecs.Protocol) string {
	if p.Input() == nil {
		return "it has none, call ecs.Input"
	}
	return "the input type is " + p.Input().Schema.Type.String()
}

// checkType panics if T is not the input type.
func checkType[T any](x Inputs) {
	if c := ecs.ComponentOf[T](x.protocol); c == nil || c != x.protocol.Input() {
		panic(fmt.Sprintf("inputgather: %T is not the input type of the protocol: %s", *new(T), Type(x.protocol)))
	}
}
