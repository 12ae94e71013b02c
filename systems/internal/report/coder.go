package report

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/order"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// entity is an entity in a result.
type entity struct {
	id     components.NetID
	entity ecs.Entity
	mask   uint64 // bits of its predicted components
}

// Coder encodes results and compares them.
type Coder struct {
	comps     []*ecs.Component // replicated components
	codes     [][]wordCode     // for each component, by word; nil if it is not predicted
	sizes     []int            // in bits
	predicted uint64
	carried   []*ecs.Carried
	own       []entity
	words     []int32
	a, b      []uint64 // room for a value each
	scratch   scratch
	w         codec.Writer
	r         codec.Reader
}

// scratch is reused memory.
type scratch struct {
	raw   []byte
	order order.Scratch
}

// NewCoder returns a coder for the results of a protocol.
func NewCoder(p *ecs.Protocol) *Coder {
	c := &Coder{comps: p.Replicated(), predicted: wire.Predicted(p), carried: ecs.CarriedIn(p)}
	c.codes, c.sizes = make([][]wordCode, len(c.comps)), make([]int, len(c.comps))
	for i, comp := range c.comps {
		if c.predicted>>i&1 == 0 {
			continue
		}
		c.codes[i] = wordCodes(comp.Schema, p.Quantized())
		for _, k := range c.codes[i] {
			c.sizes[i] += int(k.bits)
		}
	}
	return c
}

// List selects the entities of the next result: those of an owner that this peer simulates and that have predicted
// components, in the order of their NetIDs.
func (c *Coder) List(w *ecs.World, owner uint32) {
	c.own = c.own[:0]
	for t := range w.Netcode().Simulated {
		owners := ownersOf(c.comps[0], &t)
		mask := t.Mask & c.predicted
		if owners == nil || mask == 0 || t.NetIDs == nil {
			continue
		}
		for i, o := range owners {
			if o.Client == owner {
				c.own = append(c.own, entity{t.NetIDs[i], t.Entities[i], c.reported(&t, i, mask)})
			}
		}
	}
	c.sort(c.own)
}

// reported returns those components of mask in a row of a table that a result contains. It leaves out components
// that a carrier places, because a client may not know the carrier's place.
func (c *Coder) reported(t *ecs.Table, row int, mask uint64) uint64 {
	for _, x := range c.carried {
		for i := range x.By {
			by := &x.By[i]
			if col := t.Column(by.A); col != nil && by.Parent(unsafe.Add(col, uintptr(row)*by.A.Schema.Size)) != 0 {
				mask &^= 1 << x.Component.Replicated()
			}
		}
	}
	return mask
}

// ownersOf returns the owners in a table, or nil if it has none.
func ownersOf(ownerC *ecs.Component, t *ecs.Table) []components.Owner {
	if t.Mask&1 == 0 {
		return nil
	}
	return unsafe.Slice((*components.Owner)(t.Column(ownerC)), len(t.Entities))
}

func (c *Coder) sort(own []entity) {
	order.By(&c.scratch.order, own, func(e *entity) uint64 { return uint64(e.id) })
}

// Write encodes the result of the listed entities into a. It returns false if the result is too long.
func (c *Coder) Write(w *ecs.World, a *wire.Report) bool {
	size := wire.HashBits
	for i := range c.own {
		for m := c.own[i].mask; m != 0; m &= m - 1 {
			size += c.sizes[bits.TrailingZeros64(m)]
		}
	}
	if size > 8*wire.MaxResult {
		return false
	}
	var h hash
	c.w.Reset(a.Result[:0])
	for i := range c.own {
		o := &c.own[i]
		h.addEntity(o)
		for m := o.mask; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			comp := c.comps[k]
			c.words = reuse.Slice(c.words, comp.Words)
			comp.Schema.Quantize(c.words, comp.Words, w.Netcode().Pointer(o.entity, comp), 1)
			for j, v := range c.words {
				code := &c.codes[k][j]
				c.w.Bits(code.low(v), code.bits)
				h.add(uint32(v) & code.mask)
			}
		}
	}
	c.w.Bits(uint64(h.sum()), wire.HashBits)
	a.Result, a.Bits = c.w.Bytes(), size
	return true
}

// agrees reports whether a result agrees with entities in a world, within tolerance.
func (c *Coder) agrees(w *ecs.World, own []entity, result []byte) bool {
	var h hash
	c.r.Reset(result)
	for i := range own {
		o := &own[i]
		h.addEntity(o)
		for m := o.mask; m != 0; m &= m - 1 {
			if !c.componentAgrees(bits.TrailingZeros64(m), w.Netcode().Pointer(o.entity, c.comps[bits.TrailingZeros64(m)]), &h) {
				return false
			}
		}
	}
	sum := uint16(c.r.Bits(wire.HashBits))
	rest := uint(c.r.Remaining()) // padding of the message, then of the result
	return sum == h.sum() && rest < 16 && c.r.Bits(rest) == 0 && c.r.Err() == nil
}

// componentAgrees compares the next component of a result with value.
func (c *Coder) componentAgrees(k int, value unsafe.Pointer, h *hash) bool {
	comp := c.comps[k]
	c.words = reuse.Slice(c.words, comp.Words)
	comp.Schema.Quantize(c.words, comp.Words, value, 1)
	near := false // the client's value may differ within tolerance
	for j, truth := range c.words {
		code := &c.codes[k][j]
		v, ok := code.find(c.r.Bits(code.bits), truth)
		if !ok {
			return false
		}
		h.add(uint32(v) & code.mask)
		near = near || code.bits > 0
		c.words[j] = v
	}
	if !near {
		return true
	}
	// Owner state is sent in full precision, within the field's range.
	c.scratch.raw = comp.Schema.AppendRaw(c.scratch.raw[:0], value)
	c.a, c.b = reuse.Slice(c.a, int(comp.Schema.Size+7)/8), reuse.Slice(c.b, int(comp.Schema.Size+7)/8)
	reported, truth := unsafe.Pointer(&c.a[0]), unsafe.Pointer(&c.b[0])
	comp.Schema.Dequantize(reported, c.words, comp.Words, 1)
	_, err := comp.Schema.ReadRaw(c.scratch.raw, truth)
	return err == nil && comp.Schema.Compare(reported, truth) < 0
}

// Raw returns a value as owner state contains it, valid until the next call.
func (c *Coder) Raw(comp *ecs.Component, value unsafe.Pointer) []byte {
	c.scratch.raw = comp.Schema.AppendRaw(c.scratch.raw[:0], value)
	return c.scratch.raw
}

// Quantized returns a value as results and public snapshots contain it, valid until the next call.
func (c *Coder) Quantized(comp *ecs.Component, value unsafe.Pointer) unsafe.Pointer {
	c.words, c.a = reuse.Slice(c.words, comp.Words), reuse.Slice(c.a, int(comp.Schema.Size+7)/8)
	comp.Schema.Quantize(c.words, comp.Words, value, 1)
	at := unsafe.Pointer(&c.a[0])
	comp.Schema.Dequantize(at, c.words, comp.Words, 1)
	return at
}
