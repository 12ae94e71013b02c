package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Scope says whether a client simulates an entity: ahead of the server, so that what the
// player does shows at once in whatever of it can touch, or not, so that it is shown as
// the server confirmed it a while ago, and never wrong. It is chosen by
// ClientConfig.Scope and [Client.SetScope], under all policies with which the server sends
// states: with policy.Rollback and Lockstep every peer simulates everything.
//
// What a client simulates it simulates together, in each tick and in each replay, and
// ecs.Each yields it; so a ball that is co-simulated flies off in the tick in which the
// own player kicks it. Nobody's inputs but the client's own are known to it, see
// ClientConfig.Assume.
//
// A co-simulated entity costs its part of Simulate in each tick, and a comparison in each
// snapshot. Where one of them was mispredicted the client takes the confirmed state of
// all that it simulates and simulates the inputs since again: a round trip, the buffer's
// depth and one tick, as for its own entities. The causes, beside what others do: what
// Simulate reads and snapshots do not carry; ticks that the server gave to others while
// it held this client's input; with policy.TimingArrival all jitter; random numbers drawn
// for other players' entities, which follow their inputs; and the rounding of the wire,
// which adds up until it is past the tolerance: with ecs.Protocol.QuantizeSteps there is
// none. What Simulate spawns for others comes with the server's word only.
//
// A snapshot that does not tell of an entity proves nothing about it: it stays as
// predicted until one does. One that comes later than newer own state counts from there
// on, because what the client's inputs did up to there is settled.
//
// Co-simulated entities are drawn in the present, so lag compensation has no part in
// hitting them: a player who aims at them sends no [Client.Claim]. A client's own entity
// that it does not simulate has no prediction for policy.CorrectOnMismatch to agree with,
// so that its state is sent as under LocalSync, and comes back into scope a round trip
// after [Client.SetScope] says so.
type Scope uint8

const (
	// ScopeOwn leaves it to ownership: a client simulates its own entities, and others
	// where the policies say policy.RemotesCoSimulated. The default.
	ScopeOwn Scope = iota
	// ScopeCoSimulated simulates the entity, whoever owns it, as far as it has components
	// that are ecs.Predicted.
	ScopeCoSimulated
	// ScopeInterpolated does not simulate the entity, not even where the client owns it: a
	// vehicle on autopilot, say.
	ScopeInterpolated
)

// String is the name of the constant.
func (s Scope) String() string {
	names := [...]string{"ScopeOwn", "ScopeCoSimulated", "ScopeInterpolated"}
	if int(s) < len(names) {
		return names[s]
	}
	return "Scope(?)"
}

// SetScope chooses from now on whether the client simulates an entity of its
// [Client.World], in place of ClientConfig.Scope, until it leaves the world. It takes
// effect before the next tick. What is drawn goes over from the one to the other within
// 12 ticks; what is simulated jumps. It reports false, and does nothing, for an entity
// that the server has not told of. It panics for a number that is no Scope.
func (c *Client) SetScope(e ecs.Entity, s Scope) bool {
	if s > ScopeInterpolated {
		panic(fmt.Sprintf("systems: SetScope(%d): use one of the constants", s))
	}
	if c.world == nil {
		return false
	}
	r := c.mirror.Entities.Of(uint32(c.world.NetID(e)))
	if r == nil || r.Entity != e || r.Removed.Tick != 0 {
		return false
	}
	*c.predictor.scopes.Of(r) = scoped{s, true}
	c.mirror.Refresh(r)
	return true
}

// scoped is the scope of an entity.
type scoped struct {
	scope  Scope // as the game chose
	chosen bool  // by SetScope, for good
}

// asks asks the game for the scope of an entity; it reports whether that has changed.
func (c *Client) asks(r *mirror.Replica) bool {
	if c.config.Scope == nil || c.predictor.scopes.Of(r).chosen {
		return false
	}
	scope := c.config.Scope(c.world, r.Entity) // which may call SetScope
	x := c.predictor.scopes.Of(r)
	was := x.scope
	x.scope = scope
	return scope != was
}

// inScope reports whether this client simulates an entity with these components, its own
// or not.
func (c *Client) inScope(r *mirror.Replica, own bool, mask uint64) bool {
	scope := c.predictor.scopes.Of(r).scope
	switch {
	case !c.stages.predicting || scope == ScopeInterpolated:
		return false
	case own:
		return true
	case mask&c.shape.predicted == 0:
		return false
	}
	return scope == ScopeCoSimulated || c.model.coSimulate
}

// takeScope notes that an entity, new or newly in scope, is simulated here from now on.
func (c *Client) takeScope(r *mirror.Replica, own bool) {
	switch {
	case !own:
		c.reconciler.records.Of(r).takeServerState = true
	case c.predictor.scopes.Of(r).chosen && c.mirror.Own.Newest.Tick != 0 && c.reconciler.reporter == nil:
		c.mirror.Own.Newest.Fresh = true // at once, not with the next snapshot
	}
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

// assume makes the input of a co-simulated entity what its player is thought to hold.
func (c *Client) assume(e ecs.Entity) {
	in := c.protocol.Input()
	p := c.world.Netcode().Pointer(e, in)
	if p == nil || in.Schema.Size == 0 {
		return
	}
	clear(unsafe.Slice((*byte)(p), in.Schema.Size))
	c.config.Assume.fill(c.world, e, p)
	in.Schema.Snap(p)
}

// simulates reports whether this client simulates an entity of its world.
func (c *Client) simulates(e ecs.Entity) bool {
	return c.model.everywhere || ecs.Has[components.Predicted](c.world, e)
}
