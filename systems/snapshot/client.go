package snapshot

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Peer provides the data of a client that other packages manage.
type Peer interface {
	// Ack returns the last consumed input, the number of waiting inputs, and the shift
	// that is requested of the client's clock.
	Ack() (input uint32, depth uint8, shift int16)
	// Report returns what the client reported; nil: owner state is always sent.
	Report() *report.Client
	// Touch reads a byte of each cache line that the other methods need, see portionSize.
	Touch() byte
	// Own returns the value of a component of one of its entities for owner state.
	Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer
	// Allowance returns the number of bytes that the path to the client can carry now.
	Allowance(now time.Time) int
	// RoundTrip returns an upper estimate of the round trip, 0 while it is unknown.
	RoundTrip() time.Duration
}

// Client is one receiver of snapshots.
type Client struct {
	id      uint32
	sight   uint32 // client whose interest decides what this client sees
	own     uint32 // client whose owner state this client receives
	control control
	peer    Peer
	model   *delta.Model // of the world's blocks
	packets []Packet
	sent    inflight.Ring[contents]
	floor   uint32 // oldest send that may be a baseline
	epoch   uint8
	asked   uint8 // epoch that the client requested last
	logged  bool  // the client's exhausted budget was logged
	join    clientJoin
	private private

	started uint32              // newest send whose snapshot was started
	head    wire.SnapshotHeader // the fields of that snapshot's header that depend on other packages
	tells   bool                // that snapshot contains owner state
	budget  int                 // bytes of a snapshot
	pace    pacing
	over    bool    // the newest snapshot did not hold everything
	usual   int     // mean bytes of snapshots while acknowledgements come in time
	acked   uint32  // number of the newest send that the client acknowledged, 0 for none
	soonest float32 // smallest number of sends, skipped ones included, until an acknowledgement arrived
	starved bool    // owner state left no room for anything else; it is omitted at the next send

	recent   recent // its newest snapshots
	recorder bool   // the client is a recorder, which is not counted
	view     *view  // what it sees
	held     held   // of its view
	shown    uint32 // newest send whose members it was sent, or is sent in pieces
}

// contents is what a packet contains.
type contents struct {
	send   uint32  // of the header
	view   bool    // members of the view at that send
	own    bool    // owner state
	kept   uint32  // send of the kept state to which pieces belong
	pieces []int32 // numbers of its pieces
}

// fewPackets and mostPackets limit the number of packets in flight whose contents are stored.
const (
	fewPackets  = 32
	mostPackets = 2048
)

func newClient(id uint32, p Peer, model *delta.Model, budget, kept int) *Client {
	c := &Client{id: id, sight: id, own: id, peer: p, model: model, sent: inflight.New[contents](fewPackets), budget: budget, pace: pacing{skip: 1, wait: 1}}
	c.held.sends = make([]sentSend, kept)
	c.private.held.sends = make([]sentSend, wire.OwnKept)
	c.held.recent, c.private.held.recent = &c.recent, &c.recent
	return c
}

// touch reads a byte of each cache line of a client, see portionSize. The result has no meaning.
func (c *Client) touch() byte {
	return byte(c.id) ^ byte(len(c.packets)) ^ byte(c.join.state) ^ byte(c.held.whole) ^ byte(len(c.private.view.members))
}

// touchFurther reads a byte of each cache line of the data to which the client points. The result has no meaning.
func (c *Client) touchFurther(send uint32) (b byte) {
	if cap(c.packets) > 0 {
		if p := &c.packets[:1][0]; cap(p.Bytes) > 0 {
			b = p.Bytes[:1][0]
		}
	}
	if m := c.private.view.members; len(m) > 0 {
		b ^= byte(m[0].id)
	}
	return b ^ byte(c.held.place(send).send) ^ byte(c.private.held.place(send).send) ^ c.private.frames.touch(send-1) ^ c.peer.Touch()
}

// Packet is a packet that waits to be sent.
type Packet struct {
	Bytes []byte
	contents
}

// Packets returns the packets that wait to be sent to the client.
func (c *Client) Packets() []Packet { return c.packets }

// Sent records that a packet was sent with a session sequence number.
func (c *Client) Sent(seq uint16, p *Packet) {
	c.sent.Reserve(seq, mostPackets, func(x *contents) bool { return x.send >= c.floor })
	x := c.sent.Put(seq)
	pieces := append(x.pieces[:0], p.pieces...)
	*x = p.contents
	x.pieces = pieces
}

// Clear removes all packets.
func (c *Client) Clear() { c.packets = c.packets[:0] }

// Ask records the epoch that the client requests, and the least number of times of sends from one of its snapshots to the next (0:
// any).
func (c *Client) Ask(epoch, every uint8) { c.asked, c.pace.asked = epoch, uint32(every) }

// Epoch returns the current epoch.
func (c *Client) Epoch() uint8 { return c.epoch }

// startEpoch starts the epoch that the client requested, if it requested one, because it could not decode a packet. In a new epoch the
// client holds nothing.
func (c *Client) startEpoch() bool {
	if c.asked == c.epoch {
		return false
	}
	c.epoch = c.asked
	c.private.held.forget()
	return true
}

// floorMargin is the number of sends by which the floor stays below the oldest needed baseline. It leaves room for the gaps between the
// smaller [ages] and for a second baseline.
const floorMargin = 5

// updateFloor raises the floor: the oldest send that this and later packets use as a baseline. The client can remove older states.
// While nothing is acknowledged, the floor is maxAge sends old.
func (c *Client) updateFloor(send, maxAge uint32) {
	oldest := c.held.oldestNeeded(send)
	if own := c.private.held.oldestNeeded(send); send-own < wire.OwnKept {
		oldest = min(oldest, own)
	}
	if oldest == send || send-oldest > maxAge-floorMargin {
		oldest = max(send, maxAge) - maxAge
	} else {
		oldest -= min(oldest, floorMargin)
	}
	if c.join.stream != nil {
		oldest = min(oldest, c.join.stream.kept.send)
	}
	c.floor = max(c.floor, oldest)
}

// Budget returns the limit of the client's snapshots in bytes. over reports that the newest snapshot did not hold
// everything.
func (c *Client) Budget() (bytes int, over bool) { return c.budget, c.over }

// Joining reports whether the client has not acknowledged the whole state with which it joins.
func (c *Client) Joining() bool { return c.join.state != joinNone }
