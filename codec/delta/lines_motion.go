package delta

// A field that is sent as a line has two words: its place R at the send, and its
// change V from one send to the next, both on the field's grid. Between two states
// of which the newer is n·age simulation steps younger, a line that bent once, S
// steps after the older state, gives
//
//	R′ = R + ⌊(V·S + V′·(n·age − S)) / n⌋
//
// and one that did not bend R′ = R + V·age.

// Bend returns how far a line went in so many simulation steps, n of them to a
// send: the first at of them with the change v a send, the others with w.
func Bend(v, w int32, at, steps, n int) int64 {
	return floorDiv(int64(v)*int64(at)+int64(w)*int64(steps-at), int64(n))
}

// floorDiv is a/b rounded down, for b above 0.
func floorDiv(a, b int64) int64 {
	if x, y := int32(a), int32(b); int64(x) == a && int64(y) == b {
		// Short numbers are the rule, and divided faster.
		q := x / y
		if x%y < 0 {
			q--
		}
		return int64(q)
	}
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Toward returns the vector of a length in a direction, in parts of a turn of
// 2^32 from +x over +y. It is the same on every machine, and within one of the
// truth up to a length of 2^24.
func Toward(length int32, turn uint32) (x, y int32) {
	round := func(v int64) int32 { return int32((v*int64(length) + 1<<29) >> 30) }
	return round(sine(turn + 1<<30)), round(sine(turn))
}

// sine is the sine of an angle in parts of a turn of 2^32, times 2^30: the first
// six terms of the series for a quarter turn.
func sine(turn uint32) int64 {
	z := int64(turn & (1<<30 - 1))
	if turn>>30&1 != 0 {
		z = 1<<30 - z
	}
	square := z * z >> 30
	v := int64(-3864)
	for _, c := range [...]int64{172272, -5026995, 85569306, -693598668, 1686629713} {
		v = c + v*square>>30
	}
	v = v * z >> 30
	if turn>>31 != 0 {
		return -v
	}
	return v
}

// length is that of a vector: exactly the one that gives it in a direction, if
// there is one; most likely it is the one given.
func length(x, y int32, turn uint32, likely int32) int32 {
	if a, b := Toward(likely, turn); a == x && b == y {
		return likely
	}
	n := int32(root(int64(x)*int64(x) + int64(y)*int64(y)))
	for _, d := range [...]int32{0, 1, -1} {
		if a, b := Toward(n+d, turn); a == x && b == y {
			return n + d
		}
	}
	return n
}

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
			half := floorDiv((v+u)*int64(all), int64(2*n))
			gone += floorDiv(half-gone+turn/2, turn) * turn
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

// lengthOf is the length of a vector, rounded down.
func lengthOf(x, y int32) int32 {
	return int32(root(int64(x)*int64(x) + int64(y)*int64(y)))
}

// bearing is the direction of a vector in 256ths of a turn, rounded.
func bearing(x, y int32) uint8 {
	// The quarter that it lies in, turned to the first.
	u, v, quarter := int64(x), int64(y), uint8(0)
	for quarter < 3 && (u <= 0 || v < 0) {
		u, v = v, -u
		quarter++
	}
	// Between the middles of which parts.
	low, high := uint8(0), uint8(64)
	for low < high {
		mid := (low + high) / 2
		a, b := Toward(1<<16, uint32(mid)<<24+1<<23)
		if v*int64(a) < u*int64(b) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return 64*quarter + low
}
