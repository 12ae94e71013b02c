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
