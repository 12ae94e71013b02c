package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// see brings what a client may see up to date: its own entities, and those that it is
// interested in.
func (d *draft) see() {
	c, f := d.c, d.f
	if c.sight.on {
		d.look()
	} else {
		if s := d.sys; s.config.Interest != nil {
			c.sight.Stand(s.config.Interest, c.id, &d.viewing.room)
		}
		if c.baselines.World.Grow(len(f.Groups)); !c.contest.big {
			return
		}
	}
	c.contest.big = false
	for n := range c.concern(f).each {
		g, seen := n, wire.AllSlots
		if c.sight.on {
			p := &c.sight.view.pieces[n]
			g, seen = int(p.group), p.slots
		}
		cur, h := &f.Groups[g], c.baselines.World.At(uint32(n))
		if big := h.StillLeftOut(f.Send, cur.Alive); big != 0 {
			seen &^= big
			c.contest.big = true
		}
		if seen != wire.AllSlots || !h.Whole() {
			d.hide(uint32(n), seen, stays(d, g))
		}
	}
}

// look brings the view of the client up to date.
func (d *draft) look() {
	c, f := d.c, d.f
	v, x := &c.sight.view, &d.viewing
	d.sys.config.Interest.See(&c.sight.Client, c.id, &d.viewing.room)
	d.letGo()
	x.numbers = reuse.Longer(x.numbers, max(len(x.numbers), len(f.Groups)))
	for n := range v.pieces {
		if g := v.pieces[n].group; g >= 0 {
			x.numbers[g] = int32(n) + 1
		}
	}
	x.entries = x.entries[:0]
	for _, s := range c.sight.Seen {
		if n := x.numbers[s.Group]; n > 0 && !f.Founded(s.Group) {
			p := &v.pieces[n-1]
			p.send, p.slots = f.Send, s.Slots
		} else {
			x.entries = append(x.entries, entry{int32(s.Group), lowest(&f.Groups[s.Group], s.Slots), s.Slots})
		}
	}
	for n := range v.pieces {
		if p := &v.pieces[n]; p.group >= 0 {
			if x.numbers[p.group] = 0; p.send != f.Send {
				d.hide(uint32(n), 0, leaves(d, int(p.group)))
				p.group, p.was = leaving, p.group
			}
		}
	}
	slices.SortFunc(x.entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.group, b.group)) })
	for i := range x.entries {
		d.enter(&x.entries[i])
	}
	if v.seen = v.seen[:0]; c.join.state != joinNone {
		d.fill()
	}
	for n := range v.pieces {
		if p := &v.pieces[n]; p.group >= 0 && p.send == f.Send {
			v.seen = append(v.seen, uint32(n))
		}
	}
}

// letGo frees the numbers of groups of which the client knows that they are out of its sight.
func (d *draft) letGo() {
	c := d.c
	c.baselines.LetGo()
	for n := range c.sight.view.pieces {
		if p := &c.sight.view.pieces[n]; p.group == leaving && c.baselines.World.At(uint32(n)) == nil {
			p.group = free
		}
	}
}

// enter gives a group that comes into sight a number.
func (d *draft) enter(e *entry) {
	c, v := d.c, &d.c.sight.view
	n := slices.IndexFunc(v.pieces, func(p piece) bool { return p.group == free })
	if n < 0 {
		n = len(v.pieces)
		v.pieces = append(v.pieces, piece{})
	}
	v.pieces[n] = piece{group: e.group, send: d.f.Send, slots: e.slots}
	c.baselines.World.Tell(uint32(n), d.f.Send)
	c.contest.clear(n)
}

// fill gives numbers that are free a record of slots out of sight: a client that joins must be told of
// all numbers up to the last.
func (d *draft) fill() {
	c := d.c
	for n := range c.sight.view.pieces {
		if p := &c.sight.view.pieces[n]; p.group == free && c.baselines.World.At(uint32(n)) == nil {
			*p = piece{group: leaving}
			c.baselines.World.Tell(uint32(n), d.f.Send)
			c.baselines.Hide(uint32(n), d.f.Send, 0, wire.AllSlots)
		}
	}
}

// hide notes what a client may see of a group from now on; same are the slots of which it knows the
// entity, if any is there.
func (d *draft) hide(g uint32, seen, same uint64) {
	c := d.c
	if gone := c.baselines.Hide(g, d.f.Send, seen, same); gone != 0 && c.join.state == joinStream {
		c.join.stream.censor(&d.encoder, int(g), gone)
	}
}

// tellHidden tells of slots that the client may not see any more: that they are
// out of its sight, or empty where what it knew there is gone. A client that joins
// is told of all of them, since it must know every slot.
func (d *draft) tellHidden() {
	c := d.c
	for i := range c.baselines.World.Len() {
		first, count, h := c.baselines.World.Nth(i)
		hidden, slots := h.Hidden()
		if hidden == 0 || c.join.state == joinStream && slots == 0 {
			continue
		}
		if c.join.state != joinNone {
			slots = hidden
		}
		empty := h.HiddenEmpty()
		for g := first; g < first+count && slots != 0; g++ {
			told := slots
			if c.join.state != joinNow {
				told &^= moving(d, int(g), slots) | d.keep().of(g)
			}
			d.cover(g, told&^empty, d.void.unseen[:])
			d.cover(g, told&empty, d.void.empty[:])
		}
	}
}

// cover tells of slots of a group that nothing is to be seen there.
func (d *draft) cover(g uint32, slots uint64, void []delta.Group) {
	if slots == 0 {
		return
	}
	head := wire.BlockHead{First: g, Count: 1, Slots: slots}
	b := newBlock(head, d.encoder.apart(d.c.model, &head, void, nil, nil), d.f.Send)
	b.hidden = true
	d.pack.add(b, contentWorld)
}

// oversized leaves out the entity in a slot because no snapshot of this client has
// room for it.
func (d *draft) oversized(src *source, g int, slots uint64) {
	cur := src.group(uint32(g))
	k := bits.TrailingZeros64(slots & cur.Alive)
	d.stats.Oversized++
	if mask := cur.Masks[k]; !d.sys.shared.bigTold[mask] {
		d.notes.add(note{kind: noteBig, slot: slotRef{cur.IDs[k], mask}})
	}
	if src.own {
		return
	}
	d.c.baselines.LeaveOut(uint32(g), src.send, 1<<k)
	d.c.contest.big = true
}
