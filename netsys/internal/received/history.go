package received

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/internal/recent"
)

const (
	// Window is how far behind the newest a packet may arrive and still be told from a duplicate.
	Window = 512
	// reorderSlack is how long after a newer packet one may arrive and not count as lost.
	reorderSlack = 500 * time.Millisecond
)

// Arrival is what is known of a packet that arrives.
type Arrival uint8

// What a packet is that arrives.
const (
	Fresh     Arrival = iota // it came for the first time
	Stale                    // it is too old to tell
	Duplicate                // it came before
)

// History finds duplicates, makes acknowledgements, and counts the gaps in the peer's sequence.
//
// A sequence is settled, as received or as lost, in order: a received one at once, a missing one when
// reorderSlack has passed since a newer one arrived, so that reordering is not taken for loss, or when it
// leaves the window. It starts as if the packet before number 0 had been received.
//
// What is here every packet needs; what gaps alone need is elsewhere.
type History struct {
	NewestAt time.Duration // when Newest arrived
	Newest   uint16        // sequence that was received
	settled  uint16
	Bits     uint32 // of those before: bit i is Newest−1−i
	Heard    bool   // something was received; otherwise the others mean nothing
	seen     [Window / 64]uint64
	*Gaps
}

// Gaps are what is known of what is missing. The zero value is that of nothing.
type Gaps struct {
	Loss    recent.Loss // of the peer's packets
	skipped []skipped   // those that are not settled, oldest first
	head    int         // of these
}

// skipped are sequences that were missing when a newer one arrived.
type skipped struct {
	at   time.Duration
	last uint16
}

// New returns a history in which nothing was received, and which keeps gaps there.
func New(gaps *Gaps) History { return History{Newest: 1<<16 - 1, Gaps: gaps} }

func (h *History) has(seq uint16) bool {
	i := seq % Window
	return h.seen[i/64]&(1<<(i%64)) != 0
}

func (h *History) mark(seq uint16) {
	i := seq % Window
	h.seen[i/64] |= 1 << (i % 64)
}

func (h *History) unmark(seq uint16) {
	i := seq % Window
	h.seen[i/64] &^= 1 << (i % 64)
}

// Accept takes note of an arrival. newest tells whether no newer one came before.
func (h *History) Accept(seq uint16, at time.Duration) (newest bool, was Arrival) {
	d := codec.Diff(seq, h.Newest)
	switch {
	case d > 0:
		h.advance(d, at)
		h.mark(seq)
		h.Heard = true
		return true, Fresh
	case d <= -Window:
		return false, Stale
	case d == 0 || h.has(seq):
		return false, Duplicate
	}
	h.mark(seq)
	if d >= -32 {
		h.Bits |= 1 << (-d - 1)
	}
	return false, Fresh
}

// advance moves the window d sequences on.
func (h *History) advance(d int, at time.Duration) {
	target := h.Newest + uint16(d)
	if d >= Window {
		// Everything in the window leaves it; what lies between never was in it.
		for h.settled != h.Newest+1 {
			h.settle(at)
		}
		skipped := d - Window
		if skipped > 0 {
			h.Loss.Count(at, uint32(skipped), uint32(skipped))
		}
		h.settled += uint16(skipped)
		h.Newest += uint16(skipped)
		h.seen = [Window / 64]uint64{}
	}
	if h.Newest+1 != target {
		h.skip(skipped{at, target - 1})
	}
	for h.Newest != target {
		h.Newest++
		for codec.Diff(h.Newest, h.settled) >= Window {
			h.settle(at)
		}
		h.unmark(h.Newest)
	}
	if !h.Heard || d > 32 {
		h.Bits = 0
	} else {
		h.Bits = h.Bits<<d | 1<<(d-1)
	}
	h.NewestAt = at
}

// skip notes that some are missing.
func (g *Gaps) skip(x skipped) {
	if g.head > 0 && len(g.skipped) == cap(g.skipped) {
		g.skipped, g.head = g.skipped[:copy(g.skipped, g.skipped[g.head:])], 0
	}
	g.skipped = append(g.skipped, x)
}

// passed is when a missing one that is not settled was skipped.
func (g *Gaps) passed() time.Duration { return g.skipped[g.head].at }

// Update settles what can be settled.
func (h *History) Update(now time.Duration) {
	for h.settled != h.Newest+1 {
		if !h.has(h.settled) && now-h.passed() < reorderSlack {
			return
		}
		h.settle(now)
	}
}

func (h *History) settle(at time.Duration) {
	lost := uint32(1)
	if h.has(h.settled) {
		lost = 0
	}
	h.Loss.Count(at, 1, lost)
	if h.head < len(h.skipped) && h.skipped[h.head].last == h.settled {
		if h.head++; h.head == len(h.skipped) {
			h.skipped, h.head = h.skipped[:0], 0
		}
	}
	h.settled++
}
