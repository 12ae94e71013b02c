package report

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
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
// quantize every step.
func wordCodes(t *schema.Table, quantized bool) []wordCode {
	codes := make([]wordCode, t.Words)
	for k := range codes {
		codes[k] = wordCode{rest: 1, mask: uint32(1<<t.WordBits(k) - 1)}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Tolerance == 0 || quantized {
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
