package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/predict"
)

// Scope says whether a client simulates an entity. It is chosen by ClientConfig.Scope and
// [Client.SetScope].
type Scope = predict.Mode

// See the constants of package predict.
const (
	ScopeOwn          = predict.ModeOwn
	ScopeCoSimulated  = predict.ModeCoSimulated
	ScopeInterpolated = predict.ModeInterpolated
)

// SetScope chooses from now on whether the client simulates an entity of its
// [Client.World], in place of ClientConfig.Scope, until it leaves the world. It takes
// effect before the next tick. What is drawn goes over from the one to the other within
// 12 ticks; what is simulated jumps. It reports false, and does nothing, for an entity
// that the server has not told of. It panics for a number that is no Scope.
func (c *Client) SetScope(e ecs.Entity, s Scope) bool {
	if s > ScopeInterpolated {
		panic(fmt.Sprintf("systems: SetScope(%d): use one of the constants", s))
	}
	if c.predictor == nil {
		return false
	}
	r := c.mirror.Entities.Of(uint32(c.world.NetID(e)))
	if r == nil || r.Entity != e || r.Removed.Tick != 0 {
		return false
	}
	c.predictor.Scope.Choose(r, s)
	c.mirror.Refresh(r)
	return true
}

// AssumeFunc fills the input of an entity of another player. Make one with [Assume].
type AssumeFunc struct {
	fill func(*ecs.World, ecs.Entity, unsafe.Pointer)
	of   func(*ecs.Protocol) *ecs.Component
}

// Assume makes an AssumeFunc of a typed function. T must be the protocol's input type;
// [NewClient] says so when it is not. It is called in replays, too, and so may depend on
// nothing but w.
func Assume[T any](fill func(w *ecs.World, e ecs.Entity, in *T)) AssumeFunc {
	return AssumeFunc{
		fill: func(w *ecs.World, e ecs.Entity, p unsafe.Pointer) { fill(w, e, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}
