package delta

import (
	"github.com/tactusgo/tactus/codec/internal/whole"
)

// A field that is sent as a line has two words on the grid of the field: its position R at the send, and its change V per send.
// The newer of two states is n·age simulation steps after the older one. A line that bent once, S steps after the older state,
// gives
//
//	R′ = R + ⌊(V·S + V′·(n·age − S)) / n⌋
//
// and a line that did not bend gives R′ = R + V·age.

// lineWord locates a line in a record: word at is the position, word at+1 the change.
type lineWord struct {
	at    int
	count int32 // number of values of a full turn, or 0
	f     *field
}

// ahead returns the position of a line that did not bend.
func (f *lineWord) ahead(base []int32, age int64) int32 {
	return f.wrap(int64(base[f.at]) + int64(base[f.at+1])*age)
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

// Bend returns the change of a line over steps simulation steps, n of which make one send. The first at steps have the
// change v per send, the others w.
func Bend(v, w int32, at, steps, n int) int64 {
	return whole.FloorDiv(int64(v)*int64(at)+int64(w)*int64(steps-at), int64(n))
}

// Toward returns the vector of a length in a direction. turn is an angle with a full turn of 2^32, from +x over +y. The
// result is the same on every machine and within 1 of the exact vector, for lengths up to 2^24.
func Toward(length int32, turn uint32) (x, y int32) { return whole.Toward(length, turn) }

// bendStep returns the step of the bend that brings the lines closest to their current positions.
func bendStep(words []lineWord, cur, base []int32, all, n int) int {
	most, at := int64(0), 0
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
			half := whole.FloorDiv((v+u)*int64(all), int64(2*n))
			gone += whole.FloorDiv(half-gone+turn/2, turn) * turn
		}
		at = int(min(max((gone*int64(n)-u*int64(all))/(v-u), -2), int64(all)+1))
	}
	best, least := 0, int64(-1)
	for _, d := range [...]int{0, 1, -1, 2} {
		s := max(min(at+d, all-1), 0)
		miss := int64(0)
		for i := range words {
			f := &words[i]
			miss += abs(int64(f.minus(cur[f.at], f.wrap(int64(base[f.at])+Bend(base[f.at+1], cur[f.at+1], s, all, n)))))
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
