package snapshot

import (
	"slices"
	"sync"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Blocks become bytes. Clients share the pieces of a send, and each client's owner state is encoded for it alone.

// block is an encoded block on its way into a datagram.
type block struct {
	wire.BlockHead
	encoded
	send     uint32 // of the encoded state
	datagram int
	chunk    int // of the joining state, -1 for none
}

// newBlock returns a block of the state of a send.
func newBlock(h wire.BlockHead, e encoded, send uint32) block {
	b := block{BlockHead: h, send: send, chunk: -1}
	b.setBody(e)
	return b
}

func (b *block) setBody(e encoded) { b.encoded, b.Coder, b.Set = e, e.coder, e.set }

// encoded is the body of a block.
type encoded struct {
	body  []byte // with its set
	set   bool   // there is one
	costs []byte // of its fields, see [traffic.Meter]; nil: not measured
	coder delta.Coder
}

// encoder encodes the blocks of a send on one worker. Bodies that clients may share stay until the next send, others
// until the next client.
type encoder struct {
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

// piecesCache holds the encoded pieces of one send, for all workers. The first worker that claims a key encodes its pieces. A worker
// that claims the same key meanwhile waits for the encoding to end.
type piecesCache struct {
	mu   sync.Mutex
	all  map[piecesKey]*sharedPieces
	room []*sharedPieces // memory, reused at each send
	used int
	busy []piecesKey // keys of the pieces that are being encoded
}

// sharedPieces are pieces that are encoded once.
type sharedPieces struct {
	pieces []encoded
	first  []int32    // the index of the first member of each
	size   int        // bytes of all
	big    []member   // entities that are missing, because they fit no datagram
	busy   sync.Mutex // held while they are encoded
}

// reset empties the cache for the next send.
func (c *piecesCache) reset() {
	if c.all == nil {
		c.all = make(map[piecesKey]*sharedPieces)
	}
	clear(c.all)
	c.used = 0
}

// claim returns pieces. If first is true the caller must encode them and call done.
func (c *piecesCache) claim(key piecesKey) (x *sharedPieces, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x = c.all[key]; x != nil {
		return x, false
	}
	if c.used == len(c.room) {
		c.room = append(c.room, new(sharedPieces))
	}
	x = c.room[c.used]
	c.used++
	x.busy.Lock()
	c.busy = append(c.busy, key)
	c.all[key] = x
	return x, true
}

// wait returns the number of pieces, once they are encoded.
func (x *sharedPieces) wait() int {
	x.busy.Lock()
	defer x.busy.Unlock()
	return len(x.pieces)
}

// done ends the encoding of pieces.
func (c *piecesCache) done(key piecesKey, x *sharedPieces) {
	x.busy.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = slices.DeleteFunc(c.busy, func(k piecesKey) bool { return k == key })
}

// encoding reports whether pieces are being encoded.
func (c *piecesCache) encoding(key piecesKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.busy, key)
}
