package baseline

import "math/bits"

// ages are the ages of baselines, in sends, that are used where a client holds them,
// youngest first. They are few, so that clients whose acknowledgements came at different
// times need the same bytes. Where a client holds none of these, any age does.
var baselineAges = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// Choose picks the baseline for slots of a send, no older than floor: its age,
// whether the client holds the send before it too where that is asked for, and
// which of the slots it serves. An age of 0 is none: full states.
//
// The youngest of the ages wins that serves most slots. A second baseline is worth
// a little age, not more.
func (h *Group) Choose(send, floor uint32, slots uint64, second bool, oldest uint32) (age uint32, two bool, serves uint64) {
	best := 0
	try := func(a uint32) bool {
		if a > oldest || a >= send || send-a < floor {
			return false
		}
		m := h.Holds(send-a) & slots
		n := bits.OnesCount64(m)
		if n == 0 || n < best {
			return false
		}
		pair := second && a < oldest && send-a > floor && m&^h.Holds(send-a-1) == 0
		if n == best && (two || !pair || a > 2*age+2) {
			return false
		}
		best, age, two, serves = n, a, pair, m
		return m == slots && (pair || !second)
	}
	for _, a := range baselineAges {
		if try(a) {
			return age, two, serves
		}
	}
	if best > 0 {
		return age, two, serves
	}
	for a := uint32(1); a <= oldest; a++ {
		if try(a) {
			break
		}
	}
	return age, two, serves
}
