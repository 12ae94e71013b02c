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

// blockKey is all that the body of a block depends on within one send.
type blockKey struct {
	first, count uint32
	slots        uint64
	age          uint32
	two          bool
	model        *delta.Model
}

// blockCache keeps encoded blocks of one state: what one client needs is there for the next
// one. Bodies are valid until the next reset.
type blockCache struct {
	blocks map[blockKey]encoded
	arena  []byte
}

func (c *blockCache) reset() {
	if c.blocks == nil {
		c.blocks = make(map[blockKey]encoded)
	}
	clear(c.blocks)
	c.arena = c.arena[:0]
}

// encoder codes the blocks of a send, those of the world once for all clients.
type encoder struct {
	cache    blockCache     // of the send at hand
	once     []byte         // bodies that only the client at hand is sent
	meters   traffic.Meters // the second with what clients were trained alike
	trained  *delta.Model   // the model of that
	private  delta.Encoder  // of own state, which has another layout
	parts    []delta.Part
	raw      []byte // a component at full precision
	stats    EncodeStats
	accounts traffic.Accounts
}

// EncodeStats counts what a server encoded for snapshots. A block that several
// clients were sent was encoded once.
type EncodeStats struct {
	Blocks   uint64 // encoded, blocks of own state not among them
	Entities uint64 // in these
	Reused   uint64 // blocks that another client had needed already
	Own      uint64 // blocks of own state, which nobody shares
}

// begin makes the encoders ready. Blocks of the trained model have one of their own,
// which would forget its plans at each change of models otherwise.
func (e *encoder) begin(only delta.Coders, trained *delta.Model) {
	e.meters[0].Only, e.meters[1].Only, e.private.Only = only, only, only
	e.trained = trained
}

// reset begins a send, resetOwn a client.
func (e *encoder) reset()    { e.cache.reset() }
func (e *encoder) resetOwn() { e.once = e.once[:0] }

// own returns the body of a block that only the client at hand is sent.
func (e *encoder) own(m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	return e.fresh(&e.once, m, h, cur, base, base2)
}

// world returns the body of a block of the world: the groups of a frame against
// those of its baselines, which may be nil. All begin with the first group of the block.
func (e *encoder) world(c *blockCache, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	key := blockKey{h.First, h.Count, h.Slots, h.Age, h.Two, m}
	if b, ok := c.blocks[key]; ok {
		e.stats.Reused++
		return b
	}
	b := e.fresh(&c.arena, m, h, cur, base, base2)
	e.stats.Blocks++
	for i := range e.parts {
		e.stats.Entities += uint64(bits.OnesCount64(e.parts[i].Cur.Alive & h.Slots))
	}
	c.blocks[key] = b
	return b
}

// fresh encodes a block behind what is in the arena.
func (e *encoder) fresh(arena *[]byte, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
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
	at := len(*arena)
	if h.Own {
		all, coder := e.private.Append(*arena, m, e.parts)
		*arena = all
		return encoded{body: all[at:len(all):len(all)], coder: coder}
	}
	meter := &e.meters[0]
	if m == e.trained {
		meter = &e.meters[1]
	}
	all, coder, size, costs := meter.Block(&e.accounts, *arena, m, e.parts)
	*arena = all
	b := encoded{body: all[at : at+size : at+size], coder: coder}
	if costs >= 0 {
		b.costs = all[costs:len(all):len(all)]
	}
	return b
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
