package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Difference compares a client's world with the server's as captured for the
// tick of the client's newest snapshot: entity by entity, field by field; own
// predicted components with what the server had after the same input, within
// tolerance. It returns nil when all is equal, and otherwise the first
// difference by entity, component and field with both values. Both peers must
// be at rest: call it between ticks, on one goroutine.
func Difference(s *Server, c *Client) error {
	switch {
	case c.err != nil:
		return fmt.Errorf("the client is gone: %w", c.err)
	case c.world == nil:
		return fmt.Errorf("the client never connected")
	}
	var f *frame
	for i := range s.snapshots.captures.ring {
		if g := &s.snapshots.captures.ring[i]; g.send != 0 && g.tick == c.newestTick {
			f = g
		}
	}
	if f == nil {
		return fmt.Errorf("the client's newest snapshot, tick %d, is %d ticks old", c.newestTick, s.tick-c.newestTick)
	}
	seen := 0
	for t := range c.world.Tables {
		for i, id := range t.NetIDs {
			at := f.find(uint32(id))
			if at < 0 {
				return fmt.Errorf("entity %d lives on the client, not on the server at tick %d", id, f.tick)
			}
			seen++
			mask, words := s.snapshots.captures.seen(f, at, c.id)
			if err := c.differs(mask, words, t, i); err != nil {
				return fmt.Errorf("entity %d at tick %d: %w", id, f.tick, err)
			}
		}
	}
	if seen != len(f.ids) {
		return fmt.Errorf("the client has %d entities, the server %d at tick %d", seen, len(f.ids), f.tick)
	}
	return nil
}

// differs compares row i of a client's table with the captured entity, as far as
// this client may know it.
func (c *Client) differs(mask uint64, words []int32, t ecs.Table, i int) error {
	if t.Mask != mask {
		return fmt.Errorf("components %#x on the client, %#x on the server", t.Mask, mask)
	}
	for _, comp := range c.replicated {
		if comp.Words == 0 || t.Mask&(1<<comp.Replicated()) == 0 {
			continue
		}
		truth := words[c.layout.Offset(t.Mask, comp.Replicated()):][:comp.Words]
		mine := unsafe.Add(t.Column(comp), uintptr(i)*comp.Schema.Size)
		if t.Simulated && c.predicted&(1<<comp.Replicated()) != 0 {
			if err := c.ownDiffers(t.NetIDs[i], t.Entities[i], comp); err != nil {
				return err
			}
			continue
		}
		got := make([]int32, comp.Words)
		comp.Schema.Quantize(got, comp.Words, mine, 1)
		for k := range got {
			if got[k] != truth[k] {
				field := fieldAt(comp, k)
				theirs := c.scratchFor(comp)
				comp.Schema.Dequantize(theirs, truth, comp.Words, 1)
				return fmt.Errorf("%s.%s: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
					comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
			}
		}
	}
	return nil
}

// ownDiffers compares what was predicted after the newest confirmed input with
// what the server said it was.
func (c *Client) ownDiffers(id components.NetID, e ecs.Entity, comp *ecs.Component) (err error) {
	if c.own.tick != c.newestTick {
		return fmt.Errorf("%s: own state is of tick %d", comp.Name, c.own.tick)
	}
	found := false
	parse := c.eachOwn(c.own.raw, func(own uint32, of *ecs.Component, _ []byte) {
		if netID(own) != id || of != comp || err != nil {
			return
		}
		found = true
		truth := unsafe.Pointer(&c.scratch[0])
		predicted := c.history.Value(c.own.input, e, comp)
		if predicted == nil {
			predicted = c.world.Pointer(e, comp)
		}
		if field := comp.Schema.Compare(predicted, truth); field >= 0 {
			err = fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
				c.own.input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
		}
	})
	switch {
	case err != nil:
		return err
	case parse != nil:
		return parse
	case !found:
		return fmt.Errorf("%s: the newest snapshot has no own state of it", comp.Name)
	}
	return nil
}

// fieldAt is the index of the field that a component's word belongs to.
func fieldAt(comp *ecs.Component, word int) int {
	for i := range comp.Schema.Fields {
		if f := &comp.Schema.Fields[i]; word < f.Word+f.Words {
			return i
		}
	}
	return 0
}
