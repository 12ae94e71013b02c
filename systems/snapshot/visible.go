package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// see brings what a client may see up to date: its own entities, and those that it is
// interested in.
func (d *draft) see() {
	interest, c, f := d.sys.config.Interest, d.c, d.f
	if interest == nil && !c.contest.big {
		return
	}
	if interest != nil {
		interest.See(&c.sight.Client, c.id, &d.room)
	}
	sees := c.sight.Seen
	c.contest.big = false
	before := d.sys.frames.At(d.sys.sends.before)
	for g := range c.concern(f).each {
		cur, h := &f.Groups[g], c.baselines.World.At(uint32(g))
		seen := wire.AllSlots
		if interest != nil {
			seen = 0
			for ; len(sees) > 0 && sees[0].Group <= g; sees = sees[1:] {
				if sees[0].Group == g {
					seen = sees[0].Slots
				}
			}
		}
		if big := h.StillLeftOut(f.Send, cur.Alive); big != 0 {
			seen &^= big
			c.contest.big = true
		}
		if seen == wire.AllSlots && h.Whole() {
			continue
		}
		if gone := c.baselines.Hide(uint32(g), f.Send, seen, sameSlots(before, cur, g)); gone != 0 && c.join.state == joinStream {
			c.join.stream.censor(&d.encoder, g, gone)
		}
	}
}

// sameSlots are the slots of a group in which the entity was there a send before.
func sameSlots(before *capture.Frame, cur *delta.Group, g int) (same uint64) {
	if before == nil || g >= len(before.Groups) {
		return 0
	}
	old := &before.Groups[g]
	for m := cur.Alive & old.Alive; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); cur.IDs[k] == old.IDs[k] {
			same |= 1 << k
		}
	}
	return same
}

// tellHidden tells of slots that the client may not see any more: that they are
// out of its sight, or empty where what it knew there is gone. A client that joins
// is told of all of them, since it must know every slot.
func (d *draft) tellHidden() {
	c, e := d.c, &d.encoder
	for i := range c.baselines.World.Len() {
		g, h := c.baselines.World.Nth(i)
		hidden, slots := h.Hidden()
		if hidden == 0 || c.join.state == joinStream && slots == 0 {
			continue
		}
		if c.join.state != joinNone {
			slots = hidden
		}
		empty := slots & h.HiddenEmpty()
		for _, part := range [2]struct {
			slots uint64
			group []delta.Group
		}{{slots &^ empty, d.void.unseen[:]}, {empty, d.void.empty[:]}} {
			if part.slots == 0 {
				continue
			}
			head := wire.BlockHead{First: g, Count: 1, Slots: part.slots}
			b := newBlock(head, e.apart(c.model, &head, part.group, nil, nil), d.f.Send)
			b.hidden = true
			d.pack.add(b, contentWorld)
		}
	}
}

// oversized leaves out the entity in a slot because no snapshot of this client has
// room for it.
func (d *draft) oversized(src *source, g int, slots uint64) {
	cur := &src.groups[g]
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
