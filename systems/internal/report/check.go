package report

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

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
		for i := range comp.Schema.Fields {
			f := &comp.Schema.Fields[i]
			if off := quantizedOff(f); off > 0 && f.Tolerance <= off {
				return fmt.Errorf("corrections on mismatch: %s.%s is quantized to within %g and compared to within %g: write a tol above %g, or a smaller step",
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
