package netsys

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/internal/window"
)

// sentWindow is the number of newest packets whose acknowledgements count: 17 s at 60 packets per second.
const sentWindow = 1024

// sentPacket is the record of a sent packet.
type sentPacket struct {
	at    time.Duration
	seq   uint16
	data  bool // it carries a payload
	sent  bool
	acked bool
}

// missing reports whether a packet was sent and not acknowledged.
func (p *sentPacket) missing() bool { return p.sent && !p.acked }

// sentPackets numbers the packets that one end of a session sends, and records which of them were acknowledged. Its memory
// grows with the packets in flight and the lost packets. Create it with newSentPackets. The fields that each packet needs are
// in one cache line. loss, which changes ten times per second, is elsewhere.
type sentPackets struct {
	packets window.Window[sentPacket]
	loss    *recentLoss
	next    uint16 // number of the next packet
	counted uint16 // all packets before this number are counted in loss
}

// newSentPackets returns a history without packets. It counts sent and lost packets in loss.
func newSentPackets(loss *recentLoss) sentPackets {
	return sentPackets{packets: window.New(sentWindow, (*sentPacket).missing), loss: loss}
}

// add records a packet that is sent at a time, and returns its number. data reports whether it carries a payload.
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

// acknowledge marks a packet as received by the peer. It returns nil if the packet was never sent, has left the window or was
// acknowledged before.
func (h *sentPackets) acknowledge(seq uint16) *sentPacket {
	p := h.packets.Find(seq)
	if p == nil || !p.missing() {
		return nil
	}
	p.acked = true
	return p
}

// update counts acknowledged packets. It counts packets that are not acknowledged within wait as lost.
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
