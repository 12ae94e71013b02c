package report

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// wordCode describes how a word of a result is encoded: as its remainder modulo a number that is large enough to
// distinguish values within tolerance.
type wordCode struct {
	modulus int64  // the modulus; 1: nothing is encoded
	bits    uint   // bits of the remainder
	count   int64  // number of values of the word
	wraps   bool   // the first value follows the last
	full    bool   // the word is encoded unchanged
	mask    uint32 // mask of the word's bits
}

// maxModulus is the maximum modulus for angles. If no smaller divisor of their values fits, the whole word is
// encoded.
const maxModulus = 4096

// wordCodes returns the codes of the words of a component. Fields that are compared exactly need no bits, because
// the hash covers them. No field does if both ends quantize every step. Fields that the server decides are left
// out.
func wordCodes(t *schema.Table, quantized bool) []wordCode {
	codes := make([]wordCode, t.Words)
	for k := range codes {
		codes[k] = wordCode{modulus: 1, mask: uint32(1<<t.WordBits(k) - 1)}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Server {
			for k := f.Word; k < f.Word+f.Words; k++ {
				codes[k].mask = 0
			}
		}
		if f.Tolerance == 0 || quantized || f.Server {
			continue
		}
		for k := f.Word; k < f.Word+f.Words; k++ {
			switch {
			case f.Lines > 0 && k > f.Word: // always 0 at rest
			case f.Form != schema.FormGrid || f.Raw:
				codes[k].full, codes[k].bits = true, uint(t.WordBits(k))
			default:
				codes[k].setTolerance(f)
			}
		}
	}
	return codes
}

// setTolerance sets the modulus for a word of a grid field so that remainders distinguish values within tolerance,
// plus half a step, because a quantized value is compared with an exact one.
func (c *wordCode) setTolerance(f *schema.Field) {
	c.count, c.wraps = f.Values(), f.Angle
	reach := int64(min(f.Tolerance/f.Step+0.5+1e-3, float64(c.count)))
	if c.modulus = min(2*reach+1, c.count); c.wraps {
		for c.count%c.modulus != 0 { // otherwise remainders would jump at the full turn
			if c.modulus++; c.modulus > maxModulus {
				c.modulus = c.count
			}
		}
	} else {
		c.modulus = 1 << bits.Len64(uint64(c.modulus-1))
	}
	c.bits = uint(codec.BitsFor(uint64(c.modulus)))
}

// low returns the encoded part of a word.
func (c *wordCode) low(word int32) uint64 {
	if c.full {
		return uint64(uint32(word))
	}
	return uint64(int64(word) % c.modulus)
}

// find returns the word with the encoded part low that is nearest to truth. ok is false if there is none.
func (c *wordCode) find(low uint64, truth int32) (word int32, ok bool) {
	switch {
	case c.full:
		return int32(low), true
	case c.modulus == 1:
		return truth, true
	case low >= uint64(c.modulus):
		return 0, false
	}
	d := (int64(low) - int64(truth)%c.modulus + c.modulus) % c.modulus
	if d > c.modulus/2 {
		d -= c.modulus
	}
	v := int64(truth) + d
	if c.wraps {
		v = (v + c.count) % c.count
	}
	return int32(v), v >= 0 && v < c.count
}

// golden is the multiplier of the multiplicative hash: an odd number near 2⁶⁴ divided by the golden ratio (D.
// Knuth, "The Art of Computer Programming", volume 3, 6.4).
const golden = 0x9e3779b97f4a7c15

// hash is a hash of a result: for each entity its NetID, the low and the high half of the set of its predicted
// components, and their words. It starts at 0. Its top 16 bits are sent.
type hash uint64

func (h *hash) add(v uint32) {
	x := (uint64(*h) ^ uint64(v) ^ golden) * golden
	*h = hash(x ^ x>>32)
}

func (h hash) sum() uint16 { return uint16(uint64(h) * golden >> (64 - wire.HashBits)) }

// addEntity adds the NetID and components of an entity.
func (h *hash) addEntity(o *entity) {
	h.add(uint32(o.id))
	h.add(uint32(o.mask))
	h.add(uint32(o.mask >> 32))
}

// Check returns an error if results are too coarse for the tolerances of a protocol. The error of quantizing alone
// must be within tolerance, or client and server would correct each other forever. Owner state is exact, so that
// only half a step of a result counts.
func Check(p *ecs.Protocol) error {
	if p.Quantized() {
		return nil
	}
	for _, comp := range p.Replicated() {
		if comp.Mode&ecs.Predicted == 0 || comp.Words == 0 {
			continue
		}
		if len(comp.Schema.Server) > 0 && comp.Mode&ecs.OwnerOnly != 0 {
			return fmt.Errorf("%s.%s is tagged server in an OwnerOnly component, which is sent to its owner only during a correction, and to no other client: move it to a component that is OwnerOnly and not Predicted",
				comp.Name, comp.Schema.Fields[comp.Schema.Server[0]].Path)
		}
		for i := range comp.Schema.Fields {
			f := &comp.Schema.Fields[i]
			if off := quantizedOff(f); off > 0 && f.Tolerance <= off {
				return fmt.Errorf("%s.%s is quantized with an error of %g and compared with a tolerance of %g: use a tol above %g or a smaller step",
					comp.Name, f.Path, off, f.Tolerance, off)
			}
		}
	}
	return nil
}

// quantizedOff returns the maximum error of quantizing a field, in the unit of its tolerance.
func quantizedOff(f *schema.Field) float64 {
	switch {
	case f.Form == schema.FormUnit && f.Len == 2:
		return 1 / math.Ldexp(1, f.Bits-2)
	case f.Form == schema.FormUnit:
		return 1.25 / float64((int(1)<<(f.Bits/2)-2)/2)
	case f.Form == schema.FormQuat:
		// 2·√3 steps
		return 2 * math.Sqrt(3) * math.Sqrt2 / (math.Ldexp(1, (f.Bits-2)/3) - 1)
	case f.Form != schema.FormGrid || f.Raw || f.Step == 0:
		return 0
	}
	if f.Step <= 1 && f.Kind != reflect.Float32 && f.Kind != reflect.Float64 {
		return 0 // each value of a bool or an integer is encoded
	}
	off := f.Step / 2
	if !f.Angle {
		off = max(off, f.Max-(f.Min+float64(f.Values()-1)*f.Step))
	}
	return off
}
