package snapshot

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/report"
)

// Peer is what a snapshot says of a client that other rooms know.
type Peer interface {
	// Ack is what became of its inputs: the last one consumed, how many wait, and the shift
	// of its clock that is asked for.
	Ack() (input uint32, depth uint8, shift int16)
	// Report is what its reports came to; nil: own state always travels.
	Report() *report.Client
	// Touch reads what the other methods need, see [Client.touch].
	Touch() byte
	// Own is where a component of an entity of its is, as its own state tells it.
	Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer
	// Allowance is how many bytes its path takes now.
	Allowance(now time.Time) int
	// RoundTrip is how long the way there and back takes at most, 0 while that is not known.
	RoundTrip() time.Duration
}

// Client is what is told to one client.
type Client struct {
	baselines baseline.Client
	id        uint32
	control   control
	peer      Peer
	model     *delta.Model // of the world's blocks
	packets   []Packet
	send      uint32 // whose they are
	logged    bool   // that its budget does not hold everything
	join      clientJoin
	owner     ownerState

	budget           int         // bytes of a snapshot
	over             bool        // the newest snapshot did not hold everything
	starved          bool        // owner state left no room for anything else; it is omitted at the next send
	leftOut          bool        // an entity was left out because it fits no snapshot
	accumulated      accumulated // priorities of the world
	ownerAccumulated accumulated // priorities of owner state

	sight        sight
	movesChecked uint32 // no old slot of an entity that moved up to this send is withheld
}

func newClient(id uint32, p Peer, model *delta.Model, budget int) *Client {
	return &Client{id: id, peer: p, model: model, baselines: *baseline.New(), budget: budget}
}

// touch reads a byte of each cache line of a client. What it returns means nothing.
func (c *Client) touch() byte {
	return c.baselines.Touch() ^ byte(c.id) ^ byte(len(c.packets)) ^ byte(c.join.state) ^ byte(len(c.owner.slots)) ^ c.owner.tries ^
		byte(len(c.accumulated.slots)) ^ byte(len(c.sight.Seen))
}

// touchFurther does so for what that leads to.
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
	Holds []baseline.Block // what it tells of
}

// Packets are what waits to be sent to the client.
func (c *Client) Packets() []Packet { return c.packets }

// Sent notes that a packet went out under a session sequence.
func (c *Client) Sent(seq uint16, p *Packet) { c.baselines.Sent(seq, c.send, p.Holds) }

// Clear takes away what was sent, or could not be.
func (c *Client) Clear() { c.packets = c.packets[:0] }

// Ask notes the epoch that the client asks for.
func (c *Client) Ask(epoch uint8) { c.baselines.Ask(epoch) }

// Baselines is what the client has acknowledged.
func (c *Client) Baselines() *baseline.Client { return &c.baselines }

// Budget bounds the client's snapshots in bytes, and over says that the newest did not hold
// all there was to tell.
func (c *Client) Budget() (bytes int, over bool) { return c.budget, c.over }

// Joining reports whether the client has yet to acknowledge the state it joins with.
func (c *Client) Joining() bool { return c.join.state != joinNone }

// endOver notes that a snapshot holds everything.
func (c *Client) endOver() {
	if c.over {
		c.over = false
		c.accumulated.clearSlots()
	}
}

// joined notes that the client holds the state with which it joins.
func (c *Client) joined() {
	c.join.state, c.join.whole = joinNone, nil
	c.baselines.Joined()
}

// OwnState returns the client's own entities at full precision as of a send, nil where that
// is no longer kept.
func (c *Client) OwnState(send uint32) []delta.Group {
	var f ownerFrame
	c.owner.frames.read(send, &f)
	return f.groups
}
