package baseline

import "github.com/tactusgo/tactus/systems/internal/wire"

// floorMargin is the number of sends by which the floor stays below the oldest state that a group needs. It leaves room for
// the gaps between the smaller [Ages] and for a second baseline.
const floorMargin = 5

// Client records what one client has acknowledged.
type Client struct {
	Own Records // of the groups of owner state

	floor uint32 // oldest send that may be a baseline
	epoch uint8
	asked uint8 // epoch that the client requested last
	sent  packets
	free  freeSlots
}

// Touch reads a byte of each cache line of the client, so that they are in the cache when an acknowledgement or a send
// needs them. The result has no meaning.
func (c *Client) Touch() byte { return c.asked ^ byte(c.sent.n) ^ byte(len(c.free)) }

// TouchFurther reads a byte of each cache line of the data to which the client points. The result has no meaning.
func (c *Client) TouchFurther() (b byte) {
	if len(c.Own.all) > 0 {
		b ^= byte(c.Own.all[0].first)
	}
	if p := &c.sent; len(p.ring) > 0 {
		oldest, next := p.nth(0), p.nth(p.n)
		b ^= byte(oldest.Send) ^ byte(next.Send)
	}
	return b
}

// New returns the record of a client to which nothing was sent.
func New() *Client { return &Client{} }

// Sent records the blocks of a packet with session sequence number seq.
func (c *Client) Sent(seq uint16, send uint32, blocks []Block) {
	c.sent.put(seq, send, c.floor, blocks)
}

// Acked records that the client has the content of packet seq, and returns that content. It returns nil if the content is no
// longer stored or was acknowledged before. The result is valid until the next Sent.
//
// An acknowledged packet has arrived, but the client may have been unable to decode it. The client then requests another
// epoch.
func (c *Client) Acked(seq uint16) *Packet {
	x := c.sent.acknowledge(seq)
	if x == nil {
		return nil
	}
	for i := range x.Blocks {
		b := &x.Blocks[i]
		if b.Own && b.Send >= c.floor { // the client may have removed an older one
			c.ack(b)
		}
	}
	return x
}

// ack records that the client has the content of a block.
func (c *Client) ack(b *Block) {
	held := &c.Own
	from, to := held.within(b.First, uint32(b.Count))
	for i := from; i < to; i++ {
		if b.Slots != wire.AllSlots {
			to += held.apart(i) - 1
		}
		held.all[i].Group.ack(b.Send, b.Slots, &c.free)
	}
	held.join(from, to)
}

// NewestSent searches the stored packets for a slot of owner state. It returns the newest send whose state of the slot was sent, at
// least held.
func (c *Client) NewestSent(group uint32, slot int, held uint32) (newest uint32) {
	newest = held
	for i := range c.sent.n {
		x := c.sent.nth(i)
		for i := range x.Blocks {
			if b := &x.Blocks[i]; b.Own && group-b.First < uint32(b.Count) && b.Slots&(1<<slot) != 0 {
				newest = max(newest, b.Send)
				break
			}
		}
	}
	return newest
}

// Ask records the epoch that the client requests.
func (c *Client) Ask(epoch uint8) { c.asked = epoch }

// Asked returns the epoch that the client requested last.
func (c *Client) Asked() uint8 { return c.asked }

// Epoch returns the current epoch.
func (c *Client) Epoch() uint8 { return c.epoch }

// Floor returns the oldest send that may be a baseline.
func (c *Client) Floor() uint32 { return c.floor }

// StartEpoch starts the epoch that the client requested, if it requested one. In a new epoch the client has nothing. Call
// StartEpoch once per send. It reports whether an epoch started.
func (c *Client) StartEpoch() bool {
	if c.asked == c.epoch {
		return false
	}
	c.epoch = c.asked
	for i := 0; i < c.Own.Len(); i++ {
		c.Own.all[i].forget()
	}
	c.Own.join(0, c.Own.Len())
	c.sent.clear()
	return true
}

// UpdateFloor raises the floor: the oldest send that this and later packets use as a baseline. The client can remove older
// states. world is the oldest send that the view needs, and streams the send whose state is being sent to a joining client, or with
// which the client joined. While nothing is acknowledged, the floor is [MaxAge] sends old.
func (c *Client) UpdateFloor(send, world, streams uint32) {
	oldest := min(send, world)
	for i := range c.Own.all {
		if old := c.Own.all[i].oldest(send); old != 0 && send-old < OwnKept {
			oldest = min(oldest, old)
		}
	}
	if oldest == send || send-oldest > MaxAge-floorMargin {
		oldest = max(send, MaxAge) - MaxAge
	} else {
		oldest -= min(oldest, floorMargin)
	}
	c.floor = max(c.floor, min(oldest, streams))
}
