package codec

// Packets carry the low 16 bits of sequence numbers, which wrap. The order of two numbers is known while they differ by less
// than 32,768: nine minutes at 60 per second.

// Newer reports whether sequence number a comes after b. At a distance of exactly 32,768 neither is newer.
func Newer(a, b uint16) bool { return int16(a-b) > 0 }

// Diff returns a − b modulo 65536 in the range −32768..32767. The result is positive if a is newer.
func Diff(a, b uint16) int { return int(int16(a - b)) }

// Lift extends the low 16 bits of a tick or sequence number to the full number. It returns the number nearest to near whose
// low 16 bits are wire; near is the number that the receiver expects. Of two numbers at equal distance it returns the lower
// one. The result never overflows: near 0 and near the maximum of T it is the nearest number that T can hold.
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
