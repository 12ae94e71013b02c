package delta

import (
	"github.com/tactusgo/tactus/codec/internal/whole"
)

// A field that is sent as a line has two words: its place R at the send, and its
// change V from one send to the next, both on the field's grid. Between two states
// of which the newer is n·age simulation steps younger, a line that bent once, S
// steps after the older state, gives
//
//	R′ = R + ⌊(V·S + V′·(n·age − S)) / n⌋
//
// and one that did not bend R′ = R + V·age.

// lineWord is where a line lies in a record: its place, and its change behind.
type lineWord struct {
	at    int
	count int32 // words of a full turn, or 0
	f     *field
}

// ahead is where a line leads that does not bend.
func (f *lineWord) ahead(base []int32, age int64) int32 {
	return f.wrap(int64(base[f.at]) + int64(base[f.at+1])*age)
}

// wrap brings an angle into its turn.
func (f *lineWord) wrap(r int64) int32 {
	if n := int64(f.count); n > 0 && uint64(r) >= uint64(n) {
		if r %= n; r < 0 {
			r += n
		}
	}
	return int32(r)
}

// minus is a−b, for angles the short way round.
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

// bent is where a line leads that bent at a step.
func (f *lineWord) bent(w *walk, at, all, n int) int32 {
	return f.wrap(int64(w.base[f.at]) + Bend(w.base[f.at+1], w.cur[f.at+1], at, all, n))
}

// Bend returns how far a line went in so many simulation steps, n of them to a
// send: the first at of them with the change v a send, the others with w.
func Bend(v, w int32, at, steps, n int) int64 {
	return whole.FloorDiv(int64(v)*int64(at)+int64(w)*int64(steps-at), int64(n))
}

// Toward returns the vector of a length in a direction, in parts of a turn of
// 2^32 from +x over +y. It is the same on every machine, and within one of the
// truth up to a length of 2^24.
func Toward(length int32, turn uint32) (x, y int32) { return whole.Toward(length, turn) }

// bendStep returns the step at which lines bent that leads closest to where they
// are.
func bendStep(words []lineWord, cur, base []int32, all, n int) int {
	most, at := int64(0), 0
	for i := range words {
		f := &words[i]
		v, u := int64(base[f.at+1]), int64(cur[f.at+1])
		if abs(v-u) <= most {
			continue
		}
		// The line that bent most tells best: gone = (v·S + u·(all−S)) / n.
		most = abs(v - u)
		gone := int64(cur[f.at]) - int64(base[f.at])
		if turn := int64(f.count); turn > 0 {
			// Whole turns do not show; those that a bend halfway makes are likely.
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

// samePace is by how much rounding lets the length of a change vary.
const samePace = 2
