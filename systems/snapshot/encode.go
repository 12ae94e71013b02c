package snapshot

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 5, first half: block heads become bytes. Clients share the blocks of a send: the body of a block of the world
// depends only on its head and the model, so it is encoded for the first client and copied for the others.

// block is an encoded block on its way into a datagram.
type block struct {
	wire.BlockHead
	encoded
	send     uint32 // of the encoded state
	datagram int
	chunk    int  // of the joining state, -1 for none
	hidden   bool // sends slots that the client may not see
}

// newBlock returns a block of the state of a send.
func newBlock(h wire.BlockHead, e encoded, send uint32) block {
	b := block{BlockHead: h, send: send, chunk: -1}
	b.setBody(e)
	return b
}

func (b *block) setBody(e encoded) { b.encoded, b.Coder = e, e.coder }

// encoded is the body of a block.
type encoded struct {
	body  []byte
	costs []byte // of its fields, see [traffic.Meter]; nil: not measured
	coder delta.Coder
}

// encode encodes a block of a source.
func (d *draft) encode(src *source, h wire.BlockHead) block {
	var base, base2 []delta.Group
	if h.Age > 0 {
		base = groupsFrom(h.First, d.stateAt(src, src.send-h.Age))
		if h.Two {
			base2 = groupsFrom(h.First, d.stateAt(src, src.send-h.Age-1))
		}
	}
	e, cur := &d.encoder, src.groups[h.First:]
	if src.own {
		e.stats.Own++
		return newBlock(h, e.encodeOwner(src.model, &h, cur, base, base2), src.send)
	}
	return newBlock(h, e.encodeShared(src.model, &h, cur, base, base2), src.send)
}

// groupsFrom returns the groups from first on. It returns nil if groups is nil.
func groupsFrom(first uint32, groups []delta.Group) []delta.Group {
	if groups == nil {
		return nil
	}
	return groups[first:]
}

// encoder encodes the blocks of a send on one worker. Bodies that clients may share stay until the next send, others
// until the next client.
type encoder struct {
	send     uint32
	arena    []byte           // bodies that clients may share
	once     []byte           // bodies for the current client alone
	meters   [2]traffic.Meter // the second for clients with the same trained model
	trained  *delta.Model     // that model
	private  delta.Encoder    // of owner state, which has another layout
	parts    []delta.Part
	raw      []byte           // a component at full precision
	shared   *shared          // cached blocks
	stats    EncodeStats      // not merged yet
	accounts traffic.Accounts // not merged yet
}

// EncodeStats counts the blocks that a server encoded for snapshots. A block that several clients receive is encoded once.
type EncodeStats struct {
	Blocks   uint64 // encoded blocks, without owner state
	Entities uint64 // entities in these blocks
	Reused   uint64 // blocks that had already been encoded for another client
	Own      uint64 // encoded blocks of owner state, which clients do not share
}

// prepare makes the encoder ready. Blocks of the trained model have an encoder of their own, which would
// otherwise discard its plans at each change of models.
func (e *encoder) prepare(s *System) {
	e.meters[0].Only, e.meters[1].Only, e.private.Only = s.config.Coders, s.config.Coders, s.config.Coders
	e.trained, e.shared = s.codecs.trained, &s.shared
	e.accounts.Begin(s.codecs.layout, s.comps)
	s.shared.meters = append(s.shared.meters, &e.meters[0], &e.meters[1])
}

// encodeShared returns the body of a block of the world, which clients share. The groups of the frame and of the
// baselines, which may be nil, begin with the first group of the block.
func (e *encoder) encodeShared(m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	key := blockKey{h.First, h.Count, h.Slots, h.Age, h.Two, m}
	b, first := e.shared.blocks.claim(key)
	if !first {
		e.stats.Reused++
		return b.wait()
	}
	defer e.shared.blocks.done(key, b)
	b.encoded = e.encodeCounted(&e.arena, m, h, cur, base, base2)
	return b.encoded
}

// encodeCounted encodes and counts a block of the world.
func (e *encoder) encodeCounted(arena *[]byte, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.stats.Blocks++
	for g := range h.Count {
		e.stats.Entities += uint64(bits.OnesCount64(cur[g].Alive & h.Slots))
	}
	return e.encodeInto(arena, m, h, cur, base, base2)
}

// encodeOwner returns the body of a block of owner state.
func (e *encoder) encodeOwner(m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.setParts(h, cur, base, base2)
	at := len(e.once)
	all, coder := e.private.Append(e.once, m, e.parts)
	e.once = all
	return encoded{body: all[at:len(all):len(all)], coder: coder}
}

// setParts sets the parts of a block.
func (e *encoder) setParts(h *wire.BlockHead, cur, base, base2 []delta.Group) {
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

// encodeInto appends the body of a block of the world to an arena.
func (e *encoder) encodeInto(arena *[]byte, m *delta.Model, h *wire.BlockHead, cur, base, base2 []delta.Group) encoded {
	e.setParts(h, cur, base, base2)
	return e.measure(arena, m, e.hash(h, &cur[0]))
}

// measure appends the body of the parts to an arena. hash decides whether it measures the costs of fields.
func (e *encoder) measure(arena *[]byte, m *delta.Model, hash uint64) encoded {
	at, meter := len(*arena), &e.meters[0]
	if m == e.trained {
		meter = &e.meters[1]
	}
	all, coder, size, costs := meter.Block(&e.accounts, &e.shared.accounts, *arena, m, e.parts, hash)
	*arena = all
	b := encoded{body: all[at : at+size : at+size], coder: coder}
	if costs >= 0 {
		b.costs = all[costs:len(all):len(all)]
	}
	return b
}

// hash returns an evenly distributed number. It depends on the block alone and is therefore equal on every worker.
func (e *encoder) hash(h *wire.BlockHead, cur *delta.Group) uint64 {
	x := uint64(e.send)<<32 | uint64(h.Age)<<16 | uint64(h.First)
	if h.Own {
		x ^= uint64(cur.IDs[bits.TrailingZeros64(cur.Alive|1<<63)]) << 40
	}
	for _, v := range [...]uint64{uint64(h.Count), h.Slots} {
		x = (x ^ v) * 0x9e3779b97f4a7c15
		x ^= x >> 29
	}
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// codecs are the layouts and models of states.
type codecs struct {
	layout    *delta.Layout
	rawLayout *delta.Layout // of owner state
	model     *delta.Model
	rawModel  *delta.Model
	trained   *delta.Model // for clients with the same trained file
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

// blockKey identifies the body of a block within one send: equal keys mean equal bodies.
type blockKey struct {
	first, count uint32
	slots        uint64
	age          uint32
	two          bool
	model        *delta.Model
}

// blockCache holds the encoded blocks of one send, for all workers. The first worker that needs a block encodes it, and
// the others wait.
type blockCache struct {
	mu     sync.Mutex
	blocks map[blockKey]*sharedBlock
	room   []*sharedBlock // memory, reused at each send
	used   int
	busy   []blockKey // keys of the blocks that are being encoded
}

// sharedBlock is a block that is encoded once.
type sharedBlock struct {
	encoded
	busy sync.Mutex // held while it is encoded
}

// reset empties the cache for the next send.
func (c *blockCache) reset() {
	if c.blocks == nil {
		c.blocks = make(map[blockKey]*sharedBlock)
	}
	clear(c.blocks)
	c.used = 0
}

// claim returns a block. If first is true the caller must encode it and call done.
func (c *blockCache) claim(key blockKey) (b *sharedBlock, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b = c.blocks[key]; b != nil {
		return b, false
	}
	if c.used == len(c.room) {
		c.room = append(c.room, new(sharedBlock))
	}
	b = c.room[c.used]
	c.used++
	b.busy.Lock()
	c.busy = append(c.busy, key)
	c.blocks[key] = b
	return b, true
}

// wait returns the block once it is encoded.
func (b *sharedBlock) wait() encoded {
	b.busy.Lock()
	defer b.busy.Unlock()
	return b.encoded
}

// done ends the encoding of a block.
func (c *blockCache) done(key blockKey, b *sharedBlock) {
	b.busy.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = slices.DeleteFunc(c.busy, func(k blockKey) bool { return k == key })
}

// encoding reports whether a block that begins with a group is being encoded from the given baseline.
func (c *blockCache) encoding(first, age uint32, two bool, m *delta.Model) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.busy {
		if k := &c.busy[i]; k.first == first && k.age == age && k.two == two && k.model == m {
			return true
		}
	}
	return false
}
