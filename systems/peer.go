package systems

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/snapshot"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/relay"
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
	counted relay.Inputs // of its player's, those of earlier sessions
	rewrote uint64       // likewise
	held    []byte       // the input stepped last, as the component's bytes
	loss    lossMeter

	changes peerChanges // of client-owned components
	notices notices
	pace    pace
	flooded uint64 // messages that were not read

	messages  int // read in this wake-up
	heard     int // likewise, of channels
	malformed int // in all

	unheard bool          // something was sent since the last acknowledgement
	silence time.Duration // for which that has been so
	deaf    bool          // too long
	said    said          // what was logged of it

	model *snapshot.Model // of the world's blocks
	world []holding       // what the client holds of the world's groups
	own   []holding       // and of its own entities'
	free  splits
	epoch uint8  // of the baselines; see the messages
	asked uint8  // epoch that the client asked for last
	floor uint32 // no baseline before this send is used any more

	ownSlots  []ownSlot
	ownGained [][64]float32

	budget  int // bytes of a snapshot
	over    bool
	starved bool          // own state left no room for anything else: it is left out next
	big     bool          // an entity was left out because no snapshot has room for it
	gained  [][64]float32 // what entities have gained in the competition for room

	joining  joining
	joinedAt uint32 // send in which the joining began
	join     *join  // while it streams
	joinSend uint32 // newest send that the client was to join with

	advised *advised // nil: own state always travels

	told  told
	queue []queued // packets of this tick, handed to the session by Send
	send  uint32   // whose they are

	// What is large stands behind what every send looks at.
	sent      [sentRing]sentPacket
	ownFrames [ownRing]ownFrame
}

// told is what the last control part of a header said, as far as changes call for
// another one.
type told struct {
	any   bool
	epoch uint8
	depth uint8
	shift int16
}

// queued is a packet that waits for Send.
type queued struct {
	bytes []byte
	holds []sentBlock
}

// sentPacket remembers what a packet told of.
type sentPacket struct {
	seq    uint16
	live   bool
	send   uint32
	blocks []sentBlock
}

// sentBlock is the content of a block.
type sentBlock struct {
	first, count uint32
	slots        uint64
	send         uint32 // whose state it was
	chunk        int    // of the join, -1 for none
	own          bool
	hidden       bool
}

// usualBlocks is how many blocks a packet has as a rule: own state and the world.
const usualBlocks = 2

// expectPackets makes room for what packets tell of, so that it need not be made
// when they are sent.
func (p *peer) expectPackets() {
	room := make([]sentBlock, usualBlocks*sentRing)
	for i := range p.sent {
		at := i * usualBlocks
		p.sent[i].blocks = room[at : at : at+usualBlocks]
	}
}

// remember notes what went out under a session sequence.
func (p *peer) remember(seq uint16, send uint32, blocks []sentBlock) {
	x := &p.sent[seq%sentRing]
	x.seq, x.live, x.send = seq, true, send
	x.blocks = append(x.blocks[:0], blocks...)
}

// take returns what a packet told of, once.
func (p *peer) take(seq uint16) *sentPacket {
	x := &p.sent[seq%sentRing]
	if !x.live || x.seq != seq {
		return nil
	}
	x.live = false
	return x
}

// acked notes that the client holds what an acknowledged packet told of.
//
// An acknowledged packet is one that arrived, which is not to say that the
// client could decode it. Where it could not, it asks for another epoch.
func (p *peer) acked(x *sentPacket) {
	for i := range x.blocks {
		b := &x.blocks[i]
		if b.send < p.floor {
			continue // the client may have let go
		}
		held := p.world
		if b.own {
			held = p.own
		}
		for g := b.first; g < b.first+b.count; g++ {
			if b.hidden {
				held[g].ackHidden(b.send, b.slots)
			} else {
				held[g].ack(b.send, b.slots, &p.free)
			}
		}
	}
}

// grow makes room for the groups of the world.
func (p *peer) grow(groups int) {
	for len(p.world) < groups {
		p.world = append(p.world, holding{})
	}
}

// renew begins the epoch that the client asked for, in which it holds nothing yet.
// It is called once a send, however often a client asks, and reports whether it
// did.
func (p *peer) renew(send uint32) bool {
	if p.asked == p.epoch {
		return false
	}
	p.epoch = p.asked
	for i := range p.world {
		p.world[i].forget()
	}
	for i := range p.own {
		p.own[i].forget()
	}
	for i := range p.sent {
		p.sent[i].live = false
	}
	p.joining, p.joinedAt = joinNow, send
	return true
}

// promise settles the oldest send that this and later packets use as baseline,
// so that the client can let go of older ones. While nothing was acknowledged
// it is as old as a baseline may be.
func (p *peer) promise(send uint32) {
	oldest := send
	for i := range p.world {
		if old := p.world[i].oldest(send); old != 0 {
			oldest = min(oldest, old)
		}
	}
	for i := range p.own {
		if old := p.own[i].oldest(send); old != 0 && send-old < ownRing {
			oldest = min(oldest, old)
		}
	}
	if p.joining == joinStream {
		oldest = min(oldest, p.join.send)
	}
	if oldest == send || send-oldest > maxAge-floorMargin {
		oldest = max(send, maxAge) - maxAge
	} else {
		oldest -= min(oldest, floorMargin)
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
