package inputgather

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// own is an InputGather that is not of this package.
type own struct {
	run    func(*ecs.World)
	pushed bool // in this tick
}

// Replace makes run gather the input of each tick, in place of s, with [Push].
func (s *System) Replace(run func(*ecs.World)) { s.own.run = run }

// runOwn numbers one input, whatever was pushed: inputs are counted with ticks.
func (s *System) runOwn(w *ecs.World) {
	s.own.pushed = false
	s.own.run(w)
	if !s.own.pushed {
		s.push()
		s.Log.Seal()
	}
}

// push opens the input of this tick, once.
func (s *System) push() unsafe.Pointer {
	if !s.own.pushed {
		s.own.pushed = true
		s.Gathered++
		return s.Log.Push()
	}
	return s.Log.Value(s.Log.Newest)
}

// Inputs are the inputs of a client, for an InputGather of one's own: [Push] and [At].
type Inputs struct {
	system   *System
	protocol *ecs.Protocol
}

// Inputs publishes the inputs, whose type is the protocol's.
func (s *System) Inputs(p *ecs.Protocol) Inputs { return Inputs{s, p} }

// Newest is the number of the newest input; the next is one more.
func (x Inputs) Newest() uint32 { return x.system.Log.Newest }

// Push makes v the input of the coming tick: it is numbered, and quantized, so that the client
// predicts with what the server will read. A tick has one input: another Push in the same tick
// takes the place of the first, and a tick without one has the neutral input. It panics where T
// is not the protocol's input type.
func Push[T any](x Inputs, v T) {
	is[T](x)
	if p := x.system.push(); p != nil {
		*(*T)(p) = v
	}
	x.system.Log.Seal()
}

// At is an input by its number, as the server reads it. It is false for those that are not kept,
// or not gathered yet. It panics where T is not the protocol's input type.
func At[T any](x Inputs, number uint32) (v T, ok bool) {
	is[T](x)
	log := x.system.Log
	if number < log.First || number > log.Newest {
		return v, false
	}
	if p := log.Value(number); p != nil {
		v = *(*T)(p)
	}
	return v, true
}

// Type says which type the inputs of a protocol have, for an error about another one.
func Type(p *ecs.Protocol) string {
	if p.Input() == nil {
		return "it has none, call ecs.Input"
	}
	return "that is " + p.Input().Schema.Type.String()
}

// is makes sure that T is what inputs are.
func is[T any](x Inputs) {
	if c := ecs.ComponentOf[T](x.protocol); c == nil || c != x.protocol.Input() {
		panic(fmt.Sprintf("inputgather: %T is not the input type of the protocol: %s", *new(T), Type(x.protocol)))
	}
}
