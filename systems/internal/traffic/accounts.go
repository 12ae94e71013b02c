package traffic

import (
	"encoding/binary"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Costs are counted in parts of a byte: 256 of each bit, as [delta.Encoder.Costs]
// does.
const (
	bitParts  = 256
	byteParts = 8 * bitParts
)

// account is what a field took, in parts of a byte, in blocks that were measured.
type account struct{ sent, encoded int64 }

// bodies is how many bytes the bodies of blocks have.
type bodies struct{ all, measured int64 }

// scale makes parts of a byte in measured bodies bytes of all.
func (b bodies) scale() float64 {
	return float64(b.all) / (byteParts * float64(max(b.measured, 1)))
}

// lot is blocks that are measured as often as each other.
type lot struct {
	fields        []account // of all components, one behind the other
	sent, encoded bodies
}

// Accounts sums what blocks took.
type Accounts struct {
	comps  []*ecs.Component
	fields []int  // of each component
	lots   [2]lot // full states, and deltas
	heads  uint64
	own    uint64
	stats  Stats
}

// Begin makes accounts for the components of a layout.
func (a *Accounts) Begin(l *delta.Layout, comps []*ecs.Component) {
	a.comps = comps
	n := 0
	for c := range l.Components() {
		a.fields = append(a.fields, 0)
		if l.Words(c) > 0 {
			a.fields[c] = len(comps[c].Schema.Fields)
		}
		n += a.fields[c]
	}
	for i := range a.lots {
		a.lots[i].fields = make([]account, n)
	}
}

func (a *Accounts) lot(delta bool) *lot {
	if delta {
		return &a.lots[1]
	}
	return &a.lots[0]
}

// Take adds what another one's accounts of the same layout have, and empties these.
func (a *Accounts) Take(from *Accounts) {
	for i := range a.lots {
		l, x := &a.lots[i], &from.lots[i]
		l.sent.add(&x.sent)
		l.encoded.add(&x.encoded)
		for k := range x.fields {
			l.fields[k].sent += x.fields[k].sent
			l.fields[k].encoded += x.fields[k].encoded
		}
		clear(x.fields)
	}
	a.heads += from.heads
	a.own += from.own
	a.stats.add(&from.stats)
	from.heads, from.own, from.stats = 0, 0, Stats{}
}

// add adds what another one has, and empties that.
func (b *bodies) add(from *bodies) {
	b.all += from.all
	b.measured += from.measured
	*from = bodies{}
}

// Stats are the counts.
func (a *Accounts) Stats() Stats { return a.stats }

// Header counts the header of a datagram.
func (a *Accounts) Header(bytes int) { a.stats.Headers += uint64(bytes) }

// Snapshot counts what a client was sent of one send, in so many datagrams.
func (a *Accounts) Snapshot(datagrams, bytes int) {
	a.stats.Datagrams += uint64(datagrams)
	a.stats.Bytes += uint64(bytes)
	a.stats.Largest = max(a.stats.Largest, bytes)
}

// Block counts a block that went to a client in so many bytes, with what measuring its body
// came to, if that was done.
func (a *Accounts) Block(h *wire.BlockHead, bytes, body int, costs []byte) {
	a.stats.block(h, bytes)
	a.heads += uint64(bytes - body)
	if h.Own {
		a.own += uint64(body)
		return
	}
	l := a.lot(h.Age > 0)
	l.sent.all += int64(body)
	if costs == nil {
		return
	}
	l.sent.measured += int64(body)
	for len(costs) > 0 {
		at, n := binary.Uvarint(costs)
		v, m := binary.Uvarint(costs[n:])
		costs = costs[n+m:]
		l.fields[at].sent += int64(v)
	}
}

// Stats counts what snapshots consisted of, over all clients. Sizes are in
// bytes, without what sessions add.
type Stats struct {
	Bytes     uint64 // of all messages
	Headers   uint64 // of these, headers
	Own       uint64 // blocks of own state, their heads included
	Datagrams uint64
	Largest   int // bytes of one client's snapshot, at most
	// Raw, Zstd and Range are the blocks by coder, their heads included.
	Raw, Zstd, Range CoderStats
}

// add adds counts of other snapshots.
func (s *Stats) add(x *Stats) {
	s.Bytes += x.Bytes
	s.Headers += x.Headers
	s.Own += x.Own
	s.Datagrams += x.Datagrams
	s.Largest = max(s.Largest, x.Largest)
	for _, c := range [...]struct{ to, from *CoderStats }{{&s.Raw, &x.Raw}, {&s.Zstd, &x.Zstd}, {&s.Range, &x.Range}} {
		c.to.Blocks += c.from.Blocks
		c.to.Bytes += c.from.Bytes
	}
}

// CoderStats counts the blocks that were sent in the coding of one coder.
type CoderStats struct {
	Blocks, Bytes uint64
}

// block counts a block of so many bytes.
func (s *Stats) block(h *wire.BlockHead, size int) {
	if h.Own {
		s.Own += uint64(size)
	}
	c := &s.Raw
	switch h.Coder {
	case delta.Zstd:
		c = &s.Zstd
	case delta.Range:
		c = &s.Range
	}
	c.Blocks++
	c.Bytes += uint64(size)
}
