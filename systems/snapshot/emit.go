package snapshot

import (
	"slices"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

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

// emit writes the datagrams of a client's snapshot.
func (s *System) emit(c *Client, f *capture.Frame, h *wire.SnapshotHeader, pk *packing) {
	n := max(pk.datagrams, 1) // at least the header
	accounts, total := &s.encoder.accounts, 0
	c.packets = slices.Grow(c.packets[:0], n)[:n]
	c.send = f.Send
	at := 0
	for d := range n {
		hd := *h
		hd.Control = h.Control && d == 0
		switch {
		case c.join.state == joinNow:
			hd.Join, hd.Groups = true, uint32(len(f.Groups))
			c.join.send = f.Send
		case d < pk.datagrams && pk.kinds[d] == contentJoin:
			from := c.join.stream
			hd.Join, hd.Back, hd.Groups, hd.Joined = true, f.Send-from.send, uint32(len(from.groups)), from.late
			c.join.send = from.send
		}
		b := wire.AppendSnapshotHeader(c.packets[d].Bytes[:0], &hd)
		accounts.Header(len(b))
		holds := c.packets[d].Holds[:0]
		age := uint32(0)
		for ; at < len(pk.blocks) && pk.blocks[at].datagram == d; at++ {
			x := &pk.blocks[at]
			last := at+1 == len(pk.blocks) || pk.blocks[at+1].datagram != d
			size := len(b)
			b = append(x.Append(b, age, len(x.body), last), x.body...)
			accounts.Block(&x.BlockHead, len(b)-size, len(x.body), x.costs)
			age = x.Age
			holds = append(holds, baseline.Block{First: x.First, Count: x.Count, Slots: x.Slots, Send: x.send, Chunk: x.chunk, Own: x.Own, Hidden: x.hidden})
			c.baselines.Note(&holds[len(holds)-1])
		}
		c.packets[d] = Packet{b, holds}
		total += len(b)
	}
	accounts.Snapshot(n, total)
}
