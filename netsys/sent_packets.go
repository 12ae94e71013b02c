package netsys

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/internal/window"
)

// sentWindow is how many packets back an acknowledgement still counts; at 60 a second 17 s.
const sentWindow = 1024

// sentPacket is what a session remembers of a packet that it sent, until the packet is acknowledged or leaves the window.
type sentPacket struct {
	at    time.Duration
	seq   uint16
	data  bool // it carries a payload
	sent  bool
	acked bool
}

// missing reports whether a packet was sent and not acknowledged.
func (p *sentPacket) missing() bool { return p.sent && !p.acked }

// sentPackets numbers the packets that one end of a session sends, and finds out which of them arrived. It has memory for
// the packets that are neither acknowledged nor lost yet, and for those that got lost. Make one with newSentPackets. What
// each packet needs is in one cache line; loss, which changes ten times a second, is elsewhere.
type sentPackets struct {
	packets window.Window[sentPacket]
	loss    *recentLoss
	next    uint16 // the number of the packet that is added next
	counted uint16 // every packet before this one is counted in loss
}

// newSentPackets returns a history in which nothing was sent. It counts the packets that get lost in loss.
func newSentPackets(loss *recentLoss) sentPackets {
	return sentPackets{packets: window.New(sentWindow, (*sentPacket).missing), loss: loss}
}

// add returns the number of a packet that is sent now. data tells whether it carries a payload.
func (h *sentPackets) add(at time.Duration, data bool) uint16 {
	seq := h.next
	if codec.Diff(seq, h.counted) >= sentWindow {
		h.countOldest(at)
	}
	h.packets.Room(codec.Diff(seq, h.counted) + 1)
	*h.packets.Open(seq) = sentPacket{at: at, seq: seq, sent: true, data: data}
	h.next++
	return seq
}

// acknowledge marks a packet as received by the peer. It returns nil for one that was never sent, has left the window or
// was acknowledged before.
func (h *sentPackets) acknowledge(seq uint16) *sentPacket {
	p := h.packets.Find(seq)
	if p == nil || !p.missing() {
		return nil
	}
	p.acked = true
	return p
}

// update counts the packets that were acknowledged, and as lost those that were sent longer than wait ago and were not.
func (h *sentPackets) update(now, wait time.Duration) {
	for h.counted != h.next {
		if p := h.packets.Find(h.counted); !p.acked && now-p.at < wait {
			break
		}
		h.countOldest(now)
	}
	h.packets.Fit(codec.Diff(h.next, h.counted) + 1)
}

// countOldest counts the oldest packet that is not counted yet.
func (h *sentPackets) countOldest(now time.Duration) {
	lost := uint32(1)
	if h.packets.Find(h.counted).acked {
		lost = 0
	}
	h.loss.count(now, 1, lost)
	h.counted++
}
