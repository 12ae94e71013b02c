package delta

import (
	"github.com/tactusgo/tactus/codec/internal/whole"
)

// A field that is sent as a line has two words on the grid of the field: its position R at the send, and its change V per unit.
// A unit is the number of sends that take about 50 ms, at least 1, whatever the rate of sends: see [Layout]. Changes per send would be
// too small for their grid at high rates. The line passes points of the grid at the sends whose number is a multiple of the unit. At the
// sends between, the position is rounded. So it does not matter how many sends are left out between two states.

// unitsPerSecond is the number of units in a second, if there are at least as many sends.
const unitsPerSecond = 20

// Span is the time from one send to a later one, as lines need it.
type Span struct {
	from, to int64 // simulation steps from the last multiple of a unit to the two sends
	steps    int64 // simulation steps between the two
	units    int64 // units between those two multiples
	n        int64 // simulation steps of a unit
}

// Span returns the span between two sends.
func (l *Layout) Span(from, to uint32) Span {
	steps, unit := int64(l.steps), uint32(l.unit)
	return Span{
		from: int64(from%unit) * steps, to: int64(to%unit) * steps, steps: int64(int32(to-from)) * steps,
		units: int64(int32(to/unit - from/unit)), n: int64(unit) * steps,
	}
}

// LineSteps returns the number of simulation steps of a unit.
func (l *Layout) LineSteps() int { return l.unit * l.steps }

// Steps returns the number of simulation steps of the span.
func (s Span) Steps() int { return int(s.steps) }

// part returns the change of a line over some steps of a unit, rounded.
func (s Span) part(v int32, steps int64) int64 {
	if steps == 0 {
		return 0
	}
	return whole.FloorDiv(2*int64(v)*steps+s.n, 2*s.n)
}

// Straight returns the change of a line that does not bend, with the change v per unit.
func (s Span) Straight(v int32) int64 { return int64(v)*s.units + s.part(v, s.to) - s.part(v, s.from) }

// Bend returns the change of a line that changes v per unit for the first at steps, and then w. With a span that begins and ends at
// multiples of the unit it is ⌊(v·at + w·(steps − at)) / n⌋.
func (s Span) Bend(v, w int32, at int) int64 {
	first := s.from + int64(at)
	return whole.FloorDiv(int64(v)*first+int64(w)*(s.units*s.n-first), s.n) + s.part(w, s.to) - s.part(v, s.from)
}

// lineWord locates a line in a record: word at is the position, word at+1 the change.
type lineWord struct {
	at    int
	count int32 // number of values of a full turn, or 0
	f     *field
}

// ahead returns the position of a line that did not bend.
func (f *lineWord) ahead(base []int32, span Span) int32 {
	return f.wrap(int64(base[f.at]) + span.Straight(base[f.at+1]))
}

// wrap wraps an angle into its range.
func (f *lineWord) wrap(r int64) int32 {
	if n := int64(f.count); n > 0 && uint64(r) >= uint64(n) {
		if r %= n; r < 0 {
			r += n
		}
	}
	return int32(r)
}

// minus returns a − b, for angles the short way round.
func (f *lineWord) minus(a, b int32) int32 {
	d := a - b
	if f.count > 0 {
		if d > f.count/2 {
			d -= f.count
		} else if d < -(f.count / 2) {
			d += f.count
		}
	}
	return d
}

// Toward returns the vector of a length in a direction. turn is an angle with a full turn of 2^32, from +x over +y. The
// result is the same on every machine and within 1 of the exact vector, for lengths up to 2^24.
func Toward(length int32, turn uint32) (x, y int32) { return whole.Toward(length, turn) }

// bendStep returns the step of the bend that brings the lines closest to their current positions.
func bendStep(words []lineWord, cur, base []int32, span Span) int {
	most, at, n, all := int64(0), 0, span.n, span.steps
	for i := range words {
		f := &words[i]
		v, u := int64(base[f.at+1]), int64(cur[f.at+1])
		if abs(v-u) <= most {
			continue
		}
		// The line that bent most gives the most accurate step: gone = (v·S + u·(all−S)) / n.
		most = abs(v - u)
		gone := int64(cur[f.at]) - int64(base[f.at])
		if turn := int64(f.count); turn > 0 {
			// The number of whole turns is unknown: assume that of a bend halfway.
			half := whole.FloorDiv((v+u)*all, 2*n)
			gone += whole.FloorDiv(half-gone+turn/2, turn) * turn
		}
		at = int(min(max((gone*n-u*all)/(v-u), -2), all+1))
	}
	best, least := 0, int64(-1)
	for _, d := range [...]int{0, 1, -1, 2} {
		s := max(min(at+d, int(all)-1), 0)
		miss := int64(0)
		for i := range words {
			f := &words[i]
			miss += abs(int64(f.minus(cur[f.at], f.wrap(int64(base[f.at])+span.Bend(base[f.at+1], cur[f.at+1], s)))))
		}
		if least < 0 || miss < least {
			best, least = s, miss
		}
		if miss == 0 {
			break
		}
	}
	return best
}

// samePace is the largest difference of two lengths of changes that counts as rounding.
const samePace = 2
