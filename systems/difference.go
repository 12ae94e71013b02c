package systems

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Difference compares a client's world with the server's: entity by entity, field
// by field, each as captured for the send of its newest state that has arrived; own
// predicted components with what the server had after the same input, within
// tolerance. That send must be the newest that the client has heard of, unless the
// byte budget makes entities wait. It returns nil when all is equal, and otherwise
// the first difference by entity, component and field with both values. Under rollback
// and lockstep it compares the hashes of the newest tick that is final on both. Both peers
// must be at rest: call it between ticks, on one goroutine.
func Difference(s *Server, c *Client) error {
	_, loaded := c.Loaded()
	switch {
	case c.link.err != nil:
		return fmt.Errorf("the client is gone: %w", c.link.err)
	case c.world == nil:
		return fmt.Errorf("the client never connected")
	case !loaded:
		return fmt.Errorf("the client has not joined yet")
	}
	if c.model.differs != nil {
		return c.model.differs(s.model.line)
	}
	i := slices.IndexFunc(s.sessions.peers, func(p *peer) bool { return p.ID == c.link.id })
	if i < 0 {
		return fmt.Errorf("the server has no client %d", c.link.id)
	}
	p, f := s.sessions.peers[i], s.snapshots.Frame(c.mirror.Newest.Send)
	if f == nil || f.Tick != c.mirror.Newest.Tick {
		return fmt.Errorf("the client's newest snapshot, tick %d, is %d ticks old", c.mirror.Newest.Tick, s.link.tick-c.mirror.Newest.Tick)
	}
	seen := make(map[uint32]bool)
	for g := range f.Groups {
		var hidden uint64
		if known := p.snapshot.Baselines().World; g < len(known) {
			hidden, _ = known[g].Hidden()
		}
		if g >= len(c.mirror.Store.World) {
			if visible := f.Groups[g].Alive &^ hidden; visible != 0 {
				return fmt.Errorf("the client was never told of group %d, slots %#x", g, visible)
			}
			continue
		}
		for k := range delta.GroupSize {
			if hidden>>k&1 != 0 {
				continue
			}
			id, err := c.slotDiffers(s, p, g, k)
			if err != nil {
				return err
			}
			if id != 0 {
				seen[id] = true
			}
		}
	}
	for t := range c.world.Netcode().Tables {
		for _, id := range t.NetIDs {
			if !seen[uint32(id)] {
				return fmt.Errorf("entity %d lives on the client, not on the server at tick %d", id, f.Tick)
			}
		}
	}
	return nil
}

// slotDiffers compares what a client has of a slot with what the server had. It
// returns the entity that stands there.
func (c *Client) slotDiffers(s *Server, p *peer, g, k int) (id uint32, err error) {
	told, now := c.mirror.Store.World[g].Told[k], &s.snapshots.Frame(c.mirror.Newest.Send).Groups[g]
	f := s.snapshots.Frame(told)
	_, over := p.snapshot.Budget()
	if over && (f == nil || g >= len(f.Groups)) && now.Alive>>k&1 == 0 && c.mirror.Store.World[g].Here[k] == nil {
		return 0, nil // long empty, and the client knows
	}
	if told != c.mirror.Newest.Send && !over || f == nil || g >= len(f.Groups) {
		return 0, fmt.Errorf("slot %d of group %d is as of send %d, the newest is %d", k, g, told, c.mirror.Newest.Send)
	}
	truth := &f.Groups[g]
	if truth.Alive>>k&1 == 0 {
		return 0, nil
	}
	id = truth.IDs[k]
	r := c.mirror.Entities.Of(id)
	if r == nil && told != c.mirror.Newest.Send && (now.Alive>>k&1 == 0 || now.IDs[k] != id) {
		return 0, nil // it went elsewhere, and died there
	}
	if r != nil && r.At != (mirror.Location{Group: int32(g), Slot: int32(k)}) && r.Newest > told {
		return id, nil // it has moved since
	}
	if r == nil || r.Entity.IsZero() || r.Removed.Tick != 0 {
		return id, fmt.Errorf("entity %d lives on the server at tick %d, not on the client", id, f.Tick)
	}
	mask := truth.Masks[k]
	if f.Owner(g, k) == c.link.id {
		mask |= c.mirror.PrivateMask(id)
	}
	if err := c.differs(mask, truth, k, r.Entity); err != nil {
		return id, fmt.Errorf("entity %d at tick %d: %w", id, f.Tick, err)
	}
	if f.Owner(g, k) == c.link.id && c.shape.private != 0 {
		if err := c.privateDiffers(s, p, id, r.Entity); err != nil {
			return id, fmt.Errorf("entity %d at tick %d: %w", id, f.Tick, err)
		}
	}
	return id, nil
}

// differs compares an entity of a client with the captured one, as far as everybody
// may know it.
func (c *Client) differs(mask uint64, truth *delta.Group, k int, e ecs.Entity) error {
	if mine := c.world.Netcode().Mask(e); mine != mask {
		return fmt.Errorf("components %#x on the client, %#x on the server", mine, mask)
	}
	rec := truth.Record(k)
	for m := truth.Masks[k]; m != 0; m &= m - 1 {
		comp := c.shape.replicated[bits.TrailingZeros64(m)]
		if comp.Words == 0 {
			continue
		}
		words := rec[:comp.Words]
		rec = rec[comp.Words:]
		mine := c.world.Netcode().Pointer(e, comp)
		if r := c.mirror.Entities.Of(uint32(c.world.NetID(e))); r.CoSimulated() && c.shape.predicted&(1<<comp.Replicated()) != 0 {
			theirs := dequantized(comp, words)
			if field, mine := c.reconciler.OtherDiffers(r, comp, theirs); field >= 0 {
				return fmt.Errorf("%s.%s, co-simulated: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
					comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
			}
			continue
		}
		if c.simulates(e) && c.shape.predicted&(1<<comp.Replicated()) != 0 {
			if err := c.reconciler.OwnDiffers(e, comp, truth.Send, words); err != nil {
				return err
			}
			continue
		}
		theirs := dequantized(comp, words)
		if field := unequal(comp, mine, theirs); field >= 0 {
			return fmt.Errorf("%s.%s: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
				comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
		}
	}
	return nil
}

// unequal is the first field of two values that differs in its bits, or -1.
func unequal(comp *ecs.Component, a, b unsafe.Pointer) int {
	x, y := comp.Schema.AppendRaw(nil, a), comp.Schema.AppendRaw(nil, b)
	if slices.Equal(x, y) {
		return -1
	}
	for i := range comp.Schema.Fields {
		if comp.Schema.Format(i, a) != comp.Schema.Format(i, b) {
			return i
		}
	}
	return 0
}

// privateDiffers compares what only the owner may see, where it is not predicted.
func (c *Client) privateDiffers(s *Server, p *peer, id uint32, e ecs.Entity) error {
	send := c.mirror.Own.Newest.Send
	if c.reconciler.Reports() {
		send = c.mirror.Newest.Send
	}
	for _, g := range p.snapshot.OwnState(send) {
		k := g.Find(id)
		if k < 0 {
			continue
		}
		rec := g.Record(k)
		for m := g.Masks[k]; m != 0; m &= m - 1 {
			comp := c.shape.replicated[bits.TrailingZeros64(m)]
			if comp.Words == 0 {
				continue
			}
			n := (comp.Schema.RawSize() + 3) / 4
			truth := rec[:n]
			rec = rec[n:]
			if bit := m & -m; c.shape.private&bit == 0 || c.shape.predicted&bit != 0 && c.simulates(e) {
				continue
			}
			mine := c.world.Netcode().Pointer(e, comp)
			if mine == nil {
				return fmt.Errorf("%s: not on the client", comp.Name)
			}
			got := make([]int32, n)
			capture.PackRaw(got, comp.Schema.AppendRaw(nil, mine))
			if !slices.Equal(got, truth) {
				return fmt.Errorf("%s: not what the owner was told", comp.Name)
			}
		}
	}
	return nil
}

// dequantized is a value from its words.
func dequantized(comp *ecs.Component, words []int32) unsafe.Pointer {
	value := unsafe.Pointer(&make([]uint64, comp.Schema.Size/8+1)[0])
	comp.Schema.Dequantize(value, words, comp.Words, 1)
	return value
}
