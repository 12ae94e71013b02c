package report

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// wordCode is how a word of a result travels: as its remainder by a number that is
// large enough to tell apart what is within tolerance.
type wordCode struct {
	rest  int64  // what the remainder is by; 1: nothing travels
	bits  uint   // of the remainder
	count int64  // values of the word
	wraps bool   // the first follows the last
	full  bool   // the word travels as it is
	mask  uint32 // of the bits that the word has
}

// maxRest bounds what remainders of angles are by: where no divisor of their values
// is less, the word travels.
const maxRest = 4096

// wordCodes says how the words of a component travel. A field that is compared
// exactly needs none of its bits: the hash tells. So does no field where both ends
// quantize every step. What the server decides is left out.
func wordCodes(t *schema.Table, quantized bool) []wordCode {
	codes := make([]wordCode, t.Words)
	for k := range codes {
		codes[k] = wordCode{rest: 1, mask: uint32(1<<t.WordBits(k) - 1)}
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
			case f.Lines > 0 && k > f.Word: // at rest, always
			case f.Form != schema.FormGrid || f.Raw:
				codes[k].full, codes[k].bits = true, uint(t.WordBits(k))
			default:
				codes[k].near(f)
			}
		}
	}
	return codes
}

// near makes the remainders of a word of a grid tell apart what lies within
// tolerance of it, and a half step more, because it is a quantized value that is
// compared with an exact one.
func (c *wordCode) near(f *schema.Field) {
	c.count, c.wraps = f.Values(), f.Angle
	reach := int64(min(f.Tolerance/f.Step+0.5+1e-3, float64(c.count)))
	if c.rest = min(2*reach+1, c.count); c.wraps {
		for c.count%c.rest != 0 { // else remainders would jump at the turn
			if c.rest++; c.rest > maxRest {
				c.rest = c.count
			}
		}
	} else {
		c.rest = 1 << bits.Len64(uint64(c.rest-1))
	}
	c.bits = uint(codec.BitsFor(uint64(c.rest)))
}

// low is what travels of a word.
func (c *wordCode) low(word int32) uint64 {
	if c.full {
		return uint64(uint32(word))
	}
	return uint64(int64(word) % c.rest)
}

// find is the word of which low travelled that is nearest to truth; ok is false
// where there is none.
func (c *wordCode) find(low uint64, truth int32) (word int32, ok bool) {
	switch {
	case c.full:
		return int32(low), true
	case c.rest == 1:
		return truth, true
	case low >= uint64(c.rest):
		return 0, false
	}
	d := (int64(low) - int64(truth)%c.rest + c.rest) % c.rest
	if d > c.rest/2 {
		d -= c.rest
	}
	v := int64(truth) + d
	if c.wraps {
		v = (v + c.count) % c.count
	}
	return int32(v), v >= 0 && v < c.count
}

// Numbers of the multiplicative hash: an odd one near 2⁶⁴ divided by the golden
// ratio, as D. Knuth has it in "The Art of Computer Programming", volume 3, 6.4.
const golden = 0x9e3779b97f4a7c15

// hash runs over what a result stands for: of each entity its NetID, the
// low and the high half of the set of its predicted components, and their words.
// It begins at 0; its top 16 bits travel.
type hash uint64

func (h *hash) add(v uint32) {
	x := (uint64(*h) ^ uint64(v) ^ golden) * golden
	*h = hash(x ^ x>>32)
}

func (h hash) sum() uint16 { return uint16(uint64(h) * golden >> (64 - wire.HashBits)) }

// entity adds which entity follows, and what it has.
func (h *hash) entity(o *entity) {
	h.add(uint32(o.id))
	h.add(uint32(o.mask))
	h.add(uint32(o.mask >> 32))
}

// Check says whether results are fine enough for the tolerances of a
// protocol: what is off by quantizing alone must agree, or client and server
// correct each other for ever. Own state is exact, so that the half of a result's
// step is all that there is.
func Check(p *ecs.Protocol) error {
	if p.Quantized() {
		return nil
	}
	for _, comp := range p.Replicated() {
		if comp.Mode&ecs.Predicted == 0 || comp.Words == 0 {
			continue
		}
		if len(comp.Schema.Server) > 0 && comp.Mode&ecs.OwnerOnly != 0 {
			return fmt.Errorf("%s.%s is tagged server in an OwnerOnly component, of which its owner hears while there is something to correct, and nobody else: put it into a component that is OwnerOnly and not Predicted",
				comp.Name, comp.Schema.Fields[comp.Schema.Server[0]].Path)
		}
		for i := range comp.Schema.Fields {
			f := &comp.Schema.Fields[i]
			if off := quantizedOff(f); off > 0 && f.Tolerance <= off {
				return fmt.Errorf("%s.%s is quantized to within %g and compared to within %g: write a tol above %g, or a smaller step",
					comp.Name, f.Path, off, f.Tolerance, off)
			}
		}
	}
	return nil
}

// quantizedOff is how far quantizing moves a value of a field at most, in the
// unit of its tolerance.
func quantizedOff(f *schema.Field) float64 {
	switch {
	case f.Form == schema.FormUnit && f.Len == 2:
		return 1 / math.Ldexp(1, f.Bits-2)
	case f.Form == schema.FormUnit:
		return 1.25 / float64((int(1)<<(f.Bits/2)-2)/2)
	case f.Form == schema.FormQuat:
		// 2·√3 steps.
		return 2 * math.Sqrt(3) * math.Sqrt2 / (math.Ldexp(1, (f.Bits-2)/3) - 1)
	case f.Form != schema.FormGrid || f.Raw || f.Step == 0:
		return 0
	}
	exact := math.Ldexp(1, -f.Fixed)
	switch f.Kind.String()[0] {
	case 'b':
		return 0
	case 'f':
		exact = 0
	}
	if f.Step <= exact {
		return 0
	}
	off := f.Step / 2
	if !f.Angle {
		off = max(off, f.Max-(f.Min+float64(f.Values()-1)*f.Step))
	}
	return off
}
