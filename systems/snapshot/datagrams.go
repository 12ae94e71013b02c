package snapshot

import (
	"slices"

	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 5: blocks are packed into datagrams, as far as the budget allows.

// content is the kind of blocks in a datagram besides owner state.
type content uint8

const (
	contentOwner content = iota // no other blocks
	contentWorld                // blocks of the send in the header
	contentJoin                 // blocks of the state with which the client joins
)

// packing distributes the blocks of one snapshot over datagrams, within a budget.
type packing struct {
	blocks []block
	kinds  []content // of the datagrams
	load
	firstHeader int // bytes of the first datagram's header
	laterHeader int // bytes of the headers of the others
	limit       int // bytes of all datagrams, at most budget
	budget      int // of the client
	scratch     []byte
}

// load counts the packed blocks. A copy of it is a mark to roll back to.
type load struct {
	packed    int // blocks
	datagrams int
	closed    int // bytes of all datagrams but the last
	open      int // bytes of the last, as if every block started with its length
	kind      content
}

func (p *packing) reset(firstHeader, laterHeader, budget, limit int) {
	p.blocks, p.kinds, p.load = p.blocks[:0], p.kinds[:0], load{}
	p.firstHeader, p.laterHeader, p.limit, p.budget = firstHeader, laterHeader, limit, budget
}

// rollback removes the blocks packed since a mark.
func (p *packing) rollback(l load) {
	p.load = l
	p.blocks = p.blocks[:l.packed]
	p.kinds = p.kinds[:l.datagrams]
	if l.datagrams > 0 {
		p.kinds[l.datagrams-1] = l.kind
	}
}

// used returns the number of packed bytes.
func (p *packing) used() int { return p.closed + p.open }

// space returns the maximum size of a block of a kind in the open datagram, and in a new one, in bytes.
func (p *packing) space(kind content) (open, another int) {
	head := p.laterHeader
	if p.datagrams == 0 {
		head = p.firstHeader
	} else if p.kind == kind || p.kind == contentOwner || kind == contentOwner {
		open = min(netsys.MaxPayload-p.open, p.limit-p.used())
		if kind == contentJoin && p.kind != kind {
			open -= wire.MaxJoinHeader
		}
	}
	if kind == contentJoin {
		head += wire.MaxJoinHeader
	}
	another = min(netsys.MaxPayload, p.limit-p.used()) - head
	return max(open, 0), max(another, 0)
}

// room returns the longest body that certainly fits now.
func (p *packing) room(kind content) int {
	open, another := p.space(kind)
	return max(open, another) - wire.MaxBlockHead
}

// maxBody returns the longest body that certainly fits a snapshot with nothing else in it.
func (p *packing) maxBody() int {
	return min(netsys.MaxPayload, p.budget) - max(p.firstHeader, p.laterHeader) - wire.MaxJoinHeader - wire.MaxBlockHead
}

// size returns the length of a block with its head.
func (p *packing) size(b *block) int {
	p.scratch = b.BlockHead.Append(p.scratch[:0], ^b.Age, len(b.body), false)
	return len(p.scratch) + len(b.body)
}

// add packs a block. It does nothing and reports false if the block does not fit.
func (p *packing) add(b block) bool {
	size, kind := p.size(&b), b.kind()
	open, another := p.space(kind)
	switch {
	case size <= open:
		if kind == contentJoin && p.kind != kind {
			p.open += wire.MaxJoinHeader
		}
		if kind != contentOwner {
			p.kind = kind
		}
		p.open += size
	case size <= another:
		p.closed += p.open
		p.open = p.laterHeader + size
		if p.datagrams == 0 {
			p.open = p.firstHeader + size
		}
		if kind == contentJoin {
			p.open += wire.MaxJoinHeader
		}
		p.kind = kind
		p.datagrams++
		p.kinds = append(p.kinds, kind)
	default:
		return false
	}
	p.kinds[p.datagrams-1] = p.kind
	b.datagram = p.datagrams - 1
	p.blocks = append(p.blocks, b)
	p.packed++
	return true
}

// has reports whether a block of a kind is packed.
func (p *packing) has(kind content) bool {
	return slices.ContainsFunc(p.blocks, func(b block) bool { return b.kind() == kind })
}

func (b *block) kind() content {
	switch {
	case b.Own:
		return contentOwner
	case b.chunk >= 0:
		return contentJoin
	}
	return contentWorld
}

// countOwner returns the number of datagrams with owner state.
func (p *packing) countOwner() (n int) {
	last := -1
	for i := range p.blocks {
		if b := &p.blocks[i]; b.Own && b.datagram != last {
			n, last = n+1, b.datagram
		}
	}
	return n
}

// hasOwner reports whether a datagram has owner state. Its blocks begin with the first.
func (p *packing) hasOwner(first, datagram int) bool {
	for i := first; i < len(p.blocks) && p.blocks[i].datagram == datagram; i++ {
		if p.blocks[i].Own {
			return true
		}
	}
	return false
}

// startDatagrams prepares the datagrams of the client and returns their header.
func (d *draft) startDatagrams() wire.SnapshotHeader {
	s, c := d.sys, d.c
	h := s.header(c, d.f)
	longest := h
	longest.Control = h.Control || c.over // reserve its space even if it is not due, so that clients with the same difference choose the same blocks
	first, later := longest.Sizes()
	if c.join.state == joinNow {
		first, later = first+wire.MaxJoinHeader, later+wire.MaxJoinHeader
	}
	d.pack.reset(first, later, c.budget, s.Allowed(c))
	d.starved, c.starved = c.starved, false
	return h
}

// leastSpace is the number of free bytes below which no more chunks are tried.
const leastSpace = 24

// Allowed returns the maximum size of the next snapshot of a client in bytes: the session's estimate of the capacity of the
// path, within the budget. A larger entity waits until the estimate has grown. While acknowledgements are late, baselines get
// older and differences larger. Larger snapshots would delay a busy path or client even more, so Allowed then gives only
// little more room than usual.
func (s *System) Allowed(c *Client) int {
	bytes := min(s.roomAt(c, c.pace.skip), max(c.peer.Allowance(s.config.Clock.Now()), MinBudget))
	if c.usual > 0 && !c.Joining() && s.isLate(c) {
		bytes = min(bytes, max(c.usual+c.usual/4, MinBudget))
	}
	return bytes
}

// roomAt returns the limit of a client's snapshot in bytes if it is sent one at one in skip sends. The limit of bytes a second does not
// depend on the rate.
func (s *System) roomAt(c *Client, skip uint32) int {
	if every := s.sends.every * skip; every < s.sends.usual {
		return min(c.budget, max(int(int64(c.budget)*int64(every)/int64(s.sends.usual)), MinBudget))
	}
	return c.budget
}

// pacing decides how many snapshots a client is sent.
type pacing struct {
	skip  uint32 // the client is sent a snapshot at one in so many sends
	asked uint32 // number of times of sends between snapshots that the client asks for, at least; 0: any
	cut   bool   // the newest snapshot did not hold everything
	calm  uint32 // numbers of sends since skip changed, or since snapshots were cut or late
	wait  uint32 // seconds of calm until the client is sent as many snapshots as it asks for
}

// mostAsked limits how few snapshots a client may ask for, to a quarter of the usual rate. With fewer, a client would notice a lost
// snapshot late.
const mostAsked = 4

// maxPacingWait is the maximum of pacing.wait.
const maxPacingWait = 32

// pace decides at which sends the client is sent its next snapshots: as many as it asks for, or at most the usual rate while it joins,
// if its snapshots do not hold everything, or if acknowledgements are late. A recording has the usual rate, because nobody waits for it.
func (s *System) pace(c *Client) {
	x, p := &s.sends, &c.pace
	fast := max((min(p.asked, mostAsked*x.usual)+x.every-1)/x.every, 1)
	slow := max((x.usual+x.every-1)/x.every, fast)
	p.calm += x.every * p.skip
	second := uint32(s.config.SendRate)
	switch {
	case slow == fast:
		p.skip = fast
	case p.cut || c.recorder || c.Joining() || s.isLate(c):
		if p.skip < slow && p.calm < 2*second {
			p.wait = min(2*p.wait, maxPacingWait)
		}
		p.skip, p.calm = slow, 0
	case p.skip < slow:
		p.skip = fast
		if p.calm >= maxPacingWait*second {
			p.wait = 1
		}
	case p.calm >= p.wait*second && c.usual < s.roomAt(c, fast):
		p.skip, p.calm = fast, 0
	default:
		p.skip = slow
	}
}

// isLate reports whether the acknowledgements of a client are late: the newest acknowledged send is older than twice soonest plus
// a quarter of a second.
func (s *System) isLate(c *Client) bool {
	return c.acked != 0 && float32(s.sends.number-c.acked) > 2*c.soonest+float32(s.config.SendRate)/4
}

// noteAcked records that a client acknowledged a send. soonest increases by one send per minute, because the path can become
// slower.
func (s *System) noteAcked(c *Client, send uint32) {
	number := s.numberOf(send)
	after := float32(s.sends.number - number)
	if c.acked == 0 {
		c.soonest = after
	}
	c.soonest = min(c.soonest+1/float32(60*s.config.SendRate), after)
	c.acked = max(c.acked, number)
}

// noteSize records the size of a snapshot.
func (s *System) noteSize(c *Client, bytes int) {
	switch {
	case c.Joining() || s.isLate(c):
	case c.usual == 0:
		c.usual = bytes
	default:
		c.usual += (bytes - c.usual) / 16
	}
}

// controlEvery is the maximum number of sends from one header with a control part to the next.
const controlEvery = 4

// control holds the fields of the last control part whose changes require another one.
type control struct {
	any   bool
	epoch uint8
	depth uint8
	shift int16
}

// laterHeader returns the longest header of a datagram that is not the first, without the fields about joining.
func (s *System) laterHeader() int {
	_, later := (&wire.SnapshotHeader{Timing: wire.MaxTiming, Open: s.config.Reports != nil, Divided: true}).Sizes()
	return later
}

// ackHeader returns the fields of a snapshot's header that depend on other packages: see [Peer].
func (s *System) ackHeader(c *Client, f *frames.Frame) (h wire.SnapshotHeader) {
	input, depth, shift := c.peer.Ack()
	h = wire.SnapshotHeader{Send: uint16(f.Number), Input: uint16(input), Depth: depth, Shift: shift, Timing: wire.Timing(f.Tick-f.Number*s.sends.steps, s.sends.every*c.pace.skip, s.sends.steps)}
	c.peer.Report().Header(&h)
	return h
}

// header returns the header of the snapshot of a client.
func (s *System) header(c *Client, f *frames.Frame) wire.SnapshotHeader {
	h := c.head
	h.Epoch, h.Floor = c.epoch, s.back(f.Send-c.floor)
	change := int(h.Depth) - int(c.control.depth)
	h.Control = !c.control.any || c.join.state != joinNone || (f.Send/c.pace.skip+c.id)%controlEvery == 0 ||
		h.Epoch != c.control.epoch || h.Shift != c.control.shift || change < -2 || change > 2
	if h.Control {
		c.control = control{true, h.Epoch, h.Depth, h.Shift}
	}
	return h
}

// writeDatagrams writes the datagrams of the client's snapshot, and records their contents.
func (d *draft) writeDatagrams(h *wire.SnapshotHeader) {
	s, c, f, pk := d.sys, d.c, d.f, &d.pack
	n := max(pk.datagrams, 1) // at least the header
	accounts, total := &d.encoder.accounts, 0
	c.packets = slices.Grow(c.packets[:0], n)[:n]
	own := pk.countOwner()
	at := 0
	for q := range n {
		hd := *h
		hd.Control = h.Control && q == 0
		if hd.Divided = (own > 1 || !d.ownWhole) && pk.hasOwner(at, q); hd.Divided && d.ownWhole {
			hd.OwnParts = uint8(own)
		}
		switch {
		case c.join.state == joinNow:
			hd.Join, hd.Pieces = true, uint32(c.join.pieces)
		case q < pk.datagrams && pk.kinds[q] == contentJoin:
			from := c.join.stream.kept
			hd.Join, hd.Back, hd.Pieces, hd.Joined = true, s.back(f.Send-from.send), uint32(len(from.pieces)), from.after
		}
		hd.Hides = hd.Join && s.config.Interest.Limits()
		b := wire.AppendSnapshotHeader(c.packets[q].Bytes[:0], &hd)
		if !c.recorder {
			accounts.Header(len(b))
		}
		in := contents{send: f.Send, pieces: c.packets[q].pieces[:0]}
		age := uint32(0)
		for ; at < len(pk.blocks) && pk.blocks[at].datagram == q; at++ {
			x := &pk.blocks[at]
			last := at+1 == len(pk.blocks) || pk.blocks[at+1].datagram != q
			size := len(b)
			b = append(x.Append(b, age, len(x.body), last), x.body...)
			if !c.recorder {
				accounts.Block(&x.BlockHead, len(b)-size, len(x.body), x.costs)
			}
			switch age = x.Age; {
			case x.chunk >= 0:
				in.kept, in.pieces = x.send, append(in.pieces, int32(x.chunk))
			case x.Own:
				in.own = true
			default:
				in.view = true
			}
		}
		if in.own {
			c.private.held.place(f.Send).open++
		}
		if in.view {
			c.held.place(f.Send).open++
			c.shown = f.Send
		}
		c.packets[q] = Packet{b, in}
		total += len(b)
	}
	for _, h := range [...]*held{&c.held, &c.private.held} {
		if x := h.of(f.Send); x != nil && x.open == 0 {
			*x = sentSend{} // it contained no part of the view
		}
	}
	if !c.recorder {
		accounts.Snapshot(n, total)
	}
	s.noteSize(c, total)
}
