package schema

import (
	"math"
	"reflect"

	"github.com/tactusgo/tactus/codec"
)

func (f *draft) asFloat() error {
	if !f.tag.stepped {
		return tagError("a float with a range needs a step: write %s..%s step 0.01, or raw", decimal(f.tag.min), decimal(f.tag.max))
	}
	far := max(math.Abs(f.tag.min), math.Abs(f.tag.max))
	if f.Kind == reflect.Float32 && far > math.MaxFloat32 {
		return tagError("the range %s..%s does not fit float32", decimal(f.tag.min), decimal(f.tag.max))
	}
	if err := f.checkStep(f.tag.step, far); err != nil {
		return err
	}
	f.Tolerance = f.tag.step
	steps := (f.tag.max - f.tag.min) / f.tag.step
	n := math.Round(steps)
	// A decimal step is not exact: 1024/0.01 may miss 102400 by a little.
	if math.Abs(steps-n) > 1e-5 {
		n = math.Floor(steps)
	}
	if err := wholeTurn(f.tag, f.tag.step, n == math.Round(steps)); err != nil {
		return err
	}
	return f.setGrid(f.tag.min, f.tag.max, f.tag.step, n)
}

// checkStep checks that a step is at least twice the spacing of floats at magnitude far. With a smaller step, an encoded
// value would not decode to itself.
func (f *draft) checkStep(step, far float64) error {
	if s := spacing(f.Kind, far); step < 2*s {
		return tagError("step %s is finer than %v can hold at %s: write a step of at least %s, or raw", decimal(step), f.Kind, decimal(far), decimal(2*s))
	}
	return nil
}

// wholeTurn rejects a range in degrees that includes both ends of the turn, which are the same angle.
func wholeTurn(t tag, step float64, ends bool) error {
	if !t.angle || t.max-t.min != 360 || !ends {
		return nil
	}
	return tagError("%s..%s includes both ends of the turn, so that it would wrap at %s: write %s..%s, or degrees %s for floats",
		decimal(t.min), decimal(t.max), decimal(t.max+step), decimal(t.min), decimal(t.max-step), decimal(step))
}

// asTurn divides a full turn into whole steps as close to the requested step as possible.
func (f *draft) asTurn() error {
	if !isFloat(f.Kind) {
		return tagError("degrees are a float, not %v: write MIN..MAX step S angle, without the end of the turn, as in 0..359 angle", f.Kind)
	}
	values := math.Round(360 / f.tag.step)
	step := 360 / values
	if !(values >= 2) {
		return tagError("step %s is longer than half a turn", decimal(f.tag.step))
	}
	if err := f.checkStep(step, 360); err != nil {
		return err
	}
	f.Angle, f.Tolerance = true, step
	if err := f.setGrid(0, float64((values-1)*step), step, values-1); err != nil {
		return err
	}
	f.period, f.hi = 360, 360
	return nil
}

func (f *draft) asInteger() error {
	lo, hi := integerRange(f.Kind)
	step := 1.0
	if f.tag.stepped {
		step = f.tag.step
		f.Tolerance = step
	}
	for _, v := range []float64{f.tag.min, f.tag.max, step} {
		if v != math.Trunc(v) {
			return tagError("%s is not a whole number, as range and step of %v must be", decimal(v), f.Kind)
		}
	}
	from, to := f.tag.min, f.tag.max
	if from < lo || to > hi {
		return tagError("the range %s..%s does not fit %v: it holds %s..%s, or use raw", decimal(from), decimal(to), f.Kind, decimal(lo), decimal(hi))
	}
	f.Hold = f.tag.hold || !f.tag.stepped && !f.tag.angle
	n := 0.0
	if span := int64(to - from); step <= float64(span) {
		n = float64(span / int64(step))
	}
	if err := wholeTurn(f.tag, step, float64(n*step) == to-from); err != nil {
		return err
	}
	if err := f.setGrid(from, to, step, n); err != nil {
		return err
	}
	if f.Angle {
		last := f.base + f.period - 1
		if last > hi {
			return tagError("%s steps of %s wrap at %s, and %v holds at most %s", decimal(f.count), decimal(step), decimal(last+1), f.Kind, decimal(hi))
		}
		f.hi = last
	}
	return nil
}

// setGrid divides the range lo..hi into n steps: n+1 encoded values.
func (f *draft) setGrid(lo, hi, step, n float64) error {
	f.base, f.grain = lo, step
	f.Min, f.Max, f.Step = lo, hi, step
	if n < 1 {
		return tagError("step %s is longer than the range %s..%s", decimal(f.Step), decimal(f.Min), decimal(f.Max))
	}
	if !(n < math.MaxInt32) {
		return tagError("the range %s..%s has more than 2147483647 values of step %s: use a larger step, or raw", decimal(f.Min), decimal(f.Max), decimal(f.Step))
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
