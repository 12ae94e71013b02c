package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// block is a block on its way into a datagram.
type block struct {
	wire.BlockHead
	encoded
	send     uint32 // whose state it is
	datagram int
	chunk    int  // of the join, -1 for none
	hidden   bool // tells of slots that the client may not see
}

// newBlock is a block of the state of a send.
func newBlock(h wire.BlockHead, e encoded, send uint32) block {
	b := block{BlockHead: h, send: send, chunk: -1}
	b.fill(e)
	return b
}

// fill gives a block its body.
func (b *block) fill(e encoded) { b.encoded, b.Coder = e, e.coder }

// encoded is the body of a block.
type encoded struct {
	body  []byte
	costs []byte // what its fields took: see [traffic.Meter]; nil: not measured
	coder delta.Coder
}

// encoder codes the blocks of a send for one worker: those of the world into memory that
// stays until the next send, others until the next client.
type encoder struct {
	send     uint32
	arena    []byte           // bodies of the world
	once     []byte           // bodies that only the client at hand is sent
	meters   [2]traffic.Meter // the second with what clients were trained alike
	trained  *delta.Model     // the model of that
	private  delta.Encoder    // of own state, which has another layout
	parts    []delta.Part
	raw      []byte           // a component at full precision
	known    *shared          // what was before this send, and its blocks
	stats    EncodeStats      // that have not been merged
	accounts traffic.Accounts // that have not been merged
	won      [codings]uint32  // newest send in which another coder was the best
}

// codings are the encoders of the world: the second is for clients that were trained alike.
const codings = 2

// Nearly always the range coder does best where there is a baseline, so that the others are
// tried with one such block in tryEvery, and after they won for tryFor sends.
const (
	tryEvery = 256
	tryFor   = 4
)

// EncodeStats counts what a server encoded for snapshots. A block that several
// clients were sent was encoded once.
type EncodeStats struct {
	Blocks   uint64 // encoded, blocks of own state not among them
	Entities uint64 // in these
	Reused   uint64 // blocks that another client had needed already
	Own      uint64 // blocks of own state, which nobody shares
}

// prepare makes the encoders ready. Blocks of the trained model have one of their own,
// which would forget its plans at each change of models otherwise.
func (e *encoder) prepare(s *System) {
	e.meters[0].Only, e.meters[1].Only, e.private.Only = s.config.Coders, s.config.Coders, s.config.Coders
	e.trained, e.known = s.codecs.trained, &s.shared
	e.accounts.Begin(s.codecs.layout, s.comps)
	s.shared.meters = append(s.shared.meters, &e.meters[0], &e.meters[1])
}

// reset begins a send, resetOwn a client.
func (e *encoder) reset(send uint32) { e.send, e.arena = send, e.arena[:0] }
func (e *encoder) resetOwn()         { e.once = e.once[:0] }

// apart returns the body of a block of the world that only the client at hand is sent.
func (e *encoder) apart(m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	return e.fresh(&e.once, m, h, cur, base, base2)
}

// world returns the body of a block of the world: the groups of a frame against
// those of its baselines, which may be nil. All begin with the first group of the block.
func (e *encoder) world(m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	key := blockKey{h.First, h.Count, h.Slots, h.Age, h.Two, m}
	b, first := e.known.blocks.of(key)
	if !first {
		e.stats.Reused++
		return b.wait()
	}
	defer e.known.blocks.done(key, b)
	b.encoded = e.kept(&e.arena, m, h, cur, base, base2)
	return b.encoded
}

// kept encodes a block of the world, which is counted, into memory that stays.
func (e *encoder) kept(arena *[]byte, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.stats.Blocks++
	for g := range h.Count {
		e.stats.Entities += uint64(bits.OnesCount64(cur[g].Alive & h.Slots))
	}
	return e.fresh(arena, m, h, cur, base, base2)
}

// ownBlock returns the body of a block of own state, which only the client at hand is sent.
func (e *encoder) ownBlock(o *ownState, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.begin(h, cur, base, base2)
	try := o.tries > 0 || e.draw(h, &cur[0])%tryEvery == 0
	at := len(e.once)
	all, coder := e.private.AppendBest(e.once, m, e.parts, try)
	e.once = all
	switch {
	case base == nil:
	case coder != delta.Range:
		o.tries = tryFor
	case o.tries > 0:
		o.tries--
	}
	return encoded{body: all[at:len(all):len(all)], coder: coder}
}

// begin takes up the parts of a block.
func (e *encoder) begin(h *wire.BlockHead, cur, base, base2 []delta.Group) {
	e.parts = e.parts[:0]
	for g := range h.Count {
		p := delta.Part{Cur: &cur[g], Slots: h.Slots}
		if base != nil {
			p.Base = &base[g]
		}
		if base2 != nil {
			p.Base2 = &base2[g]
		}
		e.parts = append(e.parts, p)
	}
}

// fresh encodes a block of the world behind what is in the arena.
func (e *encoder) fresh(arena *[]byte, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.begin(h, cur, base, base2)
	at, coding := len(*arena), 0
	if m == e.trained {
		coding = 1
	}
	lot, won := e.draw(h, &cur[0]), e.known.won[coding]
	draw := traffic.Draw{Measure: lot, Try: lot%tryEvery == 0 || !e.known.apart && won > 0 && e.send-won <= tryFor}
	all, coder, size, costs := e.meters[coding].Block(&e.accounts, &e.known.accounts, *arena, m, e.parts, draw)
	*arena = all
	b := encoded{body: all[at : at+size : at+size], coder: coder}
	if costs >= 0 {
		b.costs = all[costs:len(all):len(all)]
	}
	if coder != delta.Range && base != nil {
		e.won[coding] = e.send
	}
	return b
}

// draw is a number of a block that is drawn evenly, and the same whoever encodes it.
func (e *encoder) draw(h *wire.BlockHead, cur *delta.Group) uint64 {
	x := uint64(e.send)<<32 | uint64(h.Age)<<16 | uint64(h.First)
	if e.known.apart { // numbers of groups tell of others
		x ^= uint64(h.First) ^ uint64(cur.IDs[bits.TrailingZeros64(cur.Alive|1<<63)])<<40
	} else if h.Own {
		x ^= uint64(cur.IDs[bits.TrailingZeros64(cur.Alive|1<<63)]) << 40
	}
	for _, v := range [...]uint64{uint64(h.Count), h.Slots} {
		x = (x ^ v) * 0x9e3779b97f4a7c15
		x ^= x >> 29
	}
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// codecs is how states become bytes.
type codecs struct {
	layout    *delta.Layout
	rawLayout *delta.Layout
	model     *delta.Model
	rawModel  *delta.Model
	trained   *delta.Model // for clients that were trained alike
	agreement wire.Agreement
}

func newCodecs(c *Config, steps int) codecs {
	tables := wire.Tables(c.Protocol)
	k := codecs{layout: delta.NewLayout(tables, steps, c.SendRate), rawLayout: delta.NewRawLayout(tables, steps, c.SendRate)}
	k.model, k.rawModel = delta.NewModel(k.layout, nil), delta.NewModel(k.rawLayout, nil)
	if c.Trained.Fits(k.layout) {
		k.trained = c.Trained.Model(k.layout)
	}
	k.agreement = wire.Agreement{Trained: c.Trained, Layout: k.layout, Log: c.Logger}
	return k
}
