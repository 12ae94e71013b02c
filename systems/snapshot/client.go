package snapshot

import (
	"slices"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
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
	own       ownState
	contest   clientContest
	sight     sight
	settled   uint32 // send up to which no move of an entity keeps the client from being told of its old slot
}

// sight is what a client may know of.
type sight struct {
	interest.Client
	on   bool // there is something that clients may not know
	view view
}

func newClient(id uint32, p Peer, model *delta.Model, budget int) *Client {
	c := &Client{id: id, peer: p, model: model, baselines: *baseline.New()}
	c.contest.budget = budget
	return c
}

// touch reads a byte of each cache line of a client. What it returns means nothing.
func (c *Client) touch() byte {
	return c.baselines.Touch() ^ byte(c.id) ^ byte(len(c.packets)) ^ byte(c.join.state) ^ byte(len(c.own.slots)) ^ c.own.tries ^
		byte(len(c.contest.world)) ^ byte(len(c.sight.Seen))
}

// touchFurther does so for what that leads to.
func (c *Client) touchFurther(send uint32) (b byte) {
	if cap(c.packets) > 0 {
		if p := &c.packets[:1][0]; cap(p.Bytes) > 0 && cap(p.Holds) > 0 {
			b = p.Bytes[:1][0] ^ byte(p.Holds[:1][0].Slots)
		}
	}
	if len(c.own.slots) > 0 {
		b ^= byte(c.own.slots[0].id)
	}
	return b ^ c.baselines.TouchFurther() ^ c.own.frames.touch(send-1) ^ c.peer.Touch()
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
func (c *Client) Budget() (bytes int, over bool) { return c.contest.budget, c.contest.over }

// Joining reports whether the client has yet to acknowledge the state it joins with.
func (c *Client) Joining() bool { return c.join.state != joinNone }

// joined notes that the client holds the state with which it joins.
func (c *Client) joined() {
	c.join.state, c.join.whole = joinNone, nil
	c.baselines.Joined()
}

// OwnState returns the client's own entities at full precision as of a send, nil where that
// is no longer kept.
func (c *Client) OwnState(send uint32) []delta.Group {
	var f ownFrame
	c.own.frames.read(send, &f)
	return f.groups
}

// allowed is how many bytes a snapshot may have now: what the path takes in the estimate of
// the session, within the budget. An entity that needs more waits until that has grown.
func (c *Client) allowed(now time.Time) int {
	return min(c.contest.budget, max(c.peer.Allowance(now), MinBudget))
}

// controlEvery is after how many sends a header has its control part at the latest.
const controlEvery = 4

// control is what the last control part of a header said, as far as changes call for
// another one.
type control struct {
	any   bool
	epoch uint8
	depth uint8
	shift int16
}

// laterHeader is the longest header that a datagram may have which is not the first,
// without what joining adds.
func (s *System) laterHeader() int {
	if s.config.Reports != nil {
		return 5 + 1 + 1
	}
	return 5 + 1
}

// header is what the snapshot of a client begins with.
func (s *System) header(c *Client, f *capture.Frame) wire.SnapshotHeader {
	input, depth, shift := c.peer.Ack()
	h := wire.SnapshotHeader{
		Send:  uint16(f.Send),
		Input: uint16(input),
		Epoch: c.baselines.Epoch(),
		Depth: depth,
		Shift: shift,
		Floor: uint8(min(f.Send-c.baselines.Floor(), 255)),
		Late:  uint8(f.Tick - f.Send*s.sends.steps),
	}
	c.peer.Report().Header(&h)
	change := int(h.Depth) - int(c.control.depth)
	h.Control = !c.control.any || c.join.state != joinNone || (f.Send+c.id)%controlEvery == 0 ||
		h.Epoch != c.control.epoch || h.Shift != c.control.shift || change < -2 || change > 2
	if h.Control {
		c.control = control{true, h.Epoch, h.Depth, h.Shift}
	}
	return h
}

// concern are the groups of a frame that concern the client.
func (c *Client) concern(f *capture.Frame) groupList {
	if c.sight.on {
		return groupList{seen: c.sight.view.seen}
	}
	return groupList{groups: len(f.Groups)}
}

// emit writes the datagrams of a client's snapshot.
func (s *System) emit(d *draft, h *wire.SnapshotHeader) {
	c, f, pk := d.c, d.f, &d.pack
	n := max(pk.datagrams, 1) // at least the header
	accounts, total := &d.encoder.accounts, 0
	c.packets = slices.Grow(c.packets[:0], n)[:n]
	c.send = f.Send
	at := 0
	for q := range n {
		hd := *h
		hd.Control = h.Control && q == 0
		switch {
		case c.join.state == joinNow:
			hd.Join, hd.Groups = true, uint32(c.groups(f))
			c.join.with(f.Send, hd.Groups)
		case q < pk.datagrams && pk.kinds[q] == contentJoin:
			from := c.join.stream
			hd.Join, hd.Back, hd.Groups, hd.Joined = true, f.Send-from.send, uint32(len(from.groups)), from.late
			c.join.send = from.send
		}
		b := wire.AppendSnapshotHeader(c.packets[q].Bytes[:0], &hd)
		accounts.Header(len(b))
		holds := c.packets[q].Holds[:0]
		age := uint32(0)
		for ; at < len(pk.blocks) && pk.blocks[at].datagram == q; at++ {
			x := &pk.blocks[at]
			last := at+1 == len(pk.blocks) || pk.blocks[at+1].datagram != q
			size := len(b)
			b = append(x.Append(b, age, len(x.body), last), x.body...)
			accounts.Block(&x.BlockHead, len(b)-size, len(x.body), x.costs)
			age = x.Age
			holds = append(holds, baseline.Block{First: x.First, Count: uint16(x.Count), Slots: x.Slots, Send: x.send, Chunk: int32(x.chunk), Own: x.Own, Hidden: x.hidden})
			c.baselines.Note(&holds[len(holds)-1])
		}
		c.packets[q] = Packet{b, holds}
		total += len(b)
	}
	accounts.Snapshot(n, total)
}
