package snapshot

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 4: the whole view in pieces. A piece is a block that fits into a datagram. The first client that needs the pieces of a
// view, a baseline and the changes in between encodes them, and all others copy them.

// pieceRoom is the maximum size of the body of a piece.
const pieceRoom = netsys.MaxPayload - wire.MaxHeader - wire.MaxBlockHead

// base is a baseline of a block.
type base struct {
	send  uint32 // 0: none
	whole bool   // the client holds the whole view of that send
	bit   int    // otherwise: the bit in part.covers
}

// gathering is memory for the members of one block, next to each other.
type gathering struct {
	wire.Set
	cur, base, base2 []delta.Group
	n                int    // members in the block
	hash             uint64 // of the block
}

// setBlock is what a block contains: the chosen members of v from one index to another, against up to two baselines.
type setBlock struct {
	v         *view
	f         *capture.Frame
	send      uint32 // of the state
	from, to  int
	base      base
	base2     base
	chosen    []bool   // by member; nil: all but replaced ones
	fromStart bool     // members that were out of sight are not named, because a client that joins has none of them
	late      []uint32 // with fromStart: ids of members that are left out
}

// has reports whether a member is chosen for a block.
func (b *setBlock) has(i int) bool {
	m := &b.v.members[i]
	switch {
	case i < b.from || i >= b.to:
		return false
	case b.chosen != nil:
		return b.chosen[i]
	case b.fromStart:
		return m.in(b.send) && !slices.Contains(b.late, m.id)
	}
	return !m.replaced
}

// based reports whether a baseline contains a member.
func (d *draft) based(i int, m *member, b *base) bool {
	if b.whole {
		return m.in(b.send) && !d.c.held.skips(m, b.send)
	}
	return b.send != 0 && d.part.covers[i]>>b.bit&1 != 0
}

// goneSince reports whether a block must name a member as gone that is not part of its baseline.
func (b *setBlock) goneSince(m *member) bool {
	return m.until != 0 && !b.fromStart && (!b.base.whole || m.until > b.base.send)
}

// gather copies the states of the members of a block next to each other, and finds which members of the baseline they are. It
// reports whether there is anything to encode.
func (d *draft) gather(b *setBlock) bool {
	x := &d.gathered
	x.Set.Reset()
	x.n, x.hash = 0, mix(uint64(b.send), uint64(b.base.send))
	var old, older *capture.Frame
	if b.base.send != 0 {
		old = d.sys.frames.At(b.base.send)
	}
	if b.base2.send != 0 {
		older = d.sys.frames.At(b.base2.send)
	}
	if j := d.c.held.joined; j != nil && j.send == b.base.send {
		x.Less = append(x.Less, j.late...)
	}
	run, included, after := uint32(0), true, uint32(0)
	for i := range b.v.members {
		m := &b.v.members[i]
		based := b.base.send != 0 && d.based(i, m, &b.base)
		chosen := b.has(i)
		if chosen && !based && b.goneSince(m) {
			x.Gone = append(x.Gone, wire.GoneEntity{ID: m.id, Hidden: m.hidden})
			continue
		}
		in := chosen && (based || m.in(b.send))
		if based {
			if in != included {
				x.Runs = append(x.Runs, run)
				run, included = 0, in
			}
			run++
		}
		if !in {
			continue
		}
		g, k := x.n/delta.GroupSize, x.n%delta.GroupSize
		if k == 0 {
			x.startGroup(g, b.f, old, older)
		}
		x.n++
		x.hash = mix(x.hash, m.hash())
		if m.in(b.send) {
			copySlot(&x.cur[g], k, b.f, m)
		} else {
			x.cur[g].Clear(k, m.hidden)
		}
		if !based {
			x.News = append(x.News, wire.NewEntity{After: after, Spawned: m.spawned && !b.fromStart})
			after = 0
		} else {
			after++
		}
		if old != nil {
			copyBase(&x.base[g], k, old, m, based)
		}
		if older != nil {
			copyBase(&x.base2[g], k, older, m, based && d.based(i, m, &b.base2))
		}
	}
	slices.SortFunc(x.Gone, func(a, b wire.GoneEntity) int { return cmp.Compare(a.ID, b.ID) })
	x.Gone = slices.CompactFunc(x.Gone, func(a, b wire.GoneEntity) bool { return a.ID == b.ID })
	return x.n > 0 || len(x.Gone) > 0
}

// startGroup prepares the groups with a number for up to 64 members.
func (x *gathering) startGroup(g int, f, old, older *capture.Frame) {
	for _, y := range [...]struct {
		groups *[]delta.Group
		f      *capture.Frame
	}{{&x.cur, f}, {&x.base, old}, {&x.base2, older}} {
		if y.f == nil {
			continue
		}
		*y.groups = reuse.Longer(*y.groups, max(len(*y.groups), g+1))
		(*y.groups)[g].Reset(y.f.Send)
	}
}

// copySlot copies the state of a member in a frame to a slot of a group.
func copySlot(to *delta.Group, k int, f *capture.Frame, m *member) {
	from := &f.Groups[m.group]
	rec := from.Record(int(m.slot))
	copy(to.Put(k, m.id, m.mask, len(rec)), rec)
}

// copyBase copies the state of a member in the frame of a baseline to a slot of a group. If the baseline does not hold the member
// the slot is empty.
func copyBase(to *delta.Group, k int, f *capture.Frame, m *member, held bool) {
	if held {
		copySlot(to, k, f, m)
	} else {
		to.Clear(k, false)
	}
}

// encodeGathered appends the gathered members as the body of a block to an arena.
func (d *draft) encodeGathered(arena *[]byte, b *setBlock) encoded {
	x, enc := &d.gathered, &d.encoder
	enc.parts = enc.parts[:0]
	for g := 0; g*delta.GroupSize < x.n; g++ {
		p := delta.Part{Cur: &x.cur[g], Slots: x.cur[g].Known}
		if b.base.send != 0 {
			p.Base = &x.base[g]
		}
		if b.base2.send != 0 {
			p.Base2 = &x.base2[g]
		}
		enc.parts = append(enc.parts, p)
	}
	enc.stats.Blocks++
	enc.stats.Entities += uint64(x.n)
	at := len(*arena)
	*arena = x.Set.Append(*arena)
	if x.n == 0 {
		return encoded{body: (*arena)[at:len(*arena):len(*arena)]}
	}
	body := len(*arena)
	e := enc.measure(arena, d.c.model, x.hash)
	(*arena)[at] |= byte(e.coder)
	e.body = (*arena)[at : body+len(e.body) : body+len(e.body)]
	return e
}

// piecesKey identifies the pieces of a view within one send: equal keys mean equal pieces.
type piecesKey struct {
	hash  uint64 // of the view, its baselines and the changes in between
	age   uint32 // 0: no baseline
	two   bool
	part  bool // the pieces are of a part of the view
	model *delta.Model
}

// key returns the key of the pieces of the client's view.
func (d *draft) key(age uint32, two bool) (k piecesKey, b setBlock) {
	v, h := d.c.view, &d.c.held
	k = piecesKey{hash: v.hash, age: age, two: two, model: d.c.model}
	b = setBlock{v: v, f: d.f, send: d.f.Send, to: len(v.members), fromStart: age == 0}
	if age == 0 {
		return k, b
	}
	b.base = base{send: d.f.Send - age, whole: true}
	was, _ := v.hashAt(b.base.send)
	k.hash = mix(k.hash, was)
	for i := len(v.events) - 1; i >= 0 && v.events[i].send > b.base.send; i-- {
		k.hash += v.events[i].hash
	}
	if two {
		b.base2 = base{send: b.base.send - 1, whole: true}
		was, _ = v.hashAt(b.base2.send)
		k.hash = mix(k.hash, was)
	}
	k.hash ^= h.lateHash(b.base.send)
	return k, b
}

// fitWhole packs the whole view of the client against the youngest send that it holds. It reports false if that does not fit.
func (d *draft) fitWhole() bool {
	c, pk := d.c, &d.pack
	h, v := &c.held, c.view
	age, two := h.choose(d.f.Send, c.baselines.Floor(), d.oldestAge(), d.sys.codecs.layout.Second())
	room := pk.limit - pk.used()
	if age == 0 && c.join.state == joinNone || float32(v.seen)*h.perSize > 1.25*float32(room) {
		return false
	}
	key, b := d.key(age, two)
	x := d.claim(key, &b)
	for _, m := range x.big {
		d.notes.add(note{kind: noteBig, view: v, id: m.id, mask: m.mask})
	}
	if len(x.big) > 0 || x.size > room {
		return false
	}
	mark := pk.load
	for i, e := range x.pieces {
		head := wire.BlockHead{Age: age, Two: two}
		if age == 0 {
			head.Piece, head.First = true, uint32(i)
		} else if len(x.pieces) > 1 { // those in the baseline are not missing
			head.Missing = age
		}
		if !pk.add(newBlock(head, e, d.f.Send)) {
			pk.rollback(mark)
			return false
		}
	}
	c.join.pieces = len(x.pieces)
	h.sends[d.f.Send%capture.Kept] = sentSend{send: d.f.Send, whole: true}
	h.perSize, h.told, c.over = 0, d.f.Send, false
	return true
}

// oldestAge returns the greatest age of a baseline.
func (d *draft) oldestAge() uint32 { return min(baseline.MaxAge, d.sys.frames.Depth()) }

// sizes counts the bytes of the whole views that were encoded, and their members, by the age of the baseline.
type sizes [sizeAges]struct{ bytes, members int }

const (
	sizeAges  = 9 // older baselines share the last
	sizeShift = 8 // of mean sizes
)

func (x *sizes) add(age uint32, bytes, members int) {
	y := &x[min(age, sizeAges-1)]
	y.bytes, y.members = y.bytes+bytes, y.members+members
}

// of returns the mean size of a member, in bytes << sizeShift; 0 if there was none.
func (x *sizes) of(age uint32) int {
	y := &x[min(age, sizeAges-1)]
	return y.bytes << sizeShift / max(y.members, 1)
}

// take moves the sizes of a worker to x.
func (x *sizes) take(o *sizes) {
	for i := range x {
		x[i].bytes, x[i].members = x[i].bytes+o[i].bytes, x[i].members+o[i].members
	}
	*o = sizes{}
}

// claim returns the pieces with a key. The first client with that key encodes the pieces.
func (d *draft) claim(key piecesKey, b *setBlock) *sharedPieces {
	enc := &d.encoder
	x, first := enc.shared.blocks.claim(key)
	if !first {
		enc.stats.Reused += uint64(x.wait())
		return x
	}
	defer enc.shared.blocks.done(key, x)
	cut := cutting{room: pieceRoom, arena: &enc.arena, to: x.pieces[:0], first: x.first[:0]}
	bytes := 0
	if !key.part {
		bytes = d.sys.shared.sizes.of(key.age) * b.v.seen >> sizeShift
	}
	d.cut(&cut, b, bytes)
	x.pieces, x.first, x.size, x.big = cut.to, cut.first, cut.size, cut.big
	if !key.part {
		d.notes.sizes.add(key.age, cut.size, b.v.seen)
	}
	return x
}

// cutting cuts a block into pieces.
type cutting struct {
	room  int // longest body of a piece
	alone int // longest body of a piece of one entity, if that is more
	arena *[]byte
	to    []encoded
	first []int32 // the index of the first member of each piece
	size  int     // bytes of all pieces
	big   []member
}

// cut encodes a block in pieces: at first in equal parts as for a number of bytes, and in halves where these are too long.
func (d *draft) cut(x *cutting, b *setBlock, bytes int) {
	n := max(1, (bytes+bytes/20+x.room-1)/x.room)
	from, to := b.from, b.to
	left := 0
	if n > 1 {
		left = d.count(b)
	}
	for ; n > 1; n-- {
		b.to = d.after(b, left/n)
		left -= left / n
		d.cutPart(x, b)
		b.from, b.to = b.to, to
	}
	d.cutPart(x, b)
	if len(x.to) == 0 { // an empty view is a piece, too
		d.gather(b)
		x.add(d.encodeGathered(x.arena, b), b.from)
	}
	b.from, b.to = from, to
}

func (d *draft) cutPart(x *cutting, b *setBlock) {
	if b.from == b.to || !d.gather(b) {
		return
	}
	mark := len(*x.arena)
	e := d.encodeGathered(x.arena, b)
	if len(e.body) <= x.room {
		x.add(e, b.from)
		return
	}
	from, to := b.from, b.to
	half := to
	if n := d.count(b); n > 1 {
		half = d.after(b, n/2)
	}
	switch {
	case half < to:
	case len(e.body) <= x.alone:
		x.add(e, from)
		return
	default:
		for i := from; i < to; i++ {
			if m := &b.v.members[i]; m.in(b.send) && b.has(i) {
				x.big = append(x.big, *m)
			}
		}
		return
	}
	*x.arena = (*x.arena)[:mark]
	b.to = half
	d.cutPart(x, b)
	b.from, b.to = half, to
	d.cutPart(x, b)
	b.from = from
}

func (x *cutting) add(e encoded, first int) {
	x.to, x.first = append(x.to, e), append(x.first, int32(first))
	x.size += len(e.body)
}

// contains reports whether a block contains a member, with its state or as gone. It does not depend on members that are not part
// of the view any more.
func (d *draft) contains(b *setBlock, i int) bool {
	m := &b.v.members[i]
	return b.has(i) && (b.base.send != 0 && d.based(i, m, &b.base) || m.in(b.send) || b.goneSince(m))
}

// count returns the number of members in a block.
func (d *draft) count(b *setBlock) (n int) {
	for i := b.from; i < b.to; i++ {
		if d.contains(b, i) {
			n++
		}
	}
	return n
}

// after returns the index after the first n members of a block.
func (d *draft) after(b *setBlock, n int) int {
	i := b.from
	for ; n > 0; i++ {
		if d.contains(b, i) {
			n--
		}
	}
	return i
}
