package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Owner state is the predicted and owner-only components of a client's own entities at full precision. It is a second view of each
// client, whose state is captured for that client alone.

// private is the view of a client's own entities, and what the client holds of it.
type private struct {
	view   view
	held   held
	frames ownerFrames
}

// ownerScratch is memory for the owner state of one client.
type ownerScratch struct {
	list   []owned // in the order of ids
	told   []report.Owned
	pieces sharedPieces
}

// owned is an entity of the client.
type owned struct {
	report.Owned
	at   frames.Owned
	seen bool // it is in the view
}

// ownerFrames stores the owner state of a client at its newest sends, in one ring of words in the order of the sends, so that the two
// baselines lie next to the newest state. Each state is
//
//	send | number of places | by place: index of the record's length, 0 for none | for each entity: length of the record, record
//
// The place of an entity is the index of its member in the private view.
type ownerFrames struct {
	ring []int32
	room int // words of each state
	end  int // words of the state that was started
}

// words returns the words of the state of a send.
func (o *ownerFrames) words(send uint32) []int32 {
	at := int(send%wire.OwnKept) * o.room
	return o.ring[at : at+o.room]
}

// touch reads a byte of the states of a send and of the next one, so that they are in the cache when they are read. The
// result has no meaning.
func (o *ownerFrames) touch(send uint32) byte {
	if o.room == 0 {
		return 0
	}
	return byte(o.words(send)[0]) ^ byte(o.words(send + 1)[0])
}

// start starts the state of a send with a number of places, and makes room for words of records and their lengths.
func (o *ownerFrames) start(send uint32, places, words int) {
	if n := 2 + places + words; n > o.room {
		old := *o
		o.room = n
		o.ring = make([]int32, wire.OwnKept*n)
		for send := range uint32(wire.OwnKept) {
			copy(o.words(send), old.words(send))
		}
	}
	x := o.words(send)
	x[0], x[1] = int32(send), int32(places)
	clear(x[2 : 2+places])
	o.end = 2 + places
}

// add adds the record of a member to the state that was started, and returns the record to be written.
func (o *ownerFrames) add(send uint32, m *member, words int) []int32 {
	x := o.words(send)
	x[2+m.index], x[o.end] = int32(o.end), int32(words)
	rec := x[o.end+1 : o.end+1+words]
	o.end += 1 + words
	return rec
}

// record returns the record of a member at a send; nil if there is none, or the state is no longer kept.
func (o *ownerFrames) record(send uint32, m *member) []int32 {
	if o.room == 0 {
		return nil
	}
	x := o.words(send)
	if uint32(x[0]) != send || m.index >= x[1] || x[2+m.index] == 0 {
		return nil
	}
	x = x[x[2+m.index]:]
	return x[1 : 1+x[0]]
}

// captureOwner captures the owner state of the client, and decides whether the snapshot contains it.
func (d *draft) captureOwner() {
	s, c, f, y := d.sys, d.c, d.f, &d.owner
	d.selectView(true)
	v, layout := d.v, s.codecs.rawLayout
	v.oldest = f.Send - min(f.Send, d.remembered())
	v.retryTooBig(f.Send)
	parts, words := c.peer.Report().Parts(s.ownerParts), 0
	y.list = y.list[:0]
	for _, o := range f.Owned(c.own) {
		id, mask := f.Groups[o.Group].IDs[o.Slot], d.w.Netcode().Mask(f.Entity(o.Group, o.Slot))&parts
		if mask != 0 && !v.isTooBig(id) && len(y.list) < wire.MaxOwn {
			y.list = append(y.list, owned{Owned: report.Owned{ID: id, Mask: mask}, at: o})
			words += 1 + layout.RecordWords(mask)
		}
	}
	slices.SortFunc(y.list, func(a, b owned) int { return cmp.Compare(a.ID, b.ID) })
	d.updatePrivate(v)
	c.private.frames.start(f.Send, v.indexes, words)
	for i := range v.members {
		m := &v.members[i]
		if m.until != 0 {
			continue
		}
		x := y.find(m.id)
		x.Record = c.private.frames.add(f.Send, m, layout.RecordWords(m.mask))
		d.captureRecord(x.Record, f.Entity(x.at.Group, x.at.Slot), m.mask)
	}
	c.tells = d.sendsOwner() && !c.starved
}

// find returns the entity with an id.
func (y *ownerScratch) find(id uint32) *owned {
	if i, ok := slices.BinarySearchFunc(y.list, id, func(o owned, id uint32) int { return cmp.Compare(o.ID, id) }); ok {
		return &y.list[i]
	}
	return nil
}

// updatePrivate changes the members of the private view to the listed entities.
func (d *draft) updatePrivate(v *view) {
	y, gone := &d.views, false
	y.gone = reuse.Slice(y.gone, (v.indexes+63)/64)
	clear(y.gone)
	y.entered = y.entered[:0]
	for i := range v.members {
		m := &v.members[i]
		if m.until != 0 {
			continue
		}
		if x := d.owner.find(m.id); x != nil && x.Mask == m.mask {
			x.seen = true
		} else {
			y.gone[m.group] |= 1 << m.slot
			gone = true
		}
	}
	for i := range d.owner.list {
		if x := &d.owner.list[i]; !x.seen {
			y.entered = append(y.entered, member{mask: x.Mask, id: x.ID, since: d.f.Send})
		}
	}
	d.changeView(v, gone)
}

// captureRecord writes the components in mask of an entity to a record.
func (d *draft) captureRecord(rec []int32, e ecs.Entity, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if comp := d.sys.comps[bits.TrailingZeros64(mask)]; comp.Words > 0 {
			raw := comp.Schema.AppendRaw(d.encoder.raw[:0], d.c.peer.Own(e, comp))
			d.encoder.raw = raw
			rec = rec[frames.PackRaw(rec, raw):]
		}
	}
}

// sendsOwner reports whether owner state must be sent. If clients report results, it is sent while a correction is open, and
// until the client has the owner-only components, which results do not contain.
func (d *draft) sendsOwner() bool {
	p, y, results := &d.c.private, &d.owner, d.c.peer.Report()
	if results != nil {
		y.told = y.told[:0]
		for i := range y.list {
			y.told = append(y.told, y.list[i].Owned)
		}
		if tells, since := d.sys.config.Reports.Tells(results, d.f.Send, y.told); !tells && (p.view.seen == 0 || p.held.whole >= since) {
			return false
		}
	}
	return p.view.indexes > 0 || results.Emptied() // a correction may be that the client has no entities any more
}

// fitOwner packs owner state: all of it, or by priority what fits half the budget. Clients use owner state that is complete, so
// that owner state may take the whole budget; then it waits for a send, see [Client].starved.
func (d *draft) fitOwner() {
	pk := &d.pack
	if d.ownWhole = true; d.starved || !d.c.tells {
		return
	}
	d.selectView(true)
	if d.h.lost {
		d.h.forget()
	}
	empty, limit := pk.load, pk.limit
	defer func() { pk.limit = limit }()
	pk.limit = limit / 2
	w := d.claimWhole(d.choose())
	if d.packWhole(&w) && pk.countOwner() <= 1 {
		return
	}
	pk.rollback(empty)
	pk.firstHeader, pk.laterHeader = pk.firstHeader+wire.MaxDivided, pk.laterHeader+wire.MaxDivided
	if d.packWhole(&w) {
		return
	}
	if pk.limit = limit; d.packWhole(&w) {
		return
	}
	d.ownWhole = false
	pk.limit = limit / 2
	if d.fitPart(); !pk.has(contentOwner) { // half the budget is not enough for one entity
		pk.limit = limit
		d.fitPart()
	}
}

// tooBigOwn leaves out an own entity that fits no snapshot.
func (d *draft) tooBigOwn(n note) {
	d.v.tooBig = append(d.v.tooBig, tooBig{n.id, d.f.Send})
	d.stats.Oversized++
	d.notes.add(n)
}

// cutOwn encodes a block of owner state in pieces.
func (d *draft) cutOwn(b *setBlock) *sharedPieces {
	x := &d.owner.pieces
	cut := cutting{room: pieceRoom, arena: &d.encoder.once, to: x.pieces[:0], first: x.first[:0], big: x.big[:0]}
	d.cut(&cut, b, 0)
	x.pieces, x.first, x.size, x.big = cut.to, cut.first, cut.size, cut.big
	return x
}
