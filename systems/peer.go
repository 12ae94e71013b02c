package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/netsys"
)

// sentRing is how many packets to a client are remembered until they are
// acknowledged.
const sentRing = 512

// peer is what the server knows of one client.
type peer struct {
	id      uint32
	session netsys.Session
	inputs  *inputBuffer
	arrival arrivalBuffer
	held    []byte // the input stepped last, as the component's bytes
	loss    float64

	messages  int // read in this wake-up
	malformed int // in all

	known []known // entities that were sent, in order of NetID
	next  []known // scratch for the merge
	sent  [sentRing]sentPacket
	epoch uint8    // of the baselines; see the messages
	asked uint8    // epoch that the client asked for last
	floor uint32   // no baseline before this send is used any more
	queue [][]byte // packets of this tick, handed to the session by Send
	spans []span   // what the packets of this tick hold, in step with queue
}

// known is what the server knows that a client knows of one entity.
type known struct {
	id     uint32
	base   uint32 // newest send of this entity that was acknowledged; 0: none
	gone   bool   // destroyed; told until acknowledged
	buried uint32 // newest send when the destruction was acknowledged; 0: not yet
}

// sentPacket remembers what a packet told of: all that the server knew of, from
// one entity to another, as it was at one send. NetIDs only ever go up, so that
// is enough to say which entities those were.
type sentPacket struct {
	seq  uint16
	live bool
	span
}

// span is the content of a packet.
type span struct {
	send        uint32
	first, last uint32 // NetIDs; first > last when the packet has no entity
}

// merge brings known up to date with the entities of a frame.
func (p *peer) merge(f *frame) {
	out := p.next[:0]
	i := 0
	for _, k := range p.known {
		for i < len(f.ids) && f.ids[i] < k.id {
			out = append(out, known{id: f.ids[i]})
			i++
		}
		if i < len(f.ids) && f.ids[i] == k.id {
			i++
			k.gone = false
		} else {
			k.gone = true
		}
		if k.buried != 0 && f.send-k.buried > maxAge {
			continue // no renewal can ask for it any more
		}
		out = append(out, k)
	}
	for ; i < len(f.ids); i++ {
		out = append(out, known{id: f.ids[i]})
	}
	p.known, p.next = out, p.known
}

// remember notes what went out under a session sequence.
func (p *peer) remember(seq uint16, sp span) {
	p.sent[seq%sentRing] = sentPacket{seq: seq, live: true, span: sp}
}

// acked moves the baselines of what an acknowledged packet told of; f is the
// frame of its send, newest the number of the newest send.
//
// An acknowledged packet is one that arrived, which is not to say that the
// client could decode it. Where it could not, it asks for another epoch, and
// what was destroyed is told again: for that it stays known, buried, for as long
// as that request may be on its way.
func (p *peer) acked(sent span, f *frame, newest uint32) {
	i := 0
	for n := range p.known {
		k := &p.known[n]
		if k.id < sent.first || k.id > sent.last {
			continue
		}
		for i < len(f.ids) && f.ids[i] < k.id {
			i++
		}
		switch {
		case i < len(f.ids) && f.ids[i] == k.id:
			k.base = max(k.base, sent.send)
		case k.gone && k.buried == 0:
			k.buried = newest
		}
	}
}

// take returns what a packet told of, once.
func (p *peer) take(seq uint16) (span, bool) {
	s := &p.sent[seq%sentRing]
	if !s.live || s.seq != seq {
		return span{}, false
	}
	s.live = false
	return s.span, s.send >= p.floor // below it the client may have let go
}

// renew begins the epoch that the client asked for, in which it has no baselines
// yet. It is called once a send, however often a client asks.
func (p *peer) renew() {
	if p.asked == p.epoch {
		return
	}
	p.epoch = p.asked
	for i := range p.known {
		p.known[i].base, p.known[i].buried = 0, 0
	}
	for i := range p.sent {
		p.sent[i].live = false
	}
}

// promise settles the oldest send that this and later packets use as baseline,
// so that the client can let go of older ones. While nothing was acknowledged
// it is as old as a baseline may be.
func (p *peer) promise(send uint32) {
	oldest := send
	for _, k := range p.known {
		if k.base != 0 && !k.gone {
			oldest = min(oldest, k.base)
		}
	}
	if oldest == send || send-oldest > maxAge {
		oldest = max(send, maxAge) - maxAge
	}
	p.floor = max(p.floor, oldest)
}

// heldInput is where the input stepped last is kept.
func (p *peer) heldInput() unsafe.Pointer {
	if len(p.held) == 0 {
		return nil
	}
	return unsafe.Pointer(&p.held[0])
}
