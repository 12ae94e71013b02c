package rangecoder

// Chance is a probability that adapts: of a 1, in 65,536ths, and how many bits it
// has seen, as far as that matters.
type Chance struct{ P, N uint16 }

// A chance that has seen n bits goes 1/(n+1.6) of the way to the next one: nearly
// the mean of all seen and of one and a half guesses. It goes at least 1/41, which
// forgets the oldest.
const (
	firstStep  = 1.6
	MostSeen   = 39
	chanceBits = 16
)

// A row of the table has what the next bit does to a chance that has seen n: the
// part of the way, in 65,536ths, and what it has seen then. It is as long as n
// may be in six bits, which spares a check.
type stride struct {
	step uint32
	next uint16
}

var strides = func() (t [64]stride) {
	for n := range t {
		m := min(n, MostSeen)
		t[n] = stride{uint32(1 << chanceBits / (float64(m) + firstStep)), uint16(min(m+1, MostSeen))}
	}
	return t
}()

// One says that the bit was a 1.
func (c *Chance) One() {
	s := &strides[c.N&63]
	c.P += uint16((1<<chanceBits - 1 - uint32(c.P)) * s.step >> chanceBits)
	c.N = s.next
}

// Zero says that the bit was a 0.
func (c *Chance) Zero() {
	s := &strides[c.N&63]
	c.P -= uint16(uint32(c.P) * s.step >> chanceBits)
	c.N = s.next
}

// Restart puts chances where they start, and returns them. Where same says that they have been there
// before, those between idle[0] and idle[1], which nothing touches, are not copied again.
func Restart(now, start []Chance, idle [2]int, same bool) []Chance {
	if !same || len(now) != len(start) {
		return append(now[:0], start...)
	}
	copy(now[:idle[0]], start)
	copy(now[idle[1]:], start[idle[1]:])
	return now
}
