package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
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
	c.eachOwn(c.own.state.send, func(own uint32, of *ecs.Component, _ unsafe.Pointer, raw []byte) {
		if own == id && of == comp {
			_, err := comp.Schema.ReadRaw(raw, unsafe.Pointer(&v))
			ok = err == nil
		}
	})
	return v, ok
}
