package reconcile

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// compare finds differences between predictions and the server's state.
type compare struct {
	parts           *Parts
	hasServerFields bool     // some of them have fields that the server decides
	quantized       bool     // both sides quantize every step, so that values must be equal
	pair            []int32  // words of the two values that were quantized last
	value           []uint64 // room for one value
	carried         []*ecs.Carried
	causes          causes
}

// mismatch returns the first field of a component that exceeds its tolerance, or -1. If both sides quantize every
// step, it returns the first field that differs. It ignores fields that the server decides.
func (c *compare) mismatch(comp *ecs.Component, predicted, truth unsafe.Pointer) int {
	if !c.quantized {
		first := comp.Schema.Compare(predicted, truth)
		for i := max(first, 0); first >= 0 && i < len(comp.Schema.Fields); i++ {
			if !comp.Schema.Fields[i].Server && comp.Schema.Differs(i, predicted, truth) {
				return i
			}
		}
		return -1
	}
	n := comp.Words
	c.pair = reuse.Slice(c.pair, 2*n)
	comp.Schema.Quantize(c.pair[:n], n, predicted, 1)
	comp.Schema.Quantize(c.pair[n:], n, truth, 1)
	for k := range n {
		if c.pair[k] != c.pair[n+k] {
			if i := fieldAt(comp, k); !comp.Schema.Fields[i].Server {
				return i
			}
		}
	}
	return -1
}

// fieldAt returns the index of the field that contains a word of a component.
func fieldAt(comp *ecs.Component, word int) int {
	for i := range comp.Schema.Fields {
		if f := &comp.Schema.Fields[i]; word < f.Word+f.Words {
			return i
		}
	}
	return 0
}

// words returns both values that mismatch compared last, if both sides quantize; otherwise nil.
func (c *compare) words(comp *ecs.Component) []int32 {
	if !c.quantized {
		return nil
	}
	return c.pair[:2*comp.Words]
}

// dequantized returns a value from its words. It is valid until the next call.
func (c *compare) dequantized(comp *ecs.Component, words []int32) unsafe.Pointer {
	c.value = reuse.Slice(c.value, max(int(comp.Schema.Size+7)/8, 1))
	p := unsafe.Pointer(&c.value[0])
	comp.Schema.Dequantize(p, words, comp.Words, 1)
	return p
}

// isExact reports whether owner state equals the prediction bit by bit, so that nothing has to be restored. A
// reported result is coarser: after a result differed, the client adopts owner state even if the prediction is
// within tolerance.
func (s *System) isExact(own mirror.OwnState) bool {
	same := true
	s.eachValue(nil, own.Send, func(v Value) {
		if s.predicted>>v.Component.Replicated()&1 != 0 {
			predicted := s.parts.Predict.History.Value(own.Input, v.Entity, v.Component)
			same = same && predicted != nil && bytes.Equal(s.parts.Results.Raw(v.Component, predicted), v.raw)
		}
	})
	return same
}

// follows reports whether ecs.Carry placed a component, after an input, relative to an entity that this client does
// not simulate. The client has that entity at the tick of the newest snapshot, before the tick of the owner state,
// so that a difference is not a misprediction. Carry places nothing in a cycle.
func (c *compare) follows(e ecs.Entity, input uint32, comp *ecs.Component) bool {
	of := c.carriedAs(comp)
	if of == nil {
		return false
	}
	follows := false
	for range ecs.MaxCarried + 1 {
		carrier, there := c.carrier(e, input, of)
		if !there {
			return follows
		}
		follows = follows || !simulates(c.parts.World, carrier)
		e = carrier
	}
	return false
}

// hasCarrier reports whether an entity named a carrier after an input, which may place the component.
func (c *compare) hasCarrier(e ecs.Entity, input uint32, comp *ecs.Component) bool {
	of := c.carriedAs(comp)
	return of != nil && c.carrierID(e, input, of) != 0
}

// carriedAs returns the rule that places a component, or nil.
func (c *compare) carriedAs(comp *ecs.Component) *ecs.Carried {
	for _, x := range c.carried {
		if x.Component == comp {
			return x
		}
	}
	return nil
}

// carrier returns the predicted carrier of an entity after an input. It returns false if no entity places it.
func (c *compare) carrier(e ecs.Entity, input uint32, of *ecs.Carried) (ecs.Entity, bool) {
	carrier, there := c.parts.World.ByNetID(c.carrierID(e, input, of))
	n := c.parts.World.Netcode()
	return carrier, there && !n.Suspended(carrier) && n.Pointer(carrier, of.Component) != nil
}

// carrierID returns the predicted carrier that an entity names after an input, 0 for none.
func (c *compare) carrierID(e ecs.Entity, input uint32, of *ecs.Carried) components.NetID {
	for i := range of.By {
		a := c.parts.Predict.History.Value(input, e, of.By[i].A)
		if a == nil {
			a = c.parts.World.Netcode().Pointer(e, of.By[i].A)
		}
		if a != nil && of.By[i].Parent(a) != 0 {
			return of.By[i].Parent(a)
		}
	}
	return 0
}

// mispredicted counts a misprediction and reports it to the game. x holds the time and the entity.
func (c *compare) mispredicted(x Mismatch, comp *ecs.Component, field int, predicted, truth unsafe.Pointer) {
	c.causes.count(x.Tick, comp, predicted, truth, c.words(comp), x.CoSimulated)
	if c.parts.OnMismatch != nil {
		x.Component, x.Field = comp.Name, comp.Schema.Fields[field].Path
		x.Predicted, x.Truth = comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth)
		c.parts.OnMismatch(x)
	}
}

// describe returns an error that describes how the prediction of a component after an input differs from the server's
// value, or nil.
func (c *compare) describe(e ecs.Entity, input uint32, comp *ecs.Component, truth unsafe.Pointer) error {
	predicted := c.parts.Predict.History.Value(input, e, comp)
	if predicted == nil {
		predicted = c.parts.World.Netcode().Pointer(e, comp)
	}
	field := comp.Schema.Compare(predicted, truth)
	if field < 0 {
		field = c.mismatch(comp, predicted, truth)
	}
	if field < 0 || c.follows(e, input, comp) {
		return nil
	}
	// Quantizing loses up to half a step. Compare with what the server computes from both.
	if r := c.parts.Results; r != nil && comp.Schema.Compare(r.Quantized(comp, predicted), truth) < 0 {
		return nil
	}
	return fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
		input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
}

// Mismatch describes a component field that a client predicted wrongly.
type Mismatch struct {
	Tick             uint32 // server tick of the state that differed
	Input            uint32 // input sequence number after which the values were compared
	NetID            components.NetID
	Component, Field string
	Predicted, Truth string // the two values as text
	CoSimulated      bool   // the entity is not owned by the client: see systems.Scope
}
