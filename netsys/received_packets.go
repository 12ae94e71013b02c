package netsys

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

const (
	// receiveWindow is how far behind the newest a packet may arrive and still be told from a duplicate.
	receiveWindow = 512
	// reorderSlack is how long after a newer packet one may arrive and not count as lost.
	reorderSlack = 500 * time.Millisecond
)

// receivedPackets remembers which packets of the peer arrived: it finds duplicates, makes acknowledgements, and counts the
// gaps in the peer's sequence. Make one with newReceivedPackets.
//
// Each packet is counted once, as received or as lost, in order: a packet that arrived at once, a missing one when reorderSlack
// has passed since a newer one arrived, so that reordering is not taken for loss, or when it leaves the window. The
// history starts as if the packet before number 0 had been received.
//
// What every packet needs is here; what is needed only when packets are missing is in gaps.
type receivedPackets struct {
	newestAt time.Duration // when newest arrived
	newest   uint16        // the newest number that was received
	counted  uint16        // every packet before this one is counted in gaps.loss
	bits     uint32        // the packets before newest: bit i is newest−1−i
	heard    bool          // something was received; otherwise newest, newestAt and bits mean nothing
	seen     [receiveWindow / 64]uint64
	gaps     *sequenceGaps
}

// sequenceGaps holds the loss of the peer's packets, and the gaps in its sequence whose packets may still arrive. The zero
// value has neither.
type sequenceGaps struct {
	loss recentLoss
	open []sequenceGap // oldest first, from head on
	head int
}

// sequenceGap is a run of packets that were missing when a newer one arrived.
type sequenceGap struct {
	at   time.Duration // when the newer one arrived
	last uint16
}

// newReceivedPackets returns a history in which nothing was received.
func newReceivedPackets(gaps *sequenceGaps) receivedPackets {
	return receivedPackets{newest: 1<<16 - 1, gaps: gaps}
}

func (h *receivedPackets) has(seq uint16) bool {
	i := seq % receiveWindow
	return h.seen[i/64]&(1<<(i%64)) != 0
}

func (h *receivedPackets) mark(seq uint16) {
	i := seq % receiveWindow
	h.seen[i/64] |= 1 << (i % 64)
}

func (h *receivedPackets) unmark(seq uint16) {
	i := seq % receiveWindow
	h.seen[i/64] &^= 1 << (i % 64)
}

// add records that a packet arrived. newest reports whether no newer one came before. drop is DropDuplicate for a packet
// that came before, and DropStale for one that is too old to tell.
func (h *receivedPackets) add(seq uint16, at time.Duration) (newest bool, drop DropReason) {
	d := codec.Diff(seq, h.newest)
	switch {
	case d > 0:
		h.advance(d, at)
		h.mark(seq)
		h.heard = true
		return true, DropNone
	case d <= -receiveWindow:
		return false, DropStale
	case d == 0 || h.has(seq):
		return false, DropDuplicate
	}
	h.mark(seq)
	if d >= -32 {
		h.bits |= 1 << (-d - 1)
	}
	return false, DropNone
}

// advance moves the window on by d packets.
func (h *receivedPackets) advance(d int, at time.Duration) {
	target := h.newest + uint16(d)
	if d >= receiveWindow {
		// Everything in the window leaves it; what lies between never was in it.
		for h.counted != h.newest+1 {
			h.countOldest(at)
		}
		skipped := d - receiveWindow
		if skipped > 0 {
			h.gaps.loss.count(at, uint32(skipped), uint32(skipped))
		}
		h.counted += uint16(skipped)
		h.newest += uint16(skipped)
		h.seen = [receiveWindow / 64]uint64{}
	}
	if h.newest+1 != target {
		h.gaps.add(sequenceGap{at, target - 1})
	}
	for h.newest != target {
		h.newest++
		for codec.Diff(h.newest, h.counted) >= receiveWindow {
			h.countOldest(at)
		}
		h.unmark(h.newest)
	}
	if !h.heard || d > 32 {
		h.bits = 0
	} else {
		h.bits = h.bits<<d | 1<<(d-1)
	}
	h.newestAt = at
}

// update counts the packets that arrived, and as lost those that can be reordered no longer.
func (h *receivedPackets) update(now time.Duration) {
	for h.counted != h.newest+1 {
		if !h.has(h.counted) && now-h.gaps.oldest() < reorderSlack {
			return
		}
		h.countOldest(now)
	}
}

// countOldest counts the oldest packet that is not counted yet.
func (h *receivedPackets) countOldest(at time.Duration) {
	lost := uint32(1)
	if h.has(h.counted) {
		lost = 0
	}
	h.gaps.loss.count(at, 1, lost)
	h.gaps.remove(h.counted)
	h.counted++
}

// add adds a gap that is newer than all others.
func (g *sequenceGaps) add(x sequenceGap) {
	if g.head > 0 && len(g.open) == cap(g.open) {
		g.open, g.head = g.open[:copy(g.open, g.open[g.head:])], 0
	}
	g.open = append(g.open, x)
}

// oldest returns when the packet after the oldest gap arrived.
func (g *sequenceGaps) oldest() time.Duration { return g.open[g.head].at }

// remove removes the oldest gap, if the packet is its last one.
func (g *sequenceGaps) remove(last uint16) {
	if g.head < len(g.open) && g.open[g.head].last == last {
		if g.head++; g.head == len(g.open) {
			g.open, g.head = g.open[:0], 0
		}
	}
}
