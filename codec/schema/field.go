package schema

import (
	"fmt"
	"math"
	"reflect"

	"github.com/tactusgo/tactus/codec"
)

// exact is the largest magnitude up to which float64 holds every integer and
// nothing else rounds to it.
const exact = 1<<53 - 1

// newField settles what tag t means for a value of kind k. Errors wrap ErrTag.
func newField(k reflect.Kind, t tag) (Field, error) {
	f := Field{
		Kind: k, Words: 1, spelling: t.String(),
		Raw: t.raw, Angle: t.angle, Edge: t.edge, Hold: t.hold,
	}
	var err error
	switch {
	case k == reflect.Bool:
		err = f.asBool(t)
	case t.raw:
		f.asRaw(t)
	case !t.ranged:
		err = bad("a number needs a range: write %s", tagForms)
	case isFloat(k):
		err = f.asFloat(t)
	default:
		err = f.asInteger(t)
	}
	if err != nil {
		return Field{}, err
	}
	if t.tolerant {
		f.Tolerance = t.tol
	}
	f.within = f.Tolerance
	if f.Tolerance > 0 && isFloat(k) && !f.Raw {
		// Neighbours on the wire differ by a step only up to the rounding of the type.
		f.within += spacing(k, max(math.Abs(f.Min), math.Abs(f.Max)))
	}
	return f, nil
}

func bad(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrTag, fmt.Sprintf(format, a...))
}

func (f *Field) asBool(t tag) error {
	if t.raw || t.ranged || t.tolerant {
		return bad("a bool has neither range, raw nor tol: leave the tag out, or write edge, hold or \"-\"")
	}
	f.Max, f.Step, f.Bits, f.Hold = 1, 1, 1, true
	f.count, f.top, f.hi = 2, 1, 1
	return nil
}

func (f *Field) asRaw(t tag) {
	f.Bits = 8 * size(f.Kind)
	f.Words = max(1, f.Bits/32)
	f.Hold = t.hold || !isFloat(f.Kind)
	switch f.Kind {
	case reflect.Float32:
		f.hi = math.MaxFloat32
	case reflect.Float64:
		f.hi = math.MaxFloat64
	default:
		f.hi = math.Inf(1)
	}
	f.lo = -f.hi
}

func (f *Field) asFloat(t tag) error {
	if !t.stepped {
		return bad("a float with a range needs a step: write %s..%s step 0.01, or raw", decimal(t.min), decimal(t.max))
	}
	far := max(math.Abs(t.min), math.Abs(t.max))
	if f.Kind == reflect.Float32 && far > math.MaxFloat32 {
		return bad("the range %s..%s does not fit float32", decimal(t.min), decimal(t.max))
	}
	// With less than two of the type's own values to a step, a value on the wire
	// would not come back as itself.
	if s := spacing(f.Kind, far); t.step < 2*s {
		return bad("step %s is finer than %v can hold at %s: write a step of at least %s, or raw", decimal(t.step), f.Kind, decimal(far), decimal(2*s))
	}
	f.Tolerance = t.step
	steps := (t.max - t.min) / t.step
	n := math.Round(steps)
	// A decimal step is not exact: 1024/0.01 may miss 102400 by a little.
	if math.Abs(steps-n) > 1e-5 {
		n = math.Floor(steps)
	}
	return f.grid(t.min, t.max, t.step, n)
}

func (f *Field) asInteger(t tag) error {
	lo, hi := integerRange(f.Kind)
	step := 1.0
	if t.stepped {
		step = t.step
		f.Tolerance = step
	}
	for _, v := range []float64{t.min, t.max, step} {
		if v != math.Trunc(v) {
			return bad("%s is not a whole number, as range and step of %v must be", decimal(v), f.Kind)
		}
	}
	if t.min < lo || t.max > hi {
		return bad("the range %s..%s does not fit %v: it holds %s..%s, or use raw", decimal(t.min), decimal(t.max), f.Kind, decimal(lo), decimal(hi))
	}
	f.Hold = t.hold || !t.stepped && !t.angle
	n := 0.0
	if span := int64(t.max - t.min); step <= float64(span) {
		n = float64(span / int64(step))
	}
	if err := f.grid(t.min, t.max, step, n); err != nil {
		return err
	}
	if f.Angle {
		last := f.Min + f.period - 1
		if last > hi {
			return bad("%s steps of %s wrap at %s, and %v holds at most %s", decimal(f.count), decimal(step), decimal(last+1), f.Kind, decimal(hi))
		}
		f.hi = last
	}
	return nil
}

// grid lays the values of the wire over the range: n steps, then n+1 values.
func (f *Field) grid(lo, hi, step, n float64) error {
	f.Min, f.Max, f.Step = lo, hi, step
	if n < 1 {
		return bad("step %s is longer than the range %s..%s", decimal(step), decimal(lo), decimal(hi))
	}
	if !(n < math.MaxInt32) {
		return bad("the range %s..%s has more than 2147483647 values of step %s: use a larger step, or raw", decimal(lo), decimal(hi), decimal(step))
	}
	f.count = n + 1
	f.top = int32(n)
	f.limit = n + 0.5
	f.reach = max(f.limit, (hi-lo)/step+0.5)
	f.Bits = codec.BitsFor(uint64(f.count))
	f.lo = min(round(f.Kind, lo), round(f.Kind, f.at(0)))
	f.hi = max(round(f.Kind, hi), round(f.Kind, f.at(f.top)))
	if f.Angle {
		f.period = float64(f.count * step)
		f.hi = round(f.Kind, lo+f.period)
	}
	f.rest = min(max(0, f.lo), f.hi)
	f.restWord = min(int32((f.rest-lo)/step+0.5), f.top)
	return nil
}

// at returns the value of word q. The product is rounded before the sum, so that
// a CPU that fuses the two gives the same result as one that does not.
func (f *Field) at(q int32) float64 {
	return float64(f.Min + float64(float64(q)*f.Step))
}

// round returns v as kind k holds it.
func round(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(float32(v))
	}
	return v
}

// spacing is the distance from v to the next larger value of float kind k.
func spacing(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v))
	}
	return math.Nextafter(v, math.MaxFloat64) - v
}

// integerRange returns the values of integer kind k that can be bounds of a range.
func integerRange(k reflect.Kind) (lo, hi float64) {
	bits := 8 * size(k)
	if !isSigned(k) {
		return 0, min(math.Ldexp(1, bits)-1, exact)
	}
	half := math.Ldexp(1, bits-1)
	return max(-half, -exact), min(half-1, exact)
}
