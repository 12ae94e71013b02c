package snapshot

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/baseline"
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
	baselines baseline.Client
	id        uint32
	sight     uint32 // client whose interest decides what this client sees
	own       uint32 // client whose owner state this client receives
	control   control
	peer      Peer
	model     *delta.Model // of the world's blocks
	packets   []Packet
	send      uint32 // of the packets
	logged    bool   // the client's exhausted budget was logged
	join      clientJoin
	owner     ownerState

	started          uint32              // newest send whose snapshot was started
	head             wire.SnapshotHeader // the fields of that snapshot's header that depend on other packages
	tells            bool                // that snapshot contains owner state
	budget           int                 // bytes of a snapshot
	over             bool                // the newest snapshot did not hold everything
	usual            int                 // mean bytes of snapshots while acknowledgements come in time
	acked            uint32              // newest send that the client acknowledged, 0 for none
	soonest          float32             // smallest number of sends until an acknowledgement arrived
	starved          bool                // owner state left no room for anything else; it is omitted at the next send
	ownerAccumulated accumulated         // priorities of owner state

	recorder bool   // the client is a recorder, which is not counted
	view     *view  // what it sees
	held     held   // of its view
	shown    uint32 // newest send whose members it was sent, or is sent in pieces
	lost     bool   // it may keep an entity that is gone: it must join again
}

func newClient(id uint32, p Peer, model *delta.Model, budget int) *Client {
	return &Client{id: id, sight: id, own: id, peer: p, model: model, baselines: *baseline.New(), budget: budget}
}

// touch reads a byte of each cache line of a client, see portionSize. The result has no meaning.
func (c *Client) touch() byte {
	return c.baselines.Touch() ^ byte(c.id) ^ byte(len(c.packets)) ^ byte(c.join.state) ^ byte(len(c.owner.slots)) ^ byte(c.held.whole) ^ byte(c.held.sends[0].send)
}

// touchFurther reads a byte of each cache line of the data to which the client points. The result has no meaning.
func (c *Client) touchFurther(send uint32) (b byte) {
	if cap(c.packets) > 0 {
		if p := &c.packets[:1][0]; cap(p.Bytes) > 0 && cap(p.Holds) > 0 {
			b = p.Bytes[:1][0] ^ byte(p.Holds[:1][0].Slots)
		}
	}
	if len(c.owner.slots) > 0 {
		b ^= byte(c.owner.slots[0].id)
	}
	return b ^ c.baselines.TouchFurther() ^ c.owner.frames.touch(send-1) ^ c.peer.Touch()
}

// Packet is a packet that waits to be sent.
type Packet struct {
	Bytes []byte
	Holds []baseline.Block
}

// Packets returns the packets that wait to be sent to the client.
func (c *Client) Packets() []Packet { return c.packets }

// Sent records that a packet was sent with a session sequence number.
func (c *Client) Sent(seq uint16, p *Packet) { c.baselines.Sent(seq, c.send, p.Holds) }

// Clear removes all packets.
func (c *Client) Clear() { c.packets = c.packets[:0] }

// Ask records the epoch that the client requests.
func (c *Client) Ask(epoch uint8) { c.baselines.Ask(epoch) }

// Baselines returns what the client has acknowledged.
func (c *Client) Baselines() *baseline.Client { return &c.baselines }

// Budget returns the limit of the client's snapshots in bytes. over reports that the newest snapshot did not hold
// everything.
func (c *Client) Budget() (bytes int, over bool) { return c.budget, c.over }

// Joining reports whether the client has not acknowledged the whole state with which it joins.
func (c *Client) Joining() bool { return c.join.state != joinNone }

// InSight is an entity in the sight of a client: its place in frames, and the newest send of which the client acknowledged it, 0
// for none.
type InSight struct {
	ID          uint32
	Group, Slot int
	Held        uint32
}

// InSight returns the entities in sight at a send.
func (c *Client) InSight(send uint32) (all []InSight) {
	for i := range c.view.members {
		if m := &c.view.members[i]; m.in(send) {
			all = append(all, InSight{m.id, int(m.group), int(m.slot), c.held.newestHeld(m)})
		}
	}
	return all
}

// OwnState returns the owner state of a send, nil if it is no longer kept.
func (c *Client) OwnState(send uint32) []delta.Group {
	var f ownerFrame
	c.owner.frames.read(send, &f)
	return f.groups
}
