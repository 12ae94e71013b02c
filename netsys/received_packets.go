package netsys

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

const (
	// receiveWindow is the number of newest packets among which duplicates are detected. Older packets are dropped.
	receiveWindow = 512
	// reorderSlack is the time after the arrival of a newer packet at which a missing packet counts as lost.
	reorderSlack = 500 * time.Millisecond
)

// receivedPackets records which packets of the peer arrived. It detects duplicates, provides acknowledgements, and counts
// lost packets. Create it with newReceivedPackets.
//
// Each packet is counted once, in order, as received or as lost. A missing packet counts as lost when reorderSlack has passed
// since a newer packet arrived, so that reordered packets do not count, or when it leaves the window. The history starts as if
// the packet before number 0 had been received.
//
// The fields that every packet needs are here. gaps holds the fields that only missing packets need.
type receivedPackets struct {
	newestAt time.Duration // arrival of newest
	newest   uint16        // the newest received number
	counted  uint16        // all packets before this number are counted in gaps.loss
	bits     uint32        // bit i: packet newest−1−i was received
	heard    bool          // a packet was received; otherwise newest, newestAt and bits have no meaning
	seen     [receiveWindow / 64]uint64
	gaps     *sequenceGaps
}

// sequenceGaps holds the loss of the peer's packets, and the gaps in the peer's sequence that may still close. The zero value
// has no losses and no gaps.
type sequenceGaps struct {
	loss recentLoss
	open []sequenceGap // oldest first, from head on
	head int
}

// sequenceGap is a run of packets that were missing when a newer packet arrived.
type sequenceGap struct {
	at   time.Duration // arrival of the newer packet
	last uint16        // the last missing packet
}

// newReceivedPackets returns a history without packets.
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

// add records the arrival of a packet. newest reports whether the packet is newer than all earlier ones. drop is DropDuplicate
// if the packet has arrived before, and DropStale if it is older than the window.
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

// advance moves the window forward by d packets.
func (h *receivedPackets) advance(d int, at time.Duration) {
	target := h.newest + uint16(d)
	if d >= receiveWindow {
		// All packets in the window leave it. The skipped packets after them were never in the window.
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

// update counts the received packets, and as lost the missing ones for which reorderSlack has passed.
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
