package traffic

import (
	"encoding/binary"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The costs of fields are counted in units of 1/256 bit, the resolution of [delta.Encoder.Costs].
const (
	bitParts  = 256
	byteParts = 8 * bitParts
)

// account holds the cost of a field in measured blocks, in units of 1/256 bit. sent counts a block once per receiving client.
// encoded counts it once.
type account struct{ sent, encoded int64 }

// bodies holds the total size of the bodies of blocks, and of the measured ones, in bytes.
type bodies struct{ all, measured int64 }

// scale returns the factor that converts costs in measured bodies to estimated bytes in all bodies.
func (b bodies) scale() float64 {
	return float64(b.all) / (byteParts * float64(max(b.measured, 1)))
}

// lot holds the counts of the blocks of one kind: full states, or deltas.
type lot struct {
	fields        []account // of all components, in order
	sent, encoded bodies
}

// Accounts sums the sizes of blocks.
type Accounts struct {
	comps  []*ecs.Component
	fields []int  // number of fields by component
	lots   [2]lot // full states, and deltas
	heads  uint64 // bytes of the heads of blocks
	own    uint64 // bytes of the bodies of owner state
	stats  Stats
}

// Begin prepares the accounts for the components of a layout.
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

// Take adds the counts of from, which has the same layout, and resets from.
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

// add adds the sizes of from and resets from.
func (b *bodies) add(from *bodies) {
	b.all += from.all
	b.measured += from.measured
	*from = bodies{}
}

// Stats returns the counters.
func (a *Accounts) Stats() Stats { return a.stats }

// Header counts the header of a datagram.
func (a *Accounts) Header(bytes int) { a.stats.Headers += uint64(bytes) }

// Snapshot counts the snapshot of one send to one client: the number of its datagrams and their total size in bytes.
func (a *Accounts) Snapshot(datagrams, bytes int) {
	a.stats.Datagrams += uint64(datagrams)
	a.stats.Bytes += uint64(bytes)
	a.stats.Largest = max(a.stats.Largest, bytes)
	if datagrams > 1 {
		a.stats.Divided++
	}
}

// Block counts a block that was sent to one client. bytes is the size of the block, body the size of its body. costs holds the
// costs of its fields as [Meter.Block] appended them, or is nil if the block was not measured.
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

// Stats counts the contents of snapshots, over all clients. Sizes are in bytes, without session overhead.
type Stats struct {
	Bytes     uint64 // of all messages
	Headers   uint64 // of the headers of datagrams
	Own       uint64 // of blocks of owner state, with their heads
	Datagrams uint64
	Divided   uint64 // snapshots of one client that needed several datagrams
	Largest   int    // size of the largest snapshot of one client
	// Raw, Zstd and Range count the blocks by coder, with their heads.
	Raw, Zstd, Range CoderStats
}

// add adds counts of other snapshots.
func (s *Stats) add(x *Stats) {
	s.Bytes += x.Bytes
	s.Headers += x.Headers
	s.Own += x.Own
	s.Datagrams += x.Datagrams
	s.Divided += x.Divided
	s.Largest = max(s.Largest, x.Largest)
	for _, c := range [...]struct{ to, from *CoderStats }{{&s.Raw, &x.Raw}, {&s.Zstd, &x.Zstd}, {&s.Range, &x.Range}} {
		c.to.Blocks += c.from.Blocks
		c.to.Bytes += c.from.Bytes
	}
}

// CoderStats counts the sent blocks that one coder encoded.
type CoderStats struct {
	Blocks, Bytes uint64
}

// block counts a block. size is its size in bytes.
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
