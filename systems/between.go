package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Between is a component of an entity of [Client.View] in the two confirmed states that
// the newest frame drew it between, those of Drawing.From and Drawing.To: what stands in
// the view lies on the way from the one to the other. Where nothing later was there to is
// from. It is false for what the client simulates, for what it has not drawn between
// states, and for components that it lacked in one of them.
func Between[T any](c *Client, e ecs.Entity) (from, to T, ok bool) {
	d, drawn := c.Drawing(e)
	if !drawn || d.From == 0 {
		return from, to, false
	}
	comp := ecs.ComponentOf[T](c.protocol)
	if comp == nil || comp.Replicated() < 0 || comp.Words == 0 {
		return from, to, false
	}
	r := c.mirror.byID[uint32(c.view.NetID(e))]
	if r == nil {
		return from, to, false
	}
	p := c.readAt(r, d.From, comp)
	if p == nil {
		return from, to, false
	}
	from = *(*T)(p)
	if d.To == 0 {
		return from, from, true
	}
	if p = c.readAt(r, d.To, comp); p == nil {
		return from, to, false
	}
	return from, *(*T)(p), true
}

// readAt is what the state of a tick had of an entity's component, in the scratch memory of
// the client, or nil.
func (c *Client) readAt(r *mirror.Replica, tick uint32, comp *ecs.Component) unsafe.Pointer {
	k := r.At.Slot
	st := c.stateAt(r.At.Group, r.ID, k, tick)
	if r.Moved && st == nil {
		k = r.Before.Slot
		st = c.stateAt(r.Before.Group, r.ID, k, tick)
	}
	if st == nil || st.Masks[k]&(1<<comp.Replicated()) == 0 {
		return nil
	}
	p := c.scratchFor(comp)
	comp.Schema.Dequantize(p, st.Record(int(k))[c.recordAt(st.Masks[k], comp):], comp.Words, 1)
	return p
}

// stateAt is the state of a tick that tells of an entity in a slot, or nil.
func (c *Client) stateAt(group int32, id uint32, slot int32, tick uint32) *mirror.State {
	h := c.mirror.groups[group]
	st := h.At(tick / c.shape.sendEvery)
	if st == nil || st.Tick != tick || !st.Says(id, slot) { // the server was late with it
		st, _, _ = h.Around(id, slot, float64(tick))
	}
	if st == nil || st.Tick != tick {
		return nil
	}
	return st
}

// ConfirmedInput is the sequence of the input after which the server's newest own state
// stands, that of [Confirmed]: what the client predicted after that input is what to hold
// against it. It is 0 before there is one, and under models that send no own state.
func (c *Client) ConfirmedInput() uint32 { return c.own.state.input }
