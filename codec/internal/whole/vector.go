package whole

// FloorDiv returns a/b rounded down, for b > 0.
func FloorDiv(a, b int64) int64 {
	if x, y := int32(a), int32(b); int64(x) == a && int64(y) == b {
		// Most numbers fit 32 bits, and their division is faster.
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

// Toward returns the vector of a length in a direction. turn is an angle with a full turn of 2^32, from +x over +y. The
// result is the same on every machine and within 1 of the exact vector, for lengths up to 2^24.
func Toward(length int32, turn uint32) (x, y int32) {
	round := func(v int64) int32 { return int32((v*int64(length) + 1<<29) >> 30) }
	return round(sine(turn + 1<<30)), round(sine(turn))
}

// sine returns the sine times 2^30 of an angle with a full turn of 2^32, from the first six terms of the series for a
// quarter turn.
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

// Along returns the length of a vector: the length for which [Toward] gives exactly this vector, if there is one. It tries
// likely first.
func Along(x, y int32, turn uint32, likely int32) int32 {
	if a, b := Toward(likely, turn); a == x && b == y {
		return likely
	}
	n := int32(Root(int64(x)*int64(x) + int64(y)*int64(y)))
	for _, d := range [...]int32{0, 1, -1} {
		if a, b := Toward(n+d, turn); a == x && b == y {
			return n + d
		}
	}
	return n
}

// Length returns the length of a vector, rounded down.
func Length(x, y int32) int32 {
	return int32(Root(int64(x)*int64(x) + int64(y)*int64(y)))
}

// Bearing returns the direction of a vector in 256ths of a turn, rounded.
func Bearing(x, y int32) uint8 {
	// Rotate the vector into the first quarter.
	u, v, quarter := int64(x), int64(y), uint8(0)
	for quarter < 3 && (u <= 0 || v < 0) {
		u, v = v, -u
		quarter++
	}
	// Search the part by comparing with the boundaries between parts.
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
