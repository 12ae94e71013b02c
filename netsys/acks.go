package netsys

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/internal/received"
	"github.com/tactusgo/tactus/netsys/internal/recent"
	"github.com/tactusgo/tactus/netsys/internal/window"
)

const (
	// sentWindow is how many packets back an acknowledgement still counts; at 60 a second 17 s.
	sentWindow = 1024
	// ackSlack is how long after the expected answer a packet counts as lost on the way out.
	ackSlack = time.Second
)

// sentPacket is what is remembered of a packet until it is acknowledged or has left the window.
type sentPacket struct {
	at    time.Duration
	seq   uint16
	used  bool
	data  bool // sent by Session.Send, not by the session itself
	acked bool
}

// missing reports whether a packet was sent and not acknowledged.
func (p *sentPacket) missing() bool { return p.used && !p.acked }

// sendHistory numbers packets and learns which arrived. It has memory for those that are not settled, and for those that
// got lost.
type sendHistory struct {
	sent    window.Window[sentPacket]
	next    uint16
	settled uint16 // every sequence before this one is counted in loss
	loss    recent.Loss
}

func (h *sendHistory) add(at time.Duration, data bool) uint16 {
	seq := h.next
	if h.sent.Most() == 0 {
		h.sent = window.New(sentWindow, (*sentPacket).missing)
	}
	if codec.Diff(seq, h.settled) >= sentWindow {
		h.settle(at)
	}
	h.sent.Room(codec.Diff(seq, h.settled) + 1)
	*h.sent.Open(seq) = sentPacket{at: at, seq: seq, used: true, data: data}
	h.next++
	return seq
}

// ack marks a packet as received by the peer. It returns nil for one that was never sent, has left the
// window or was acknowledged before.
func (h *sendHistory) ack(seq uint16) *sentPacket {
	p := h.sent.Find(seq)
	if p == nil || !p.missing() {
		return nil
	}
	p.acked = true
	return p
}

// update settles what was acknowledged, and what was sent longer than wait ago and was not.
func (h *sendHistory) update(now, wait time.Duration) {
	for h.settled != h.next {
		if p := h.sent.Find(h.settled); !p.acked && now-p.at < wait {
			break
		}
		h.settle(now)
	}
	h.sent.Fit(codec.Diff(h.next, h.settled) + 1)
}

func (h *sendHistory) settle(now time.Duration) {
	lost := uint32(1)
	if h.sent.Find(h.settled).acked {
		lost = 0
	}
	h.loss.Count(now, 1, lost)
	h.settled++
}

// accept takes note of an arrival. newest tells whether no newer one came before.
func accept(h *received.History, seq uint16, at time.Duration) (newest bool, drop DropReason) {
	newest, was := h.Accept(seq, at)
	return newest, [...]DropReason{received.Fresh: DropNone, received.Stale: DropStale, received.Duplicate: DropDuplicate}[was]
}
