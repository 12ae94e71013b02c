package serverapply

// arrivalRefill is the number of tokens that a client gains per tick under Arrival. Each step costs a token,
// fillers included, and a client can save tokens for half a second of steps. Whatever the pattern of delays, a
// player is therefore at most 2 % faster than the tick rate. Inputs wait while there are no tokens.
const arrivalRefill = 1.02

// ArrivalBurst is the maximum number of inputs that a client steps at once under Arrival.
const ArrivalBurst = 30

// arrival holds the tokens of a client under Arrival.
type arrival struct{ tokens float64 }

// refill adds the tokens of a tick.
func (a *arrival) refill() { a.tokens = min(a.tokens+arrivalRefill, ArrivalBurst) }

// step returns the next input to step in this tick, oldest first. nil words with ok are a filler, which ends the
// tick. stepped is the number of steps so far in this tick.
func (a *arrival) step(b *buffer, stepped int) (words []int32, ok bool) {
	if !b.any || a.tokens < 1 {
		return nil, false
	}
	for b.expected < b.newest && !b.has(b.expected) {
		// A packet holds consecutive inputs up to its newest one: a missing input was lost in more packets than the
		// redundancy covers.
		b.advance(true)
		b.stats.Missing++
	}
	switch {
	case b.has(b.expected) && b.expected <= b.newest:
		a.tokens--
		b.running = true
		b.countConsumed(b.expected)
		b.advance(false)
		return b.at(b.expected - 1), true
	case stepped == 0 && b.running:
		a.tokens--
		b.countMissing()
		return nil, true
	}
	return nil, false
}
