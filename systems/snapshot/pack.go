package snapshot

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// content says which blocks a datagram can take up beside own state.
type content uint8

const (
	contentOwn   content = iota // none so far
	contentWorld                // of the header's send
	contentJoin                 // of the send with which the client joins
)

// packing lays the blocks of one snapshot out in datagrams, within a budget.
type packing struct {
	blocks []block
	kinds  []content // of the datagrams
	load
	headers int // bytes of the first datagram's header
	later   int // of the others'
	joining int // bytes that a header grows by in a datagram with blocks of a join
	limit   int // bytes of all datagrams, for what is laid out at the moment
	budget  int // of the client, of which limit may be less for the moment
	scratch []byte
}

// load is what has been laid out; a copy of it is a mark to go back to.
type load struct {
	laid      int // blocks
	datagrams int
	closed    int // bytes of all datagrams but the last
	open      int // bytes of the last, counted as if the length of every block were told
	kind      content
}

func (p *packing) begin(headers, later, joining, budget, limit int) {
	p.blocks, p.kinds, p.load = p.blocks[:0], p.kinds[:0], load{}
	p.headers, p.later, p.joining, p.limit, p.budget = headers, later, joining, limit, budget
}

// rollback goes back to a mark.
func (p *packing) rollback(l load) {
	p.load = l
	p.blocks = p.blocks[:l.laid]
	p.kinds = p.kinds[:l.datagrams]
	if l.datagrams > 0 {
		p.kinds[l.datagrams-1] = l.kind
	}
}

// used is the bytes laid out.
func (p *packing) used() int { return p.closed + p.open }

// in is what a block of a kind can have in the open datagram, and in another one.
func (p *packing) in(kind content) (open, another int) {
	head := p.later
	if p.datagrams == 0 {
		head = p.headers
	} else if p.kind == kind || p.kind == contentOwn || kind == contentOwn {
		open = min(netsys.MaxPayload-p.open, p.limit-p.used())
		if kind == contentJoin && p.kind != kind {
			open -= p.joining
		}
	}
	if kind == contentJoin {
		head += p.joining
	}
	another = min(netsys.MaxPayload, p.limit-p.used()) - head
	return max(open, 0), max(another, 0)
}

// room is the longest body that a block of a kind can certainly have now.
func (p *packing) room(kind content) int {
	open, another := p.in(kind)
	return max(open, another) - wire.MaxBlockHead
}

// fresh is the longest body that a block can certainly have in a snapshot with
// nothing else.
func (p *packing) fresh() int {
	return min(netsys.MaxPayload, p.budget) - max(p.headers, p.later) - p.joining - wire.MaxBlockHead
}

// size is how long a block is with its head.
func (p *packing) size(b *block) int {
	p.scratch = b.BlockHead.Append(p.scratch[:0], ^b.Age, len(b.body), false)
	return len(p.scratch) + len(b.body)
}

// add lays out a block; it reports false, and does nothing, where that does not
// fit any more.
func (p *packing) add(b block, kind content) bool {
	size := p.size(&b)
	open, another := p.in(kind)
	switch {
	case size <= open:
		if kind == contentJoin && p.kind != kind {
			p.open += p.joining
		}
		if kind != contentOwn {
			p.kind = kind
		}
		p.open += size
	case size <= another:
		p.closed += p.open
		p.open = p.later + size
		if p.datagrams == 0 {
			p.open = p.headers + size
		}
		if kind == contentJoin {
			p.open += p.joining
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
	p.laid++
	return true
}

// has reports whether a block of a kind is laid out.
func (p *packing) has(kind content) bool {
	for i := range p.blocks {
		if k := p.blocks[i].kind(); k == kind {
			return true
		}
	}
	return false
}

func (b *block) kind() content {
	switch {
	case b.Own:
		return contentOwn
	case b.chunk >= 0:
		return contentJoin
	}
	return contentWorld
}

// longFor is how many sends a run that was much too long for a datagram is not
// tried again.
const longFor = 16

// longRuns remembers how long runs of groups were at a baseline of some age, lately.
type longRuns map[blockKey]longRun

type longRun struct {
	send uint32
	size int
}

func longKey(run *wire.BlockHead) blockKey {
	return blockKey{first: run.First, count: run.Count, age: min(run.Age, 8)}
}

// long notes how long a run was.
func (x *notes) long(run *wire.BlockHead, send uint32, size int) {
	if !run.Own && run.Slots == wire.AllSlots {
		x.add(note{kind: noteLong, key: longKey(run), long: longRun{send, size}})
	}
}

// note takes in a note.
func (l longRuns) note(key blockKey, x longRun) {
	if len(l) > 4*wire.MaxGroups {
		clear(l)
	}
	l[key] = x
}

// hopeless reports whether a run need not be encoded to know that it is too long.
func (l longRuns) hopeless(run *wire.BlockHead, send uint32, room int) bool {
	if run.Own || run.Slots != wire.AllSlots {
		return false
	}
	x, ok := l[longKey(run)]
	return ok && send-x.send < longFor && x.size > room+room/4
}
