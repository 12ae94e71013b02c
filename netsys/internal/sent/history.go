package sent

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/internal/recent"
	"github.com/tactusgo/tactus/netsys/internal/window"
)

// Window is how many packets back an acknowledgement still counts; at 60 a second 17 s.
const Window = 1024

// Packet is what is remembered of a packet until it is acknowledged or has left the window.
type Packet struct {
	At    time.Duration
	Seq   uint16
	Data  bool // it carries a payload
	sent  bool
	acked bool
}

// missing reports whether a packet was sent and not acknowledged.
func (p *Packet) missing() bool { return p.sent && !p.acked }

// History numbers packets and learns which arrived. It has memory for those that are not settled, and for those that
// got lost. Make one with [New].
type History struct {
	packets window.Window[Packet]
	loss    *recent.Loss
	next    uint16
	settled uint16 // every sequence before this one is counted in loss
}

// New returns a history in which nothing was sent, and which counts what got lost in loss.
func New(loss *recent.Loss) History {
	return History{packets: window.New(Window, (*Packet).missing), loss: loss}
}

// Next is the number of the packet that is added next.
func (h *History) Next() uint16 { return h.next }

// Add gives a packet its number.
func (h *History) Add(at time.Duration, data bool) uint16 {
	seq := h.next
	if codec.Diff(seq, h.settled) >= Window {
		h.settle(at)
	}
	h.packets.Room(codec.Diff(seq, h.settled) + 1)
	*h.packets.Open(seq) = Packet{At: at, Seq: seq, sent: true, Data: data}
	h.next++
	return seq
}

// Ack marks a packet as received by the peer. It returns nil for one that was never sent, has left the
// window or was acknowledged before.
func (h *History) Ack(seq uint16) *Packet {
	p := h.packets.Find(seq)
	if p == nil || !p.missing() {
		return nil
	}
	p.acked = true
	return p
}

// Update settles what was acknowledged, and what was sent longer than wait ago and was not.
func (h *History) Update(now, wait time.Duration) {
	for h.settled != h.next {
		if p := h.packets.Find(h.settled); !p.acked && now-p.At < wait {
			break
		}
		h.settle(now)
	}
	h.packets.Fit(codec.Diff(h.next, h.settled) + 1)
}

func (h *History) settle(now time.Duration) {
	lost := uint32(1)
	if h.packets.Find(h.settled).acked {
		lost = 0
	}
	h.loss.Count(now, 1, lost)
	h.settled++
}

// Touch reads what the packet that is acknowledged next, and the one that is sent next, will need.
func (h *History) Touch() byte {
	a, b := h.packets.Find(h.settled), h.packets.Find(h.next-1)
	if a == nil || b == nil {
		return 0
	}
	return byte(a.At) ^ byte(b.At)
}
