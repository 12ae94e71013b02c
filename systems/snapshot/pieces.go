package snapshot

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys"
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
	n                int     // members in the block
	seen             []int32 // what a client may see of a record
	hash             uint64  // of the block
}

// state is the state of the entities of a view at a send.
type state struct {
	send  uint32
	world *frames.Frame
	own   *ownerFrames // of the private view
}

// record returns the record of a member, valid until the next call.
func (d *draft) record(x *state, m *member) []int32 {
	if x.own != nil {
		return x.own.record(x.send, m)
	}
	g, k := &x.world.Groups[m.group], int(m.slot)
	rec := g.Record(k)
	if g.Masks[k] == m.mask {
		return rec
	}
	d.gathered.seen = d.gathered.seen[:0] // without the components that are hidden
	for set := g.Masks[k]; set != 0; set &= set - 1 {
		n := d.sys.codecs.layout.RecordWords(set & -set)
		if m.mask&set&-set != 0 {
			d.gathered.seen = append(d.gathered.seen, rec[:n]...)
		}
		rec = rec[n:]
	}
	return d.gathered.seen
}

// stateAt returns the state of the view at a send that is still kept.
func (d *draft) stateAt(send uint32) state {
	if d.own {
		return state{send: send, own: &d.c.private.frames}
	}
	return state{send: send, world: d.sys.frames.At(send)}
}

// setBlock is what a block contains: the chosen members of v from one index to another, against up to two baselines.
type setBlock struct {
	v         *view
	now       state
	from, to  int
	base      base
	base2     base
	list      []int32  // the chosen members, if chosen is not nil
	chosen    []bool   // by member, while the block is encoded; nil: all but replaced ones
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
		return m.in(b.now.send) && !slices.Contains(b.late, m.id)
	}
	return !m.replaced
}

// based reports whether a baseline contains a member.
func (d *draft) based(i int, m *member, b *base) bool {
	if b.whole {
		return m.in(b.send) && !d.h.skips(m, b.send)
	}
	return b.send != 0 && d.part.covers[i]>>b.bit&1 != 0
}

// earlier returns the member that the entity of a member, with the same components, was at the second baseline: it may have been out
// of sight in between, and the client finds it by id and components. held is false if the baseline does not contain it.
func (d *draft) earlier(b *setBlock, i int) (m *member, held bool) {
	for {
		m = &b.v.members[i]
		if held = d.based(i, m, &b.base2); held || i == 0 || b.v.members[i-1].id != m.id || b.v.members[i-1].mask != m.mask {
			return m, held
		}
		i--
	}
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
	x.n, x.hash = 0, mix(uint64(b.now.send), uint64(b.base.send))
	var old, older state
	if b.base.send != 0 {
		old = d.stateAt(b.base.send)
	}
	if b.base2.send != 0 {
		older = d.stateAt(b.base2.send)
	}
	if j := d.h.joined; j != nil && j.send == b.base.send {
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
		in := chosen && (based || m.in(b.now.send))
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
			d.startGroup(g, b.now.send, old.send, older.send)
		}
		x.n++
		x.hash = mix(x.hash, m.hash())
		if m.in(b.now.send) {
			d.copySlot(&x.cur[g], k, &b.now, m)
		} else {
			x.cur[g].Clear(k, m.hidden)
		}
		if !based {
			x.News = append(x.News, wire.NewEntity{After: after, Spawned: m.spawned && !b.fromStart})
			after = 0
		} else {
			after++
		}
		if old.send != 0 {
			d.copyBase(&x.base[g], k, &old, m, based)
		}
		if older.send != 0 {
			was, held := d.earlier(b, i)
			d.copyBase(&x.base2[g], k, &older, was, based && held)
		}
	}
	slices.SortFunc(x.Gone, func(a, b wire.GoneEntity) int { return cmp.Compare(a.ID, b.ID) })
	x.Gone = slices.CompactFunc(x.Gone, func(a, b wire.GoneEntity) bool { return a.ID == b.ID })
	return x.n > 0 || len(x.Gone) > 0
}

// startGroup prepares the groups with an index for up to 64 members, of a send and its baselines.
func (d *draft) startGroup(g int, send, old, older uint32) {
	x := &d.gathered
	for _, y := range [...]struct {
		groups *[]delta.Group
		send   uint32
	}{{&x.cur, send}, {&x.base, old}, {&x.base2, older}} {
		if y.send == 0 {
			continue
		}
		*y.groups = reuse.Longer(*y.groups, max(len(*y.groups), g+1))
		(*y.groups)[g].Reset(d.sys.numberOf(y.send))
	}
}

// copySlot copies the state of a member to a slot of a group.
func (d *draft) copySlot(to *delta.Group, k int, from *state, m *member) {
	rec := d.record(from, m)
	copy(to.Put(k, m.id, m.mask, len(rec)), rec)
}

// copyBase copies the state of a member at a baseline to a slot of a group. If the baseline does not hold the member the slot is empty.
func (d *draft) copyBase(to *delta.Group, k int, from *state, m *member, held bool) {
	if held {
		d.copySlot(to, k, from, m)
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
	if d.own {
		enc.stats.Own++
	} else {
		enc.stats.Blocks++
		enc.stats.Entities += uint64(x.n)
	}
	at, set := len(*arena), x.Set.Any()
	if set {
		*arena = x.Set.Append(*arena)
	}
	body := len(*arena)
	e := encoded{}
	switch {
	case x.n == 0:
	case d.own:
		*arena, e.coder = enc.private.Append(*arena, d.sys.codecs.rawModel, enc.parts)
		e.body = (*arena)[body:]
	default:
		e = enc.measure(arena, d.c.model, x.hash)
	}
	e.set = set
	e.body = (*arena)[at : body+len(e.body) : body+len(e.body)]
	return e
}

// piecesKey identifies the pieces of a view within one send: equal keys mean equal pieces.
type piecesKey struct {
	hash  uint64 // of the view, its baselines and the changes in between
	age   uint32 // 0: no baseline
	two   uint32 // sends from the second baseline to the first; 0: there is none
	part  bool   // the pieces are of a part of the view
	model *delta.Model
}

// key returns the key of the pieces of the client's view.
func (d *draft) key(age uint32, two bool) (k piecesKey, b setBlock) {
	v, h := d.v, d.h
	k = piecesKey{hash: v.hash, age: age, model: d.c.model}
	b = setBlock{v: v, now: d.stateAt(d.f.Send), to: len(v.members), fromStart: age == 0}
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
		k.two = d.c.pace.skip
		b.base2 = base{send: b.base.send - k.two, whole: true}
		was, _ = v.hashAt(b.base2.send)
		k.hash = mix(k.hash, was)
	}
	k.hash ^= h.lateHash(b.base.send)
	return k, b
}

// choose returns the age of the baseline of the whole view, 0 for none, and whether there is a second one.
func (d *draft) choose() (age uint32, two bool) {
	age, two = d.h.choose(d.f.Send, d.c.floor, d.oldestAge(), d.c.before(d.layout()))
	return age, two && d.sys.pairs(d.c, d.f.Send-age)
}

// before returns how many sends a second baseline is older than the first; 0: there is none.
func (c *Client) before(layout *delta.Layout) uint32 {
	if layout.Second() {
		return c.pace.skip
	}
	return 0
}

// pairs reports whether a client finds the send before a baseline: by the interval that the header says.
func (s *System) pairs(c *Client, send uint32) bool {
	return s.numberOf(send)-s.numberOf(send-c.pace.skip) == s.sends.every*c.pace.skip
}

func (d *draft) layout() *delta.Layout {
	if d.own {
		return d.sys.codecs.rawLayout
	}
	return d.sys.codecs.layout
}

// whole is the whole view in pieces, against the youngest send that the client holds.
type whole struct {
	*sharedPieces
	age uint32 // of the baseline; 0: none
	two bool
}

// fitWhole packs the whole view. It reports false if that does not fit.
func (d *draft) fitWhole() bool {
	age, two := d.choose()
	if age == 0 && d.c.join.state == joinNone || float32(d.v.seen)*d.h.perSize > 1.25*float32(d.pack.limit-d.pack.used()) {
		return false
	}
	w := d.claimWhole(age, two)
	if !d.packWhole(&w) {
		return false
	}
	d.c.join.pieces = len(w.pieces)
	return true
}

// claimWhole returns the pieces of the whole view.
func (d *draft) claimWhole(age uint32, two bool) whole {
	key, b := d.key(age, two)
	w := whole{d.claim(key, &b), age, two}
	for _, m := range w.big {
		n := note{kind: noteBig, id: m.id, mask: m.mask}
		if d.own {
			d.tooBigOwn(n)
			continue
		}
		n.view = d.v
		d.notes.add(n)
	}
	return w
}

// packWhole packs the whole view. It does nothing and reports false if that does not fit.
func (d *draft) packWhole(w *whole) bool {
	h, pk := d.h, &d.pack
	if len(w.big) > 0 || w.size > pk.limit-pk.used() {
		return false
	}
	mark := pk.load
	for i, e := range w.pieces {
		head := wire.BlockHead{Own: d.own, Age: d.sys.back(w.age), Two: w.two}
		switch {
		case d.own:
		case w.age == 0:
			head.Piece, head.Number = true, uint32(i)
		case len(w.pieces) > 1: // those in the baseline are not missing
			head.Missing = head.Age
		}
		if !pk.add(newBlock(head, e, d.f.Send)) {
			pk.rollback(mark)
			return false
		}
	}
	*h.place(d.f.Send) = sentSend{send: d.f.Send, whole: true}
	h.perSize, h.told = 0, d.f.Send
	return true
}

// oldestAge returns the greatest age of a baseline.
func (d *draft) oldestAge() uint32 {
	if d.own {
		return wire.OwnKept - 1
	}
	return min(d.sys.maxAge(), d.sys.frames.Depth())
}

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
	if d.own {
		return d.cutOwn(b)
	}
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
	for _, i := range b.list {
		b.chosen[i] = true
	}
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
	for _, i := range b.list {
		b.chosen[i] = false
	}
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
			if m := &b.v.members[i]; m.in(b.now.send) && b.has(i) {
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
	return b.has(i) && (b.base.send != 0 && d.based(i, m, &b.base) || m.in(b.now.send) || b.goneSince(m))
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
