package systems

// Arrival timing bounds steps by a bucket of tokens: one a tick and a little
// more, up to a burst of half a second. A filler costs a token too, so no
// pattern of delays makes a player faster than 2 %; while there are no tokens,
// inputs wait their turn.
const (
	arrivalRefill = 1.02
	arrivalBurst  = 30
)

// arrivalBuffer is the state that timing Arrival adds.
type arrivalBuffer struct{ tokens float64 }

// begin starts a tick.
func (a *arrivalBuffer) begin() { a.tokens = min(a.tokens+arrivalRefill, arrivalBurst) }

// step returns the next input to step in this tick, oldest first; a nil words
// with ok is a filler, which ends the tick. stepped counts steps so far.
func (a *arrivalBuffer) step(b *inputBuffer, stepped int) (words []int32, ok bool) {
	if !b.any || a.tokens < 1 {
		return nil, false
	}
	for b.expected < b.newest && !b.has(b.expected) {
		// A packet holds a run of inputs up to its newest: what is not there
		// was lost in more packets than the redundancy covers.
		b.slots[b.expected%inputWindow] = inputSlot{seq: b.expected, fill: true}
		b.expected++
		b.stats.Missing++
	}
	switch {
	case b.has(b.expected) && b.expected <= b.newest:
		a.tokens--
		b.running = true
		b.consumed(b.expected)
		b.expected++
		return b.at(b.expected - 1), true
	case stepped == 0 && b.running:
		a.tokens--
		b.filled()
		return nil, true
	}
	return nil, false
}
