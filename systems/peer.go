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
	plans []plan   // what the packets of this tick hold, in step with queue
}

// known is what the server knows that a client knows of one entity.
type known struct {
	id   uint32
	base uint32 // newest send of this entity that was acknowledged; 0: none
	gone bool   // destroyed; told until acknowledged
}

// sentPacket remembers which entities a packet held.
type sentPacket struct {
	seq  uint16
	live bool
	plan
}

// plan is the content of a packet by entity.
type plan struct {
	send uint32
	ids  []uint32
	gone []uint32
}

func (p *plan) reset(send uint32) {
	p.send, p.ids, p.gone = send, p.ids[:0], p.gone[:0]
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
func (p *peer) remember(seq uint16, pl *plan) {
	s := &p.sent[seq%sentRing]
	s.seq, s.live = seq, true
	s.plan, *pl = *pl, s.plan // the buffers change places
}

// acked moves the baselines of what an acknowledged packet held.
func (p *peer) acked(seq uint16) {
	s := &p.sent[seq%sentRing]
	if !s.live || s.seq != seq {
		return
	}
	s.live = false
	if s.send < p.floor {
		return // the client may have let go of it
	}
	k := 0
	for _, id := range s.ids {
		for k < len(p.known) && p.known[k].id < id {
			k++
		}
		if k < len(p.known) && p.known[k].id == id {
			p.known[k].base = max(p.known[k].base, s.send)
		}
	}
	if len(s.gone) == 0 {
		return
	}
	out := p.known[:0]
	g := 0
	for _, e := range p.known {
		for g < len(s.gone) && s.gone[g] < e.id {
			g++
		}
		if e.gone && g < len(s.gone) && s.gone[g] == e.id {
			continue
		}
		out = append(out, e)
	}
	p.known = out
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
