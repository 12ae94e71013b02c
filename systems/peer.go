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

	known []known // entities that were sent, in order of NetID
	next  []known // scratch for the merge
	sent  [sentRing]sentPacket
	epoch uint8    // of the baselines; see the messages
	floor uint32   // no baseline before this send is used any more
	queue [][]byte // packets of this tick, handed to the session by Send
	spans []span   // what the packets of this tick hold, in step with queue
}

// known is what the server knows that a client knows of one entity.
type known struct {
	id   uint32
	base uint32 // newest send of this entity that was acknowledged; 0: none
	gone bool   // destroyed; told until acknowledged
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
// frame of its send.
func (p *peer) acked(sent span, f *frame) {
	out := p.known[:0]
	i := 0
	for _, k := range p.known {
		if k.id < sent.first || k.id > sent.last {
			out = append(out, k)
			continue
		}
		for i < len(f.ids) && f.ids[i] < k.id {
			i++
		}
		if i < len(f.ids) && f.ids[i] == k.id {
			k.base = max(k.base, sent.send)
		} else if k.gone {
			continue // the client knows that it is destroyed
		}
		out = append(out, k)
	}
	p.known = out
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

// renew begins an epoch in which the client has no baselines yet.
func (p *peer) renew(epoch uint8) {
	if epoch == p.epoch {
		return
	}
	p.epoch = epoch
	for i := range p.known {
		p.known[i].base = 0
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
