package baseline

import (
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// sentKept is how many packets to a client are remembered until they are acknowledged.
const sentKept = 512

// usualBlocks is how many blocks a packet has as a rule: own state and the world.
const usualBlocks = 2

// floorMargin is how many sends older than the newest acknowledged one a baseline
// may be: what the gaps between the young ages ask for, and a predecessor.
const floorMargin = 5

// Client is what one client has acknowledged.
type Client struct {
	World []Group // of the world's groups
	Own   []Group // and of its own entities'

	sent  inflight.Ring[Packet]
	free  freeSlots
	epoch uint8
	asked uint8  // epoch that the client asked for last
	floor uint32 // no baseline before this send is used any more
}

// New makes what is known of a client to which nothing was sent.
func New() *Client {
	c := &Client{sent: inflight.New[Packet](sentKept)}
	room := make([]Block, usualBlocks*sentKept)
	for x := range c.sent.All {
		x.Blocks, room = room[:0:usualBlocks], room[usualBlocks:]
	}
	return c
}

// Packet is what a packet told of.
type Packet struct {
	Send   uint32 // of its header
	Blocks []Block
}

// Block is which slots a block of a packet told of.
type Block struct {
	First, Count uint32
	Slots        uint64
	Send         uint32 // whose state it is
	Chunk        int    // of the join, -1 for none
	Own          bool
	Hidden       bool // it tells that the slots are out of sight
}

// Sent notes what went out under a session sequence.
func (c *Client) Sent(seq uint16, send uint32, blocks []Block) {
	x := c.sent.Put(seq)
	x.Send = send
	x.Blocks = append(x.Blocks[:0], blocks...)
}

// Acked notes that the client holds what packet seq told of, and returns that; nil where it
// is not remembered, or was acknowledged before.
//
// An acknowledged packet is one that arrived, which is not to say that the
// client could decode it. Where it could not, it asks for another epoch.
func (c *Client) Acked(seq uint16) *Packet {
	x := c.sent.Take(seq)
	if x == nil {
		return nil
	}
	for i := range x.Blocks {
		b := &x.Blocks[i]
		if b.Send < c.floor {
			continue // the client may have let go
		}
		held := c.World
		if b.Own {
			held = c.Own
		}
		for g := b.First; g < b.First+b.Count; g++ {
			if b.Hidden {
				held[g].ackHidden(b.Send, b.Slots)
			} else {
				held[g].ack(b.Send, b.Slots, &c.free)
			}
		}
	}
	return x
}

// Told finds a slot in the packets that are remembered: the newest send of which one
// told of it, and how many are newer than held and not acknowledged.
func (c *Client) Told(group uint32, slot int, own bool, held uint32) (newest uint32, open int) {
	for x, inFlight := range c.sent.All {
		for i := range x.Blocks {
			b := &x.Blocks[i]
			if b.Own == own && !b.Hidden && group-b.First < b.Count && b.Slots&(1<<slot) != 0 {
				newest = max(newest, b.Send)
				if inFlight && b.Send > held {
					open++
				}
				break
			}
		}
	}
	return newest, open
}

// Note notes slots of groups that are about to be sent.
func (c *Client) Note(b *Block) {
	if b.Own || b.Hidden {
		return
	}
	for g := b.First; g < b.First+b.Count; g++ {
		c.World[g].everSent |= b.Slots
	}
}

// HoldsAll reports whether the client holds all slots of so many groups of a send.
func (c *Client) HoldsAll(send uint32, groups int) bool {
	for g := range groups {
		if c.World[g].Holds(send) != wire.AllSlots {
			return false
		}
	}
	return true
}

// Hides reports whether there are slots that the client may not see.
func (c *Client) Hides() bool {
	for g := range c.World {
		if hidden, _ := c.World[g].Hidden(); hidden != 0 {
			return true
		}
	}
	return false
}

// Grow makes room for the groups of the world.
func (c *Client) Grow(groups int) {
	for len(c.World) < groups {
		c.World = append(c.World, Group{})
	}
}

// GrowOwn makes room for the groups of own state.
func (c *Client) GrowOwn(groups int) {
	for len(c.Own) < groups {
		c.Own = append(c.Own, Group{})
	}
}

// Ask notes the epoch that the client asks for.
func (c *Client) Ask(epoch uint8) { c.asked = epoch }

// Asked is the epoch that the client asked for last.
func (c *Client) Asked() uint8 { return c.asked }

// Epoch is the epoch at hand.
func (c *Client) Epoch() uint8 { return c.epoch }

// Floor is the send before which no baseline is used any more.
func (c *Client) Floor() uint32 { return c.floor }

// Renew begins the epoch that the client asked for, in which it holds nothing yet.
// It is called once a send, however often a client asks, and reports whether it
// did.
func (c *Client) Renew() bool {
	if c.asked == c.epoch {
		return false
	}
	c.epoch = c.asked
	for i := range c.World {
		c.World[i].forget()
	}
	for i := range c.Own {
		c.Own[i].forget()
	}
	c.sent.Clear()
	return true
}

// Hide brings a group up to date with what the client may see from send on; same are the
// slots in which the entity was there a send before. It returns the slots that went out of
// sight.
func (c *Client) Hide(group int, send uint32, visible, same uint64) (gone uint64) {
	return c.World[group].hide(send, visible, same, &c.free)
}

// LeaveOut notes slots of which no snapshot has room for the entities: for a while they count
// among those to be hidden.
func (c *Client) LeaveOut(group int, send uint32, slots uint64) {
	s := c.World[group].apart(&c.free)
	s.big |= slots
	s.bigAt = send
}

// Promise settles the oldest send that this and later packets use as baseline,
// so that the client can let go of older ones. While nothing was acknowledged
// it is as old as a baseline may be. No send from streams on is given up, whose state
// is on its way.
func (c *Client) Promise(send, streams uint32) {
	oldest := min(send, streams)
	for i := range c.World {
		if old := c.World[i].oldest(send); old != 0 {
			oldest = min(oldest, old)
		}
	}
	for i := range c.Own {
		if old := c.Own[i].oldest(send); old != 0 && send-old < OwnKept {
			oldest = min(oldest, old)
		}
	}
	if oldest == send || send-oldest > MaxAge-floorMargin {
		oldest = max(send, MaxAge) - MaxAge
	} else {
		oldest -= min(oldest, floorMargin)
	}
	c.floor = max(c.floor, oldest)
}
