package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// draft is the snapshot of one client while it is laid out. Own state goes first. If the
// rest fits the budget all of it goes, in as few blocks as there are baselines; where it
// does not, groups compete (see contest.go).
//
// Each worker has a draft, in which it lays out one client after the other.
type draft struct {
	sys     *System
	w       *ecs.World
	f       *capture.Frame
	c       *Client
	pack    packing
	contest contest
	own     ownScratch
	encoder encoder
	stats   Stats // that have not been merged
	notes   notes // likewise
	void    void
	viewing viewing
	keeping keeping
}

// void are groups in which nothing is to be seen.
type void struct {
	unseen [1]delta.Group // all slots out of sight
	empty  [1]delta.Group // all slots empty
}

func (d *draft) begin(s *System) {
	d.sys = s
	if s.config.Interest != nil {
		d.viewing.room = s.config.Interest.Room()
	}
	for k := range delta.GroupSize {
		d.void.unseen[0].Clear(k, true)
		d.void.empty[0].Clear(k, false)
	}
	d.encoder.prepare(s)
}

// beginSend begins a send of the state of a frame.
func (d *draft) beginSend(w *ecs.World, f *capture.Frame) {
	d.w, d.f = w, f
	d.encoder.reset(f.Send)
}

// source is the groups that a snapshot tells of: the world's, or a client's own
// entities'.
type source struct {
	own    bool
	model  *delta.Model
	second bool   // predictions gain from a second baseline
	oldest uint32 // age that a baseline may have
	send   uint32
	floor  uint32
	groups []delta.Group
	view   *view     // the numbers of groups are those that they have for the client; nil: those in groups
	list   groupList // which of them concern the client
	held   *baseline.Records
	kind   content
	apart  bool // which of them the client wants may differ, of neighbours too
	kept   *keeping
}

// groupList is which groups concern a client: those that are listed, ascending, or where seen is
// nil the first of all.
type groupList struct {
	seen   []uint32
	groups int
}

// each are the groups.
func (l groupList) each(yield func(g int) bool) {
	if l.seen == nil {
		for g := range l.groups {
			if !yield(g) {
				return
			}
		}
		return
	}
	for _, g := range l.seen {
		if !yield(int(g)) {
			return
		}
	}
}

// waits reports whether a client will need what another worker is just encoding: who can do others meanwhile
// puts it off. It looks at the first group that the client knows of, since most are told from the same baseline.
func (d *draft) waits(c *Client) bool {
	if c.join.state != joinNone || c.baselines.World.Len() == 0 {
		return false
	}
	g, _, h := c.baselines.World.Nth(0)
	age, two, _ := h.Choose(d.f.Send, c.baselines.Floor(), wire.AllSlots, d.sys.codecs.layout.Second(), baseline.MaxAge)
	return d.sys.shared.blocks.encoding(g, age, two, c.model)
}

// layOut makes the snapshot of one client and queues its datagrams.
func (d *draft) layOut(c *Client) {
	s, f := d.sys, d.f
	d.c, d.keeping.known = c, false
	d.encoder.resetOwn()
	d.stats.Updates++
	if c.join.at == 0 {
		c.join.at = f.Send
	}
	if c.baselines.Renew() {
		s.shared.joins.release(c)
		c.join.state, c.join.at = joinNow, f.Send
	}
	d.see()
	c.baselines.Promise(f.Send, c.join.keeps(f.Send))
	h := s.header(c, f)
	first, later := h.Sizes()
	if c.contest.over { // clients that have the same to be told choose alike, whether the control part is due or not
		control := h
		control.Control = true
		first, _ = control.Sizes()
	}
	if c.join.state == joinNow {
		first, later = first+wire.MaxJoinHeader, later+wire.MaxJoinHeader
	}
	d.pack.begin(first, later, wire.MaxJoinHeader, c.contest.budget, c.allowed(s.config.Clock.Now()))
	starved := c.contest.starved
	c.contest.starved = false
	d.tellOwn(starved)
	d.tellHidden()
	src := source{
		model: c.model, second: s.codecs.layout.Second(), oldest: min(baseline.MaxAge, s.frames.Depth()),
		send: f.Send, floor: c.baselines.Floor(), groups: f.Groups, list: c.concern(f), held: &c.baselines.World, kind: contentWorld,
		apart: s.sends.far != 1,
	}
	if c.sight.on {
		src.view = &c.sight.view
	}
	switch {
	case c.join.state == joinStream:
		d.tellJoin(&src, starved)
	case (!c.contest.over || c.join.state == joinNow || s.config.Priority != nil) && d.untorn(&src):
		c.contest.relax()
	case c.join.state == joinNow:
		s.shared.joins.pin(d)
		d.tellJoin(&src, starved)
	default:
		d.contest.world(d, &src, d.pack.limit)
	}
	s.emit(d, &h)
	for i := range s.watches {
		if x := &s.watches[i]; x.Client == c.id {
			write(x, d)
		}
	}
}

// tellJoin lays out deltas and blocks of the state with which a client joins, half
// and half where both have much to tell. A block that did not fit the last time goes
// first.
func (d *draft) tellJoin(src *source, starved bool) {
	pk, limit, wait := &d.pack, d.pack.limit, d.c.roundTrip(d.sys.config.SendRate)
	src.apart = true // those that have arrived
	if starved {
		d.c.stream(pk, d.f.Send, wait)
	}
	pk.limit = pk.used() + (limit-pk.used())/2
	src.keep(d)
	if d.c.contest.over && d.sys.config.Priority == nil || !d.whole(src) {
		d.contest.world(d, src, pk.limit)
	}
	pk.limit = limit
	d.c.stream(pk, d.f.Send, wait)
}

// block is the block that has most of these slots of a group in one: with the youngest
// baseline that serves most of them.
func (src *source) block(g int, slots uint64) wire.BlockHead {
	age, two, serves := src.held.At(uint32(g)).Choose(src.send, src.floor, slots, src.second, src.oldest)
	if age == 0 {
		serves = slots
	}
	return wire.BlockHead{Own: src.own, First: uint32(g), Count: 1, Slots: serves, Age: age, Two: two}
}

// place is where a group stands in groups.
func (src *source) place(g uint32) uint32 {
	if src.view != nil {
		return uint32(src.view.pieces[g].group)
	}
	return g
}

// group is a group.
func (src *source) group(g uint32) *delta.Group { return &src.groups[src.place(g)] }

// full is the block of a whole group without a baseline.
func (src *source) full(g int) wire.BlockHead {
	return wire.BlockHead{Own: src.own, First: uint32(g), Count: 1, Slots: wire.AllSlots}
}

// shown are the slots of a group that the client may see, and is told of.
func (src *source) shown(g int) uint64 {
	hidden, _ := src.held.At(uint32(g)).Hidden()
	return ^hidden &^ src.keeps(g)
}

// keep makes a source tell nothing of slots that the client keeps, if there are any.
func (src *source) keep(d *draft) bool {
	if src.kept = d.keep(); len(src.kept.slots) == 0 {
		src.kept = nil
	}
	src.apart = src.apart || src.kept != nil
	return src.kept != nil
}

// keeps are the slots of a group that it keeps.
func (src *source) keeps(g int) uint64 {
	if src.kept == nil {
		return 0
	}
	return src.kept.of(uint32(g))
}

// wants reports whether the client is to be told of a group: while the state that it joins
// with streams, only of what has arrived or was not there then.
func (d *draft) wants(src *source, g int) bool {
	return src.own || d.c.join.has(g) && !d.skips(src, g)
}

// skips reports whether a group is far from the client, and is told with another of its snapshots.
func (d *draft) skips(src *source, g int) bool {
	s, place := d.sys, src.place(uint32(g))
	if s.sends.far == 1 || s.config.Interest == nil || d.c.join.state != joinNone {
		return false
	}
	return (src.send/s.sends.all+place)%s.sends.far != 0 && d.c.sight.Far(s.config.Interest, place)
}

// class is how little a group matters to the client.
func (d *draft) class(src *source, g int) uint8 {
	if s := d.sys; s.config.Interest != nil {
		return d.c.sight.Class(s.config.Interest, src.place(uint32(g)))
	}
	return 0
}

// at is the state of a source at an earlier send.
func (d *draft) at(src *source, send uint32) []delta.Group {
	if src.own {
		return d.own.past.at(&d.c.own.frames, send)
	}
	if f := d.sys.frames.At(send); f != nil {
		return f.Groups
	}
	return nil
}

// encode returns a block of a source with its body.
func (d *draft) encode(src *source, h wire.BlockHead) block {
	var base, base2 []delta.Group
	head := h
	head.First = src.place(h.First)
	if h.Age > 0 {
		base = from(head.First, d.at(src, src.send-h.Age))
		if h.Two {
			base2 = from(head.First, d.at(src, src.send-h.Age-1))
		}
	}
	e, cur := &d.encoder, src.groups[head.First:]
	if src.own {
		e.stats.Own++
		return newBlock(h, e.ownBlock(&d.c.own, src.model, &head, cur, base, base2), src.send)
	}
	b := newBlock(h, e.world(src.model, &head, cur, base, base2), src.send)
	if src.view == nil {
		return b
	}
	if w := baseline.Ways(src.held.At(h.First), &h, src.send, cur[0].Alive, d.sys.frames.Moves(int(head.First))); w.Told {
		at := len(e.once)
		e.once, b.Coder = w.Append(e.once, b.coder)
		e.once = append(e.once, b.body...)
		b.body = e.once[at:len(e.once):len(e.once)]
	}
	return b
}

// from are the groups from one on, nil of none.
func from(first uint32, groups []delta.Group) []delta.Group {
	if groups == nil {
		return nil
	}
	return groups[first:]
}

// stretch is groups that follow one another, of which the same is known and to be told; none behind the last.
type stretch struct {
	first, count uint32
	held         *baseline.Group
	next         int // where the next one is asked for
}

// stretch is the groups of a source from a place on, of those that concern the client.
func (src *source) stretch(at int) (x stretch) {
	x.next = at + 1
	switch l := &src.list; {
	case l.seen != nil && at < len(l.seen):
		x.first, x.count, x.held = l.seen[at], 1, src.held.At(l.seen[at])
	case l.seen != nil || at >= l.groups:
	case src.apart:
		x.first, x.count, x.held = uint32(at), 1, src.held.At(uint32(at))
	default:
		x.first, x.count, x.held = src.held.Of(uint32(at))
		x.next = int(x.first + x.count)
	}
	return x
}

// untorn is whole, and does not tell of the old slot of an entity in one datagram and of the new one in another.
func (d *draft) untorn(src *source) bool {
	mark := d.pack.load
	if !d.whole(src) {
		return false
	}
	if d.c.join.state == joinNow || d.pack.datagrams <= 1 && d.sys.sends.far == 1 || !src.keep(d) {
		return true
	}
	d.pack.rollback(mark)
	return d.whole(src)
}

// whole lays out all that a source has, or nothing when that does not fit.
func (d *draft) whole(src *source) bool {
	mark := d.pack.load
	var run, next wire.BlockHead
	var like baseline.Group // which the baseline of next is for
	for x := src.stretch(0); x.count > 0; x = src.stretch(x.next) {
		g, h := int(x.first), x.held
		wants := d.wants(src, g)
		if !wants || !h.Whole() || src.keeps(g) != 0 {
			if !d.run(src, run) || wants && !d.apart(src, g) {
				d.pack.rollback(mark)
				return false
			}
			run = wire.BlockHead{}
			continue
		}
		if !h.Like(&like) {
			next, like = src.block(g, wire.AllSlots), *h
		}
		if run.Count > 0 && run.First+run.Count == x.first && src.view == nil && run.Age == next.Age && run.Two == next.Two {
			run.Count += x.count
			continue
		}
		if !d.run(src, run) {
			d.pack.rollback(mark)
			return false
		}
		run = next
		run.First, run.Count = x.first, x.count
	}
	if !d.run(src, run) {
		d.pack.rollback(mark)
		return false
	}
	return true
}

// apart lays out a group of which the client holds other states slot by slot.
func (d *draft) apart(src *source, g int) bool {
	for slots := src.shown(g); slots != 0; {
		b := src.block(g, slots)
		if !d.run(src, b) {
			return false
		}
		slots &^= b.Slots
	}
	return true
}

// run lays out a run of groups, in halves where it is too long for a datagram.
// Halves end where halves of other runs do, so that clients can share them.
func (d *draft) run(src *source, run wire.BlockHead) bool {
	if run.Count == 0 {
		return true
	}
	pk := &d.pack
	parts := run.Count > 1 || bits.OnesCount64(run.Slots&src.group(run.First).Alive) > 1
	if !parts || src.view != nil || !d.sys.shared.long.hopeless(&run, src.send, pk.fresh()) {
		b := d.encode(src, run)
		if pk.add(b, src.kind) {
			return true
		}
		if len(b.body) <= pk.fresh() {
			return false
		}
		if src.view == nil { // what others are sent is none of the business of this client
			d.notes.long(&run, src.send, len(b.body))
		}
	}
	if run.Count > 1 {
		a, b := run.Halve()
		return d.run(src, a) && d.run(src, b)
	}
	low, high := wire.HalveSlots(run.Slots, src.group(run.First).Alive)
	if high == 0 {
		d.oversized(src, int(run.First), run.Slots)
		run.Slots &^= src.group(run.First).Alive
		if run.Slots == 0 {
			return true
		}
		return pk.add(d.encode(src, run), src.kind)
	}
	a, b := run, run
	a.Slots, b.Slots = low, high
	return d.run(src, a) && d.run(src, b)
}
