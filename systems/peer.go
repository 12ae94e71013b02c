package systems

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
)

// sentRing is how many packets to a client are remembered until they are
// acknowledged.
const sentRing = 512

// peer is what the server knows of one client.
type peer struct {
	id        uint32
	session   netsys.Session
	loss      clock.Loss
	inputs    *inputBuffer
	logged    logged // what was logged of it
	limits    peerLimits
	liveness  liveness
	apply     peerApply
	relayed   peerRelayed
	changes   peerChanges // of client-owned components
	notices   notices
	judge     *judge // nil: own state always travels
	snap      peerSnapshot
	own       peerOwn
	contest   peerContest
	join      peerJoin
	baselines peerBaselines // last: it is large
}

// peerLimits is what a client may make the server do.
type peerLimits struct {
	inputs    inputLimit
	flooded   uint64 // messages that were not read
	messages  int    // read in this wake-up
	heard     int    // likewise, of channels
	malformed int    // in all
}

// liveness is whether a client hears us.
type liveness struct {
	unacked bool          // something was sent since the last acknowledgement
	silence time.Duration // for which that has been so
	deaf    bool          // too long
}

// peerApply is the input at hand.
type peerApply struct {
	arrival   arrivalBuffer
	lastInput []byte // the input stepped last, as the component's bytes
}

// peerRelayed is what a player's earlier sessions have counted.
type peerRelayed struct {
	counted relay.Inputs
	rewrote uint64
}

// peerSnapshot is the snapshot of this tick.
type peerSnapshot struct {
	model *delta.Model // of the world's blocks
	told  told
	queue []queued // packets, handed to the session by Send
	send  uint32   // whose they are
}

// peerOwn is what travels to the owner alone.
type peerOwn struct {
	slots  []ownSlot
	frames [ownRing]ownFrame
}

// peerContest is who goes first where there is no room for all.
type peerContest struct {
	budget          int // bytes of a snapshot
	over            bool
	starved         bool          // own state left no room for anything else: it is left out next
	big             bool          // an entity was left out because no snapshot has room for it
	accruedPriority [][64]float32 // what entities have gained in the competition for room
	ownAccrued      [][64]float32
}

// peerJoin is the state with which a client joins.
type peerJoin struct {
	state  joining
	at     uint32 // send in which it began
	stream *join  // while it streams
	send   uint32 // newest send that the client was to join with
}

// peerBaselines is what a client has acknowledged.
type peerBaselines struct {
	world []baselineGroup // of the world's groups
	own   []baselineGroup // and of its own entities'
	free  freeSlots
	epoch uint8  // see the messages
	asked uint8  // epoch that the client asked for last
	floor uint32 // no baseline before this send is used any more
	sent  [sentRing]sentPacket
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
	for i := range p.baselines.sent {
		at := i * usualBlocks
		p.baselines.sent[i].blocks = room[at : at : at+usualBlocks]
	}
}

// remember notes what went out under a session sequence.
func (p *peer) remember(seq uint16, send uint32, blocks []sentBlock) {
	x := &p.baselines.sent[seq%sentRing]
	x.seq, x.live, x.send = seq, true, send
	x.blocks = append(x.blocks[:0], blocks...)
}

// take returns what a packet told of, once.
func (p *peer) take(seq uint16) *sentPacket {
	x := &p.baselines.sent[seq%sentRing]
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
		if b.send < p.baselines.floor {
			continue // the client may have let go
		}
		held := p.baselines.world
		if b.own {
			held = p.baselines.own
		}
		for g := b.first; g < b.first+b.count; g++ {
			if b.hidden {
				held[g].ackHidden(b.send, b.slots)
			} else {
				held[g].ack(b.send, b.slots, &p.baselines.free)
			}
		}
	}
}

// grow makes room for the groups of the world.
func (p *peer) grow(groups int) {
	for len(p.baselines.world) < groups {
		p.baselines.world = append(p.baselines.world, baselineGroup{})
	}
}

// renew begins the epoch that the client asked for, in which it holds nothing yet.
// It is called once a send, however often a client asks, and reports whether it
// did.
func (p *peer) renew(send uint32) bool {
	if p.baselines.asked == p.baselines.epoch {
		return false
	}
	p.baselines.epoch = p.baselines.asked
	for i := range p.baselines.world {
		p.baselines.world[i].forget()
	}
	for i := range p.baselines.own {
		p.baselines.own[i].forget()
	}
	for i := range p.baselines.sent {
		p.baselines.sent[i].live = false
	}
	p.join.state, p.join.at = joinNow, send
	return true
}

// promise settles the oldest send that this and later packets use as baseline,
// so that the client can let go of older ones. While nothing was acknowledged
// it is as old as a baseline may be.
func (p *peer) promise(send uint32) {
	oldest := send
	for i := range p.baselines.world {
		if old := p.baselines.world[i].oldest(send); old != 0 {
			oldest = min(oldest, old)
		}
	}
	for i := range p.baselines.own {
		if old := p.baselines.own[i].oldest(send); old != 0 && send-old < ownRing {
			oldest = min(oldest, old)
		}
	}
	if p.join.state == joinStream {
		oldest = min(oldest, p.join.stream.send)
	}
	if oldest == send || send-oldest > maxAge-floorMargin {
		oldest = max(send, maxAge) - maxAge
	} else {
		oldest -= min(oldest, floorMargin)
	}
	p.baselines.floor = max(p.baselines.floor, oldest)
}

// newestInput is where the input stepped last is kept.
func (p *peer) newestInput() unsafe.Pointer {
	if len(p.apply.lastInput) == 0 {
		return nil
	}
	return unsafe.Pointer(&p.apply.lastInput[0])
}
