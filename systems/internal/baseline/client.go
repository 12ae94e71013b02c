package baseline

import "github.com/tactusgo/tactus/systems/internal/wire"

// floorMargin is the number of sends by which the floor stays below the oldest state that a group needs. It leaves room for
// the gaps between the smaller [Ages] and for a second baseline.
const floorMargin = 5

// Client records what one client has acknowledged.
type Client struct {
	World Records // of the world's groups
	Own   Records // of the groups of owner state

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

// TouchFurther reads a byte of each cache line of the data to which the client points. The result has no meaning.
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

// ack records that the client has the content of a block.
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

// NewestSent searches the stored packets for a slot. It returns the newest send whose state of the slot was sent, at least held,
// and the number of unacknowledged packets with a state that is newer than send held.
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

// Note adds the slots of a block that is about to be sent to those that the client was ever sent.
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
	for _, held := range [...]*Records{&c.World, &c.Own} {
		for i := 0; i < held.Len(); i++ {
			held.all[i].forget()
		}
		held.join(0, held.Len())
	}
	c.sent.clear()
	return true
}

// Hide records which slots of a group the client may see from a send on. The group must have a record. same are the slots
// whose entity was in the slot at the previous send too. Hide returns the slots that went out of sight.
func (c *Client) Hide(group, send uint32, visible, same uint64) (gone uint64) {
	if hidden, _ := c.World.At(group).Hidden(); hidden == ^visible {
		return 0
	}
	return c.World.alone(group).hide(send, visible, same, &c.free)
}

// LeaveOut records slots whose entities fit no snapshot. They are left out of the next [LeaveOutFor] sends.
func (c *Client) LeaveOut(group, send uint32, slots uint64) {
	s := c.World.alone(group).apart(&c.free)
	s.big |= slots
	s.bigAt = send
}

// UpdateFloor raises the floor: the oldest send that this and later packets use as a baseline. The client can remove older
// states. While nothing is acknowledged, the floor is [MaxAge] sends old. It stays at or below streams, the send whose
// state is being sent to a joining client.
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

// A send reads 1/walkedShare of all records, but at least walked, to find the oldest baseline.
const (
	walked      = 64
	walkedShare = 8
)

// lowest finds the oldest send that is the newest one of some group that the client has. If there are many records, it reads
// them over several sends. The result may then be too old, but never too young: the newest send of a group only increases,
// and the client has nothing of a new record.
type lowest struct {
	at    uint32 // the next group to read
	soFar uint32 // result for the groups before it; 0: none
	last  uint32 // result of the latest complete pass
}

// walk reads some records and returns the result of the latest complete pass, 0 if the client had nothing.
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
