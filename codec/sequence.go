package codec

// Sequence numbers travel as their low 16 bits and wrap. Two of them can be told
// apart while they lie less than 32,768 from each other: nine minutes at 60 a
// second.

// Newer reports whether sequence number a comes after b. At a distance of
// exactly 32,768 neither is newer.
func Newer(a, b uint16) bool { return int16(a-b) > 0 }

// Diff returns a − b the short way round, −32768..32767: positive when a is
// newer.
func Diff(a, b uint16) int { return int(int16(a - b)) }

// Lift returns the number nearest to near whose low 16 bits are wire: the full
// tick or sequence behind the 16 bits of a packet, near being what the receiver
// expects. At equal distance it is the lower one. The result never wraps: close
// to 0 and to the top of T it is the nearest number that exists.
func Lift[T ~uint32 | ~uint64](wire uint16, near T) T {
	d := int16(wire - uint16(near))
	v := near + T(d)
	switch {
	case d < 0 && v > near:
		v += 1 << 16
	case d > 0 && v < near:
		v -= 1 << 16
	}
	return v
}
