package ownership

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Client is what a client knows of the components that clients write. The zero value knows
// none.
type Client struct {
	world  *ecs.World
	id     uint32
	ticks  *uint64 // that this client has run
	mask   uint64  // of these components; 0: the protocol has none
	coder  wire.ChangeCoder
	slots  []slot
	turn   int // slot that is sent first
	grants []clientGrant
	words  []int32
	raw    []int32
}

// slot is a component that this client writes.
type slot struct {
	entity    ecs.Entity
	id        uint32
	component int
	value     []int32 // sent last, or begun with
	confirmed []int32 // the server's, as of the newest snapshot that told of it
	wrote     bool    // this client wrote another value than it began with
	sending
}

// sending is how a value travels.
type sending struct {
	asking  bool   // value is not known to have arrived
	since   uint16 // first packet with value
	sends   int    // packets with it
	packets [16]uint16
	tick    uint64 // of the last of them
}

// NewClient begins with a client of a number, in its world; ticks counts those that it has run.
func NewClient(w *ecs.World, id uint32, ticks *uint64, list []*ecs.Component) Client {
	return Client{world: w, id: id, ticks: ticks, mask: maskOf(list), coder: wire.NewChangeCoder(list)}
}

// Name is what a component is called that a notice is about.
func (x *Client) Name(component int) string { return x.coder.Components[component].Name }

// MayWrite reports whether this client may write the client-owned components of an
// entity: it owns the entity, or the server granted it.
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

// Mask is the components of an entity that this client writes.
func (x *Client) Mask(e ecs.Entity) uint64 {
	if x.mask == 0 || e.IsZero() || !x.MayWrite(e) {
		return 0
	}
	return x.mask & x.world.Netcode().Mask(e)
}

// slotOf is the slot of a component of an entity, or nil.
func (x *Client) slotOf(id uint32, component int) *slot {
	for i := range x.slots {
		if s := &x.slots[i]; s.id == id && s.component == component {
			return s
		}
	}
	return nil
}

// Keeps is asked before a value that the server told of is written to an entity, whose NetID is id, and
// reports whether what this client wrote stays. Until it writes, the values are the
// server's.
func (x *Client) Keeps(id uint32, e ecs.Entity, comp *ecs.Component, words []int32) bool {
	if x.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	number := slices.Index(x.coder.Components, comp)
	s := x.slotOf(id, number)
	if s != nil && s.entity == e {
		x.look(s)
	}
	switch {
	case !x.MayWrite(e):
		x.drop(id)
		return false
	case s != nil && s.entity == e && s.wrote:
		s.confirmed = append(s.confirmed[:0], words...)
		return true
	case s == nil:
		x.slots = append(x.slots, slot{id: id, component: number})
		s = &x.slots[len(x.slots)-1]
	}
	s.entity, s.wrote, s.asking = e, false, false
	s.confirmed = append(s.confirmed[:0], words...)
	s.value = append(s.value[:0], words...)
	return false
}

// KeepsRaw is [Client.Keeps] for a value that came at full precision, at p.
func (x *Client) KeepsRaw(id uint32, e ecs.Entity, comp *ecs.Component, p unsafe.Pointer) bool {
	if x.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	x.raw = append(x.raw[:0], x.quantize(comp, p)...)
	return x.Keeps(id, e, comp, x.raw)
}

// quantize is a value in words, good until the next.
func (x *Client) quantize(comp *ecs.Component, p unsafe.Pointer) []int32 {
	x.words = reuse.Slice(x.words, comp.Words)
	comp.Schema.Quantize(x.words, comp.Words, p, 1)
	return x.words
}

// drop forgets what this client wrote to an entity.
func (x *Client) drop(id uint32) {
	x.slots = slices.DeleteFunc(x.slots, func(s slot) bool { return s.id == id })
}

// look notes what this client wrote since the last tick.
func (x *Client) look(s *slot) {
	comp := x.coder.Components[s.component]
	p := x.world.Netcode().Pointer(s.entity, comp)
	if p == nil || !x.MayWrite(s.entity) {
		return
	}
	value := x.quantize(comp, p)
	lost := !s.asking && !slices.Equal(value, s.confirmed) && *x.ticks-s.tick > uint64(x.world.TickRate())
	if lost || !slices.Equal(value, s.value) {
		s.value = append(s.value[:0], value...)
		s.wrote, s.asking, s.sends = true, true, 0
	}
}

// Revert takes back a value that the server refused, unless there is a newer one; words is
// the one that stands.
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
	s.asking = false
}
