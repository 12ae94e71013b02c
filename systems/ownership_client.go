package systems

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// clientChanges is what a client knows of the components that clients write.
type clientChanges struct {
	mask    uint64 // of these components; 0: the protocol has none
	coder   wire.ChangeCoder
	slots   []changeSlot
	turn    int // slot that is sent first
	grants  []clientGrant
	notices notice.Reader
	words   []int32
	raw     []int32
}

// changeSlot is a component that this client writes.
type changeSlot struct {
	entity    ecs.Entity
	id        uint32
	component int
	value     []int32 // sent last, or begun with
	confirmed []int32 // the server's, as of the newest snapshot that told of it
	wrote     bool    // this client wrote another value than it began with
	asking    bool    // value is not known to have arrived
	since     uint16  // first packet with value
	sends     int     // packets with it
	packets   [16]uint16
	tick      uint64 // of the last of them
}

// resends are the ticks between the first sends of a value; after them it is every
// lastResend ticks. The packets remembered span more than four seconds at 60 ticks.
var resends = [...]uint64{1, 1, 2, 4, 8, 8, 8, 8}

const lastResend = 32

// attachChanges prepares a client for client-owned components.
func (c *Client) attachChanges() {
	list := foreignComponents(c.protocol)
	c.changes.mask = foreignMask(list)
	c.changes.coder = wire.NewChangeCoder(list)
	c.changes.notices = notice.NewReader(list)
}

// MayWrite reports whether this client may write the ecs.ClientOwned components of an
// entity of its [Client.World]: it owns the entity, or the server granted it. What it
// writes there, by ecs.Get outside Simulate, travels to the server after each tick, the
// latest value of each component, until the server has it; others see it in snapshots.
// Values of the server do not replace what this client writes while it has the authority;
// a server that is to write takes it back first. See [Grant].
func (c *Client) MayWrite(e ecs.Entity) bool {
	if c.world == nil || c.changes.mask == 0 || !c.world.Alive(e) {
		return false
	}
	id := uint32(c.world.NetID(e))
	for _, r := range c.changes.grants {
		if r.id == id {
			return r.may
		}
	}
	return ownerOf(c.world, e) == c.link.id
}

// slotOf is the slot of a component of an entity, or nil.
func (x *clientChanges) slotOf(id uint32, component int) *changeSlot {
	for i := range x.slots {
		if s := &x.slots[i]; s.id == id && s.component == component {
			return s
		}
	}
	return nil
}

// keeps is asked before a value that the server told of is written to an entity, and
// reports whether what this client wrote stays. Until it writes, the values are the
// server's.
func (c *Client) keeps(r *mirror.Replica, comp *ecs.Component, words []int32) bool {
	x := &c.changes
	if x.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	number := slices.Index(x.coder.Components, comp)
	s := x.slotOf(r.ID, number)
	if s != nil && s.entity == r.Entity {
		x.look(c, s)
	}
	switch {
	case !c.MayWrite(r.Entity):
		x.drop(r.ID)
		return false
	case s != nil && s.entity == r.Entity && s.wrote:
		s.confirmed = append(s.confirmed[:0], words...)
		return true
	case s == nil:
		x.slots = append(x.slots, changeSlot{id: r.ID, component: number})
		s = &x.slots[len(x.slots)-1]
	}
	s.entity, s.wrote, s.asking = r.Entity, false, false
	s.confirmed = append(s.confirmed[:0], words...)
	s.value = append(s.value[:0], words...)
	return false
}

// keepsRaw is keeps for a value that came at full precision, at p.
func (c *Client) keepsRaw(r *mirror.Replica, comp *ecs.Component, p unsafe.Pointer) bool {
	if c.changes.mask&(1<<comp.Replicated()) == 0 {
		return false
	}
	x := &c.changes
	x.raw = append(x.raw[:0], x.quantize(comp, p)...)
	return c.keeps(r, comp, x.raw)
}

// quantize is a value in words, good until the next.
func (x *clientChanges) quantize(comp *ecs.Component, p unsafe.Pointer) []int32 {
	x.words = reuse.Slice(x.words, comp.Words)
	comp.Schema.Quantize(x.words, comp.Words, p, 1)
	return x.words
}

// drop forgets what this client wrote to an entity.
func (x *clientChanges) drop(id uint32) {
	x.slots = slices.DeleteFunc(x.slots, func(s changeSlot) bool { return s.id == id })
}

// turn follows a change of authority over an entity that is here: what is the server's
// becomes that, what is this client's begins with what is there.
func (c *Client) turn(r *mirror.Replica) {
	x := &c.changes
	may := c.MayWrite(r.Entity)
	for i, comp := range x.coder.Components {
		p := c.world.Netcode().Pointer(r.Entity, comp)
		s := x.slotOf(r.ID, i)
		switch {
		case p == nil:
		case may && s == nil:
			c.keepsRaw(r, comp, p)
		case !may && s != nil && s.entity == r.Entity:
			comp.Schema.Dequantize(p, s.confirmed, comp.Words, 1)
		}
	}
	if !may {
		x.drop(r.ID)
	}
}

// revert takes back a value that the server refused, unless there is a newer one.
func (c *Client) revert(n *wire.Notice, words []int32) {
	x := &c.changes
	s := x.slotOf(n.ID, n.Component)
	if s == nil || s.sends == 0 || codec.Diff(n.Seq, s.since) < 0 {
		return
	}
	comp := x.coder.Components[n.Component]
	p := c.world.Netcode().Pointer(s.entity, comp)
	if p == nil || !slices.Equal(x.quantize(comp, p), s.value) {
		return
	}
	comp.Schema.Dequantize(p, words, comp.Words, 1)
	s.value, s.confirmed = append(s.value[:0], words...), append(s.confirmed[:0], words...)
	s.asking = false
}

// appendChanges puts what this client wrote in front of a packet.
func (c *Client) appendChanges(dst []byte) []byte {
	x := &c.changes
	if len(x.slots) == 0 {
		return dst
	}
	gone := func(s changeSlot) bool { return !c.world.Alive(s.entity) }
	if slices.ContainsFunc(x.slots, gone) {
		if x.slots = slices.DeleteFunc(x.slots, gone); len(x.slots) == 0 {
			return dst
		}
	}
	seq, at, n := c.link.session.Next(), len(dst), 0
	for i := range x.slots {
		x.look(c, &x.slots[i])
	}
	x.turn %= len(x.slots)
	for range x.slots {
		s := &x.slots[x.turn]
		if s.due(c.stats.Ticks) {
			if n == 0 {
				x.coder.Begin(dst)
			}
			if n == wire.MaxChanges || x.coder.W.Len()-at > wire.ChangeRoom {
				break
			}
			x.coder.Change(s.id, s.component, s.value)
			n++
			if s.sends == 0 {
				s.since = seq
			}
			s.packets[s.sends%len(s.packets)] = seq
			s.sends++
			s.tick = c.stats.Ticks
		}
		x.turn = (x.turn + 1) % len(x.slots)
	}
	if n == 0 {
		return dst
	}
	return x.coder.End(at, n)
}

// look notes what this client wrote since the last tick.
func (x *clientChanges) look(c *Client, s *changeSlot) {
	comp := x.coder.Components[s.component]
	p := c.world.Netcode().Pointer(s.entity, comp)
	if p == nil || !c.MayWrite(s.entity) {
		return
	}
	value := x.quantize(comp, p)
	lost := !s.asking && !slices.Equal(value, s.confirmed) && c.stats.Ticks-s.tick > uint64(c.world.TickRate())
	if lost || !slices.Equal(value, s.value) {
		s.value = append(s.value[:0], value...)
		s.wrote, s.asking, s.sends = true, true, 0
	}
}

// due reports whether a value is to be sent in a tick.
func (s *changeSlot) due(tick uint64) bool {
	switch {
	case !s.asking:
		return false
	case s.sends == 0:
		return true
	case s.sends <= len(resends):
		return tick-s.tick >= resends[s.sends-1]
	}
	return tick-s.tick >= lastResend
}

// ackedChanges takes in that a packet arrived.
func (x *clientChanges) ackedChanges(seq uint16) {
	for i := range x.slots {
		s := &x.slots[i]
		if s.asking && slices.Contains(s.packets[:min(s.sends, len(s.packets))], seq) {
			s.asking = false
		}
	}
}

// ownedMask are the components of an entity that this client writes.
func (c *Client) ownedMask(r *mirror.Replica) uint64 {
	if c.changes.mask == 0 || r.Entity.IsZero() || !c.MayWrite(r.Entity) {
		return 0
	}
	return c.changes.mask & c.world.Netcode().Mask(r.Entity)
}
