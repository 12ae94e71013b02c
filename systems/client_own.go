package systems

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ownState is the newest snapshot that said something of the client's own
// entities: their state after the server consumed input, in full precision.
type ownState struct {
	send  uint32
	tick  uint32
	input uint32
	fresh bool // newer than what Reconcile has seen

	predicted bool  // it also tells of what this client predicts
	number    uint8 // of the correction that it is
}

// snapshotPart is the part of a block for one group.
func snapshotPart(x *mirror.History, h *wire.BlockHead, send uint32) delta.Part {
	p := delta.Part{Cur: &x.Open.Group, Slots: h.Slots}
	if h.Age > 0 {
		if st := x.At(send - h.Age); st != nil {
			p.Base = &st.Group
		}
	}
	if h.Two {
		if st := x.At(send - h.Age - 1); st != nil {
			p.Base2 = &st.Group
		}
	}
	return p
}

// takeOwn notes that own state came, for Reconcile. What does not fit one packet
// comes in several of the same tick.
func (c *Client) takeOwn(h *wire.SnapshotHeader) {
	in := &c.decode.incoming
	switch {
	case in.tick > c.own.state.tick:
		c.own.state.send, c.own.state.tick = in.send, in.tick
		c.own.state.input = codec.Lift(h.Input, max(c.own.state.input, c.predictor.log.Newest))
	case in.send == c.own.state.send && h.Input == uint16(c.own.state.input):
	default:
		return
	}
	c.own.state.fresh, c.own.state.number = true, h.Number
	c.own.state.predicted = h.Open || c.reconciler.reporter == nil
}

// eachOwn visits the components of the own state of a send, each as a value and as the raw
// bytes that make one, which are valid until visit returns.
func (c *Client) eachOwn(send uint32, visit func(id uint32, comp *ecs.Component, value unsafe.Pointer, raw []byte)) {
	for _, x := range c.mirror.ownGroups {
		if st := x.At(send); st != nil {
			_ = c.eachOwnOf(st, visit) // it was checked when it came
		}
	}
}

// eachOwnOf visits what one group says, and checks it.
func (c *Client) eachOwnOf(st *mirror.State, visit func(id uint32, comp *ecs.Component, value unsafe.Pointer, raw []byte)) error {
	for m := st.Alive; m != 0; m &= m - 1 {
		k := trailing(m)
		id, mask := st.IDs[k], st.Masks[k]
		if id == 0 || mask == 0 || mask&^(c.shape.predicted|c.shape.private) != 0 {
			return fmt.Errorf("%w: own state of entity %d with components %#x", ErrMessage, id, mask)
		}
		rec := st.Record(k)
		for set := mask; set != 0; set &= set - 1 {
			comp := c.shape.replicated[trailing(set)]
			if comp.Words == 0 {
				continue
			}
			n := (comp.Schema.RawSize() + 3) / 4
			c.decode.raw = c.decode.raw[:0]
			for _, v := range rec[:n] {
				c.decode.raw = binary.LittleEndian.AppendUint32(c.decode.raw, uint32(v))
			}
			rec = rec[n:]
			raw := c.decode.raw[:comp.Schema.RawSize()]
			for _, b := range c.decode.raw[len(raw):] {
				if b != 0 {
					return fmt.Errorf("%w: own state with more behind %s", ErrMessage, comp.Name)
				}
			}
			value := c.scratchFor(comp)
			if _, err := comp.Schema.ReadRaw(raw, value); err != nil {
				return fmt.Errorf("%w: own state: %w", ErrMessage, err)
			}
			visit(id, comp, value, raw)
		}
	}
	return nil
}

// ownThere reports whether own state of a send is kept.
func (c *Client) ownThere(send uint32) bool {
	for _, x := range c.mirror.ownGroups {
		if x.At(send) != nil {
			return true
		}
	}
	return false
}

// ownWhole reports whether own state of a send names all of the client's entities.
func (c *Client) ownWhole(send uint32) bool {
	for _, x := range c.mirror.ownGroups {
		if st := x.At(send); st == nil || st.Known != wire.AllSlots {
			return false
		}
	}
	return true
}

// privateMask is what the newest own state has of an entity that nobody else may
// see.
func (c *Client) privateMask(id uint32) uint64 {
	if c.shape.private == 0 {
		return 0
	}
	kept := c.keptPrivate(c.mirror.byID[id])
	for _, x := range c.mirror.ownGroups {
		if st := x.At(c.own.state.send); st != nil {
			if k := st.Find(id); k >= 0 {
				return st.Masks[k]&c.shape.private | kept
			}
		}
	}
	return kept
}

// scratchFor is room for one value of a component.
func (c *Client) scratchFor(comp *ecs.Component) unsafe.Pointer {
	need := int(comp.Schema.Size+7) / 8
	c.scratch = reuse.Slice(c.scratch, max(need, 1))
	return unsafe.Pointer(&c.scratch[0])
}
