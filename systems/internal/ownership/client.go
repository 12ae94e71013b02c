package ownership

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Client tracks the client-owned components on a client. The zero value has none.
type Client struct {
	world     *ecs.World
	id        uint32
	ticks     *uint64 // ticks that this client has run
	mask      uint64  // bits of these components; 0: the protocol has none
	coder     wire.ChangeCoder
	slots     []slot
	firstSlot int // slot that is sent first
	grants    []clientGrant
	words     []int32
	raw       []int32
}

// slot is a component that this client writes.
type slot struct {
	entity    ecs.Entity
	id        uint32
	component int
	value     []int32 // sent last, or the initial value
	confirmed []int32 // the server's value in the newest snapshot with it
	wrote     bool    // this client wrote another value than the initial one
	sending
}

// sending tracks the sends of a value.
type sending struct {
	unacked bool   // the value is not acknowledged
	since   uint16 // first packet with the value
	sends   int    // packets with the value
	packets [16]uint16
	tick    uint64 // tick of the last of them
}

// NewClient returns the state for client id in its world. ticks points to the number of ticks that the client has
// run.
func NewClient(w *ecs.World, id uint32, ticks *uint64, list []*ecs.Component) Client {
	return Client{world: w, id: id, ticks: ticks, mask: maskOf(list), coder: wire.NewChangeCoder(list)}
}

// Name returns the name of the component in a notice.
func (x *Client) Name(component int) string { return x.coder.Components[component].Name }

// MayWrite reports whether this client may write the client-owned components of an entity: it owns the entity, or
// the server granted it.
func (x *Client) MayWrite(e ecs.Entity) bool {
	if x.mask == 0 || !x.world.Alive(e) {
		return false
	}
	id := uint32(x.world.NetID(e))
	for _, r := range x.grants {
		if r.id == id {
			return r.may
		}
	}
	return Owner(x.world, e) == x.id
}

// Mask returns the bits of the components of an entity that this client writes.
func (x *Client) Mask(e ecs.Entity) uint64 {
	if x.mask == 0 || e.IsZero() || !x.MayWrite(e) {
		return 0
	}
	return x.mask & x.world.Netcode().Mask(e)
}

// slotOf returns the slot of a component of an entity, or nil.
func (x *Client) slotOf(id uint32, component int) *slot {
	for i := range x.slots {
		if s := &x.slots[i]; s.id == id && s.component == component {
			return s
		}
	}
	return nil
}

// Keeps is called before a value of the server is written to an entity with NetID id. It reports whether the
// client's own value stays. Until the client writes a value, it has the server's.
func (x *Client) Keeps(id uint32, e ecs.Entity, comp *ecs.Component, words []int32) bool {
	if x.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	number := slices.Index(x.coder.Components, comp)
	s := x.slotOf(id, number)
	if s != nil && s.entity == e {
		x.detectWrite(s)
	}
	switch {
	case !x.MayWrite(e):
		x.forgetEntity(id)
		return false
	case s != nil && s.entity == e && s.wrote:
		s.confirmed = append(s.confirmed[:0], words...)
		return true
	case s == nil:
		x.slots = append(x.slots, slot{id: id, component: number})
		s = &x.slots[len(x.slots)-1]
	}
	s.entity, s.wrote, s.unacked = e, false, false
	s.confirmed = append(s.confirmed[:0], words...)
	s.value = append(s.value[:0], words...)
	return false
}

// KeepsRaw is [Client.Keeps] for a value in full precision at p.
func (x *Client) KeepsRaw(id uint32, e ecs.Entity, comp *ecs.Component, p unsafe.Pointer) bool {
	if x.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	x.raw = append(x.raw[:0], x.quantize(comp, p)...)
	return x.Keeps(id, e, comp, x.raw)
}

// quantize returns a value in words, valid until the next call.
func (x *Client) quantize(comp *ecs.Component, p unsafe.Pointer) []int32 {
	x.words = reuse.Slice(x.words, comp.Words)
	comp.Schema.Quantize(x.words, comp.Words, p, 1)
	return x.words
}

// forgetEntity removes the values that this client wrote to an entity.
func (x *Client) forgetEntity(id uint32) {
	x.slots = slices.DeleteFunc(x.slots, func(s slot) bool { return s.id == id })
}

// detectWrite records a value that this client wrote since the last tick.
func (x *Client) detectWrite(s *slot) {
	comp := x.coder.Components[s.component]
	p := x.world.Netcode().Pointer(s.entity, comp)
	if p == nil || !x.MayWrite(s.entity) {
		return
	}
	value := x.quantize(comp, p)
	lost := !s.unacked && !slices.Equal(value, s.confirmed) && *x.ticks-s.tick > uint64(x.world.TickRate())
	if lost || !slices.Equal(value, s.value) {
		s.value = append(s.value[:0], value...)
		s.wrote, s.unacked, s.sends = true, true, 0
	}
}

// Revert undoes a value that the server refused, unless there is a newer one. words is the server's value.
func (x *Client) Revert(n *wire.Notice, words []int32) {
	s := x.slotOf(n.ID, n.Component)
	if s == nil || s.sends == 0 || codec.Diff(n.Seq, s.since) < 0 {
		return
	}
	comp := x.coder.Components[n.Component]
	p := x.world.Netcode().Pointer(s.entity, comp)
	if p == nil || !slices.Equal(x.quantize(comp, p), s.value) {
		return
	}
	comp.Schema.Dequantize(p, words, comp.Words, 1)
	s.value, s.confirmed = append(s.value[:0], words...), append(s.confirmed[:0], words...)
	s.unacked = false
}
