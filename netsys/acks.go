package netsys

import (
	"time"

	"github.com/tactusgo/tactus/netsys/internal/recent"
)

// distance is a−b on the circle of 16-bit sequence numbers: positive when a is newer.
func distance(a, b uint16) int { return int(int16(a - b)) }

const (
	// sentWindow is how many packets back an acknowledgement still counts; at 60 a second 17 s.
	sentWindow = 1024
	// receiveWindow is how far behind the newest a packet may arrive and still be told from a duplicate.
	receiveWindow = 512
	// reorderSlack is how long after a newer packet one may arrive and not count as lost.
	reorderSlack = 500 * time.Millisecond
	// ackSlack is how long after the expected answer a packet counts as lost on the way out.
	ackSlack = time.Second
)

// sentPacket is what is remembered of a packet until it has left the window.
type sentPacket struct {
	at    time.Duration
	seq   uint16
	used  bool
	data  bool // sent by Session.Send, not by the session itself
	acked bool
}

// sendHistory numbers packets and learns which arrived.
type sendHistory struct {
	ring    [sentWindow]sentPacket
	next    uint16
	settled uint16 // every sequence before this one is counted in loss
	loss    recent.Loss
}

func (h *sendHistory) add(at time.Duration, data bool) uint16 {
	seq := h.next
	if distance(seq, h.settled) >= sentWindow {
		h.settle(at)
	}
	h.ring[seq%sentWindow] = sentPacket{at: at, seq: seq, used: true, data: data}
	h.next++
	return seq
}

// ack marks a packet as received by the peer. It returns nil for one that was never sent, has left the
// window or was acknowledged before.
func (h *sendHistory) ack(seq uint16) *sentPacket {
	p := &h.ring[seq%sentWindow]
	if !p.used || p.seq != seq || p.acked {
		return nil
	}
	p.acked = true
	return p
}

// update settles what was acknowledged, and what was sent longer than wait ago and was not.
func (h *sendHistory) update(now, wait time.Duration) {
	for h.settled != h.next {
		if p := &h.ring[h.settled%sentWindow]; !p.acked && now-p.at < wait {
			return
		}
		h.settle(now)
	}
}

func (h *sendHistory) settle(now time.Duration) {
	lost := uint32(1)
	if h.ring[h.settled%sentWindow].acked {
		lost = 0
	}
	h.loss.Count(now, 1, lost)
	h.settled++
}

// receiveHistory finds duplicates, makes acknowledgements, and counts the gaps in the peer's sequence.
//
// A sequence is settled, as received or as lost, in order: a received one at once, a missing one when
// reorderSlack has passed since a newer one arrived, so that reordering is not taken for loss, or when it
// leaves the window. It starts as if the packet before number 0 had been received.
type receiveHistory struct {
	newest   uint16
	newestAt time.Duration
	bits     uint32 // as in the packet: bit i is newest−1−i
	heard    bool
	settled  uint16
	seen     [receiveWindow / 64]uint64
	passed   [receiveWindow]time.Duration // when this sequence, or the first newer one, arrived
	loss     recent.Loss
}

func newReceiveHistory() receiveHistory { return receiveHistory{newest: 1<<16 - 1} }

func (h *receiveHistory) has(seq uint16) bool {
	i := seq % receiveWindow
	return h.seen[i/64]&(1<<(i%64)) != 0
}

func (h *receiveHistory) mark(seq uint16) {
	i := seq % receiveWindow
	h.seen[i/64] |= 1 << (i % 64)
}

func (h *receiveHistory) unmark(seq uint16) {
	i := seq % receiveWindow
	h.seen[i/64] &^= 1 << (i % 64)
}

// accept takes note of an arrival. newest tells whether no newer one came before.
func (h *receiveHistory) accept(seq uint16, at time.Duration) (newest bool, drop DropReason) {
	d := distance(seq, h.newest)
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

// advance moves the window d sequences on.
func (h *receiveHistory) advance(d int, at time.Duration) {
	target := h.newest + uint16(d)
	if d >= receiveWindow {
		// Everything in the window leaves it; what lies between never was in it.
		for h.settled != h.newest+1 {
			h.settle(at)
		}
		skipped := d - receiveWindow
		if skipped > 0 {
			h.loss.Count(at, uint32(skipped), uint32(skipped))
		}
		h.settled += uint16(skipped)
		h.newest += uint16(skipped)
		h.seen = [receiveWindow / 64]uint64{}
	}
	for h.newest != target {
		h.newest++
		for distance(h.newest, h.settled) >= receiveWindow {
			h.settle(at)
		}
		h.unmark(h.newest)
		h.passed[h.newest%receiveWindow] = at
	}
	if !h.heard || d > 32 {
		h.bits = 0
	} else {
		h.bits = h.bits<<d | 1<<(d-1)
	}
	h.newestAt = at
}

// update settles what can be settled.
func (h *receiveHistory) update(now time.Duration) {
	for h.settled != h.newest+1 {
		if !h.has(h.settled) && now-h.passed[h.settled%receiveWindow] < reorderSlack {
			return
		}
		h.settle(now)
	}
}

func (h *receiveHistory) settle(at time.Duration) {
	lost := uint32(1)
	if h.has(h.settled) {
		lost = 0
	}
	h.loss.Count(at, 1, lost)
	h.settled++
}
