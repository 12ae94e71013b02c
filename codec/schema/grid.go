package schema

import (
	"math"
	"reflect"

	"github.com/tactusgo/tactus/codec"
)

// exact is the largest magnitude up to which float64 holds every integer and
// nothing else rounds to it.
const exact = 1<<53 - 1

func (f *Field) asFloat(t tag) error {
	if t.fixed > 0 {
		return bad("fixed is for integers, not %v", f.Kind)
	}
	if !t.stepped {
		return bad("a float with a range needs a step: write %s..%s step 0.01, or raw", decimal(t.min), decimal(t.max))
	}
	far := max(math.Abs(t.min), math.Abs(t.max))
	if f.Kind == reflect.Float32 && far > math.MaxFloat32 {
		return bad("the range %s..%s does not fit float32", decimal(t.min), decimal(t.max))
	}
	if err := f.fine(t.step, far); err != nil {
		return err
	}
	f.Tolerance = t.step
	steps := (t.max - t.min) / t.step
	n := math.Round(steps)
	// A decimal step is not exact: 1024/0.01 may miss 102400 by a little.
	if math.Abs(steps-n) > 1e-5 {
		n = math.Floor(steps)
	}
	if err := wholeTurn(t, t.step, n == math.Round(steps)); err != nil {
		return err
	}
	return f.grid(t.min, t.max, t.step, n)
}

// fine checks a step against the floats around far: with less than two of them to
// a step, a value on the wire would not come back as itself.
func (f *Field) fine(step, far float64) error {
	if s := spacing(f.Kind, far); step < 2*s {
		return bad("step %s is finer than %v can hold at %s: write a step of at least %s, or raw", decimal(step), f.Kind, decimal(far), decimal(2*s))
	}
	return nil
}

// wholeTurn refuses a range that names both ends of a turn in degrees, of which
// one would be a value too many.
func wholeTurn(t tag, step float64, ends bool) error {
	if !t.angle || t.max-t.min != 360 || !ends {
		return nil
	}
	return bad("%s..%s names both ends of the turn, so that it would wrap at %s: write %s..%s, or degrees %s for floats",
		decimal(t.min), decimal(t.max), decimal(t.max+step), decimal(t.min), decimal(t.max-step), decimal(step))
}

// asTurn lays a full turn in whole steps as near to the one asked for as they come.
func (f *Field) asTurn(t tag) error {
	if !isFloat(f.Kind) {
		return bad("radians and degrees are floats, not %v: write MIN..MAX step S angle, without the end of the turn, as in 0..359 angle", f.Kind)
	}
	values := math.Round(t.turn / t.step)
	step := t.turn / values
	if !(values >= 2) {
		return bad("step %s is longer than half a turn", decimal(t.step))
	}
	lo := 0.0
	if t.turn != 360 {
		lo = -math.Pi
	}
	if err := f.fine(step, lo+t.turn); err != nil {
		return err
	}
	f.Angle, f.Tolerance = true, step
	if err := f.grid(lo, lo+float64((values-1)*step), step, values-1); err != nil {
		return err
	}
	f.period = t.turn
	f.hi = round(f.Kind, lo+t.turn)
	return nil
}

func (f *Field) asInteger(t tag) error {
	lo, hi := integerRange(f.Kind)
	step := 1.0
	if t.stepped {
		step = t.step
		f.Tolerance = step
	} else if t.fixed > 0 {
		return bad("a fixed-point number needs a step: write %s..%s step %s fixed %d", decimal(t.min), decimal(t.max), decimal(1/f.scale), t.fixed)
	}
	if t.fixed > 0 {
		if err := f.binary(t); err != nil {
			return err
		}
	}
	for _, v := range []float64{t.min, t.max, step} {
		if t.fixed == 0 && v != math.Trunc(v) {
			return bad("%s is not a whole number, as range and step of %v must be", decimal(v), f.Kind)
		}
	}
	from, to, grain := t.min*f.scale, t.max*f.scale, step*f.scale
	if from < lo || to > hi {
		return bad("the range %s..%s does not fit %v: it holds %s..%s, or use raw", decimal(t.min), decimal(t.max), f.Kind, decimal(lo/f.scale), decimal(hi/f.scale))
	}
	f.Hold = t.hold || !t.stepped && !t.angle
	n := 0.0
	if span := int64(to - from); grain <= float64(span) {
		n = float64(span / int64(grain))
	}
	if err := wholeTurn(t, step, float64(n*grain) == to-from); err != nil {
		return err
	}
	if err := f.grid(from, to, grain, n); err != nil {
		return err
	}
	if f.Angle {
		last := f.base + f.period - 1
		if last > hi {
			return bad("%s steps of %s wrap at %s, and %v holds at most %s", decimal(f.count), decimal(step), decimal((last+1)/f.scale), f.Kind, decimal(hi/f.scale))
		}
		f.hi = last
	}
	return nil
}

// binary checks that a fixed-point integer holds the ends and the step exactly, so
// that its grid is one of whole numbers.
func (f *Field) binary(t tag) error {
	for _, v := range []float64{t.min, t.max, t.step} {
		if m := v * f.scale; m != math.Trunc(m) {
			near := max(math.Round(math.Abs(m)), 1) / f.scale
			return bad("%s is not a multiple of 2^-%d, as range and step of this %v must be: write %s",
				decimal(v), t.fixed, f.Kind, decimal(math.Copysign(near, v)))
		}
	}
	return nil
}

// grid lays the values of the wire over the range: n steps, then n+1 values. It
// takes numbers in the unit of memory.
func (f *Field) grid(lo, hi, step, n float64) error {
	f.base, f.grain = lo, step
	f.Min, f.Max, f.Step = lo/f.scale, hi/f.scale, step/f.scale
	if n < 1 {
		return bad("step %s is longer than the range %s..%s", decimal(f.Step), decimal(f.Min), decimal(f.Max))
	}
	if !(n < math.MaxInt32) {
		return bad("the range %s..%s has more than 2147483647 values of step %s: use a larger step, or raw", decimal(f.Min), decimal(f.Max), decimal(f.Step))
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
	return float64(f.base + float64(float64(q)*f.grain))
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
