package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Confirmed is a component of a client's own entity as the server last told it, as of
// [Client.ConfirmedTick]: a round trip and the input buffer behind what the client
// predicts. Draw it beside the prediction to see what the server sees. It is false
// where the server has told nothing of it: for entities that are not the client's own,
// for components that are not predicted, and under models that send no own state, or
// send it only while a correction is open.
func Confirmed[T any](c *Client, e ecs.Entity) (v T, ok bool) {
	if c.world == nil {
		return v, false
	}
	comp, id := ecs.ComponentOf[T](c.protocol), uint32(c.world.NetID(e))
	if comp == nil || id == 0 {
		return v, false
	}
	c.mirror.Own.Each(c.mirror.Own.Newest.Send, func(own mirror.OwnValue) {
		if own.ID == id && own.Component == comp {
			v, ok = *(*T)(own.Value), true
		}
	})
	return v, ok
}

// ConfirmedInput is the sequence of the input after which the server's newest own state
// stands, that of [Confirmed]: what the client predicted after that input is what to hold
// against it. It is 0 before there is one, and under models that send no own state.
func (c *Client) ConfirmedInput() uint32 { return c.mirror.Own.Newest.Input }

// Between is a component of an entity of [Client.View] in the two confirmed states that
// the newest frame drew it between, those of Drawing.From and Drawing.To: what stands in
// the view lies on the way from the one to the other. Where nothing later was there to is
// from. It is false for what the client simulates, for what it has not drawn between
// states, and for components that it lacked in one of them.
func Between[T any](c *Client, e ecs.Entity) (from, to T, ok bool) {
	if c.world == nil {
		return from, to, false
	}
	ok = c.interpolator.Pair(e, ecs.ComponentOf[T](c.protocol), unsafe.Pointer(&from), unsafe.Pointer(&to))
	return from, to, ok
}
