package snapshot

import (
	"slices"
	"sync"

	"github.com/tactusgo/tactus/codec/delta"
)

// blockKey is all that the body of a block depends on within one send.
type blockKey struct {
	first, count uint32
	slots        uint64
	age          uint32
	two          bool
	model        *delta.Model
}

// blockCache keeps the encoded blocks of one send, for all workers: what one client needs is
// there for the next one. Whoever asks for a block first encodes it, and the others wait.
type blockCache struct {
	mu     sync.Mutex
	blocks map[blockKey]*sharedBlock
	room   []*sharedBlock // of all sends
	used   int
	busy   []blockKey // that are being encoded
}

// sharedBlock is a block that is encoded once.
type sharedBlock struct {
	encoded
	busy sync.Mutex // held while it is encoded
}

// reset begins a send.
func (c *blockCache) reset() {
	if c.blocks == nil {
		c.blocks = make(map[blockKey]*sharedBlock)
	}
	clear(c.blocks)
	c.used = 0
}

// of returns a block, and whether nobody has asked for it before: who is first encodes it, and
// says so by done.
func (c *blockCache) of(key blockKey) (b *sharedBlock, first bool) {
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

// wait returns the block, once it is encoded.
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

// encoding reports whether a block is being encoded that begins with a group, from such a baseline.
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
