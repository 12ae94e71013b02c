package baseline

import "github.com/tactusgo/tactus/systems/internal/wire"

// floorMargin is how many sends older than the newest acknowledged one a baseline
// may be: what the gaps between the young ages ask for, and a predecessor.
const floorMargin = 5

// Client is what one client has acknowledged.
type Client struct {
	World Records // of the world's groups
	Own   Records // and of its own entities'

	floor  uint32 // oldest send that may be a baseline
	epoch  uint8
	asked  uint8 // epoch that the client requested last
	lowest lowest
	sent   packets
	free   freeSlots
}

// Touch reads a byte of each cache line of the client, so that they are in the cache when an acknowledgement or a send
// needs them. The result has no meaning.
func (c *Client) Touch() byte { return c.asked ^ byte(c.sent.n) ^ byte(len(c.free)) }

// TouchFurther does the same for the data to which the client points.
func (c *Client) TouchFurther() (b byte) {
	for _, held := range [...]*Records{&c.World, &c.Own} {
		if len(held.all) > 0 {
			x := &held.all[0]
			b ^= byte(x.first) ^ byte(x.everSent)
		}
	}
	if p := &c.sent; len(p.ring) > 0 {
		oldest, next := p.nth(0), p.nth(p.n)
		b ^= byte(oldest.Send) ^ byte(next.Send)
	}
	return b
}

// New returns the record of a client to which nothing was sent.
func New() *Client { return &Client{} }

// Sent notes what was sent with a session sequence.
func (c *Client) Sent(seq uint16, send uint32, blocks []Block) {
	c.sent.put(seq, send, c.floor, blocks)
}

// Acked notes that the client holds the content of packet seq, and returns that content: nil if it
// is no longer stored, or was acknowledged before. The result is valid until the next Sent.
//
// An acknowledged packet has arrived, but the client may have been unable to decode
// it. In that case the client requests another epoch.
func (c *Client) Acked(seq uint16) *Packet {
	x := c.sent.acknowledge(seq)
	if x == nil {
		return nil
	}
	for i := range x.Blocks {
		b := &x.Blocks[i]
		if b.Set || b.Send < c.floor { // the client may have removed it
			continue
		}
		held := &c.World
		if b.Own {
			held = &c.Own
		}
		c.ack(held, b)
	}
	return x
}

// ack notes that the client holds the content of a block.
func (c *Client) ack(held *Records, b *Block) {
	from, to := held.within(b.First, uint32(b.Count))
	for i := from; i < to; i++ {
		if b.Slots != wire.AllSlots {
			to += held.apart(i) - 1
		}
		if h := &held.all[i].Group; b.Hidden {
			h.ackHidden(b.Send, b.Slots)
		} else {
			h.ack(b.Send, b.Slots, &c.free)
		}
	}
	held.join(from, to)
}

// NewestSent searches the stored packets for a slot. It returns the newest send whose state of the slot was sent, and the
// number of packets with states that are newer than held and not acknowledged.
func (c *Client) NewestSent(group uint32, slot int, own bool, held uint32) (newest uint32, open int) {
	newest = held
	for i := range c.sent.n {
		x := c.sent.nth(i)
		for i := range x.Blocks {
			b := &x.Blocks[i]
			if b.Own == own && !b.Hidden && group-b.First < uint32(b.Count) && b.Slots&(1<<slot) != 0 {
				newest = max(newest, b.Send)
				if x.open && b.Send > held {
					open++
				}
				break
			}
		}
	}
	return newest, open
}

// SentState searches the stored packets of a send for a slot of the world. It returns the send whose state of the slot
// they contain, 0 for none.
func (c *Client) SentState(send, group uint32, slot int) (state uint32) {
	for i := range c.sent.n {
		x := c.sent.nth(i)
		for i := range x.Blocks {
			if b := &x.Blocks[i]; x.Send == send && !b.Own && !b.Hidden && group-b.First < uint32(b.Count) && b.Slots&(1<<slot) != 0 {
				state = max(state, b.Send)
			}
		}
	}
	return state
}

// Note notes the slots of a block that is about to be sent.
func (c *Client) Note(b *Block) {
	if b.Own || b.Hidden || b.Set {
		return
	}
	end := b.First + uint32(b.Count)
	for i := c.World.find(b.First); i < c.World.Len() && c.World.all[i].first < end; i++ {
		if c.World.all[i].everSent|b.Slots != c.World.all[i].everSent { // as a rule it is
			from, to := c.World.within(b.First, uint32(b.Count))
			for i := from; i < to; i++ {
				c.World.all[i].everSent |= b.Slots
			}
			c.World.join(from, to)
			return
		}
	}
}

// Hides reports whether there are slots that the client may not see.
func (c *Client) Hides() bool {
	for i := range c.World.all {
		if hidden, _ := c.World.all[i].Hidden(); hidden != 0 {
			return true
		}
	}
	return false
}

// Ask notes the epoch that the client requests.
func (c *Client) Ask(epoch uint8) { c.asked = epoch }

// Asked returns the epoch that the client requested last.
func (c *Client) Asked() uint8 { return c.asked }

// Epoch returns the current epoch.
func (c *Client) Epoch() uint8 { return c.epoch }

// Floor returns the oldest send that may be a baseline.
func (c *Client) Floor() uint32 { return c.floor }

// StartEpoch starts the epoch that the client requested, in which it holds nothing yet.
// Call it once a send, however often a client requests one. It reports whether an epoch
// started.
func (c *Client) StartEpoch() bool {
	if c.asked == c.epoch {
		return false
	}
	c.epoch = c.asked
	for _, held := range [...]*Records{&c.World, &c.Own} {
		for i := 0; i < held.Len(); i++ {
			held.all[i].forget()
		}
		held.join(0, held.Len())
	}
	c.sent.clear()
	return true
}

// Hide notes which slots of a group with a record the client may see from a send on. same are
// the slots whose entity was there a send before. It returns the slots that went out of
// sight.
func (c *Client) Hide(group, send uint32, visible, same uint64) (gone uint64) {
	if hidden, _ := c.World.At(group).Hidden(); hidden == ^visible {
		return 0
	}
	return c.World.alone(group).hide(send, visible, same, &c.free)
}

// LeaveOut notes slots whose entities fit no snapshot. For a while they are treated as
// hidden.
func (c *Client) LeaveOut(group, send uint32, slots uint64) {
	s := c.World.alone(group).apart(&c.free)
	s.big |= slots
	s.bigAt = send
}

// UpdateFloor raises the oldest send that this and later packets use as a baseline,
// so that the client can remove older states. While nothing is acknowledged
// it is as old as a baseline may be. It stays at or below streams, the send whose state streams
// to a joining client.
func (c *Client) UpdateFloor(send, streams uint32) {
	oldest := min(send, streams)
	if old := c.lowest.walk(&c.World, send); old != 0 {
		oldest = min(oldest, old)
	}
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
	c.floor = max(c.floor, oldest)
}

// walked is the least number of records that a send reads to find the oldest baseline, and walkedShare the part of all
// records that it reads.
const (
	walked      = 64
	walkedShare = 8
)

// lowest is the oldest of the newest sends that a client holds of its groups. Many records are read over several
// sends. The result is then too old rather than too young: a group only ever holds newer sends, and a new record holds
// nothing.
type lowest struct {
	at    uint32 // number of the group that comes next
	soFar uint32 // of those before it; 0: none holds anything
	last  uint32 // of all of them, as they were found last
}

// walk reads some records and returns the oldest send known so far; 0 if no group holds anything.
func (l *lowest) walk(r *Records, send uint32) uint32 {
	i := r.find(l.at)
	to := min(i+max(walked, r.Len()/walkedShare), r.Len())
	for ; i < to; i++ {
		if old := r.all[i].oldest(send); old != 0 && (l.soFar == 0 || old < l.soFar) {
			l.soFar = old
		}
		l.at = r.all[i].end()
	}
	if i == r.Len() {
		l.at, l.soFar, l.last = 0, 0, l.soFar
	}
	return l.last
}
