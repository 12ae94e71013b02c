package serverapply

// arrivalRefill is how many tokens an arrival gets a tick. It bounds steps by a bucket of
// these: one a tick and a little more, up to a burst of half a second. A filler costs a
// token too, so no pattern of delays makes a player faster than 2 %; while there are no
// tokens, inputs wait their turn.
const arrivalRefill = 1.02

// ArrivalBurst is how many inputs a client steps at once at most, where they apply when they
// come.
const ArrivalBurst = 30

// arrival is the state that timing Arrival adds.
type arrival struct{ tokens float64 }

// begin starts a tick.
func (a *arrival) begin() { a.tokens = min(a.tokens+arrivalRefill, ArrivalBurst) }

// step returns the next input to step in this tick, oldest first; a nil words
// with ok is a filler, which ends the tick. stepped counts steps so far.
func (a *arrival) step(b *buffer, stepped int) (words []int32, ok bool) {
	if !b.any || a.tokens < 1 {
		return nil, false
	}
	for b.expected < b.newest && !b.has(b.expected) {
		// A packet holds a run of inputs up to its newest: what is not there
		// was lost in more packets than the redundancy covers.
		b.pass(true)
		b.stats.Missing++
	}
	switch {
	case b.has(b.expected) && b.expected <= b.newest:
		a.tokens--
		b.running = true
		b.consumed(b.expected)
		b.pass(false)
		return b.at(b.expected - 1), true
	case stepped == 0 && b.running:
		a.tokens--
		b.filled()
		return nil, true
	}
	return nil, false
}
