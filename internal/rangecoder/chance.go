package rangecoder

// Chance is an adaptive probability. P is the probability of a 1 in 65,536ths. N is the number of bits seen, up to
// MostSeen.
type Chance struct{ P, N uint16 }

// A chance that has seen n bits moves 1/(n+1.6) of the way to the next bit: it is nearly the mean of all bits seen and of 1.6
// initial guesses. It moves by at least 1/41, so that it forgets the oldest bits.
const (
	firstStep  = 1.6
	MostSeen   = 39
	chanceBits = 16
)

// stride is the effect of the next bit on a chance that has seen n bits: the share of the way in 65,536ths, and the next n. The
// table has an entry for each n of six bits, which avoids a bounds check.
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

// One updates the chance after a 1.
func (c *Chance) One() {
	s := &strides[c.N&63]
	c.P += uint16((1<<chanceBits - 1 - uint32(c.P)) * s.step >> chanceBits)
	c.N = s.next
}

// Zero updates the chance after a 0.
func (c *Chance) Zero() {
	s := &strides[c.N&63]
	c.P -= uint16(uint32(c.P) * s.step >> chanceBits)
	c.N = s.next
}

// Restart sets now to start and returns it. If same is true, now was set to the same start before, and the range idle[0] to
// idle[1], which nobody changes, is not copied again.
func Restart(now, start []Chance, idle [2]int, same bool) []Chance {
	if !same || len(now) != len(start) {
		return append(now[:0], start...)
	}
	copy(now[:idle[0]], start)
	copy(now[idle[1]:], start[idle[1]:])
	return now
}
