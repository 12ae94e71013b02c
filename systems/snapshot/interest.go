package snapshot

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 2: what the client may see.
//
// If the interest can hide anything, each client has its own numbers for the groups that it sees: the lowest free
// ones, in the order in which groups come into sight. The numbers then say nothing about groups that it does not see. A number
// becomes free once the client has acknowledged that the whole group is out of sight.

// sight is what a client may see.
type sight struct {
	interest.Client
	limited bool // the interest can hide something
	view    view
}

// view is the groups that a client is sent, by their numbers for it.
type view struct {
	groups []viewGroup
	seen   []uint32 // numbers of the groups in sight, ascending
}

// viewGroup is a group that a client is sent.
type viewGroup struct {
	place int32  // of the group in frames; free, or leaving
	send  uint32 // newest send at which the client saw a slot of the group
	slots uint64 // the slots that the client saw then
	was   int32  // the place, while the group is leaving
}

// Values of viewGroup.place: the number is free, or its group has gone out of sight. Such a group does not come back under
// this number, since whether it is the same group depends on entities that the client does not see.
const (
	free    = -1
	leaving = -2
)

// entry is a group that comes into sight, and its first entity.
type entry struct {
	place int32
	first uint32
	slots uint64
}

// viewScratch is memory for updating views.
type viewScratch struct {
	room    interest.Room
	numbers []int32 // by group, 1 + the number for the client
	entries []entry
}

// updateInterest finds what the client may see of the frame, and notes it in the client's baselines.
func (d *draft) updateInterest() {
	c, f := d.c, d.f
	if c.sight.limited {
		d.updateView()
	} else {
		if s := d.sys; s.config.Interest != nil {
			c.sight.Stand(s.config.Interest, c.id, &d.views.room)
		}
		if c.baselines.World.Grow(len(f.Groups)); !c.leftOut {
			return
		}
	}
	c.leftOut = false
	for n := range c.sentGroups(f).each {
		g, seen := int(n), wire.AllSlots
		if c.sight.limited {
			p := &c.sight.view.groups[n]
			g, seen = int(p.place), p.slots
		}
		cur, h := &f.Groups[g], c.baselines.World.At(n)
		if big := h.StillLeftOut(f.Send, cur.Alive); big != 0 {
			seen &^= big
			c.leftOut = true
		}
		if seen != wire.AllSlots || !h.Whole() {
			d.hide(n, seen, d.unseenSlots(g))
		}
	}
}

// updateView updates the numbers that groups have for the client.
func (d *draft) updateView() {
	c, f := d.c, d.f
	v, x := &c.sight.view, &d.views
	d.sys.config.Interest.See(&c.sight.Client, c.id, &d.views.room)
	d.freeNumbers()
	x.numbers = reuse.Longer(x.numbers, max(len(x.numbers), len(f.Groups)))
	for n := range v.groups {
		if g := v.groups[n].place; g >= 0 {
			x.numbers[g] = int32(n) + 1
		}
	}
	x.entries = x.entries[:0]
	for _, s := range c.sight.Seen {
		if n := x.numbers[s.Group]; n > 0 && !f.Founded(s.Group) {
			p := &v.groups[n-1]
			p.send, p.slots = f.Send, s.Slots
		} else {
			x.entries = append(x.entries, entry{int32(s.Group), lowestID(&f.Groups[s.Group], s.Slots), s.Slots})
		}
	}
	for n := range v.groups {
		if p := &v.groups[n]; p.place >= 0 {
			if x.numbers[p.place] = 0; p.send != f.Send {
				d.hide(uint32(n), 0, d.unseenSlotsOfLeaving(int(p.place)))
				p.place, p.was = leaving, p.place
			}
		}
	}
	slices.SortFunc(x.entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.place, b.place)) })
	for i := range x.entries {
		d.assignNumber(&x.entries[i])
	}
	if v.seen = v.seen[:0]; c.join.state != joinNone {
		d.hideFreeNumbers()
	}
	for n := range v.groups {
		if p := &v.groups[n]; p.place >= 0 && p.send == f.Send {
			v.seen = append(v.seen, uint32(n))
		}
	}
}

// freeNumbers frees the numbers of groups that the client knows to be out of its sight.
func (d *draft) freeNumbers() {
	c := d.c
	c.baselines.ForgetHidden()
	for n := range c.sight.view.groups {
		if p := &c.sight.view.groups[n]; p.place == leaving && c.baselines.World.At(uint32(n)) == nil {
			p.place = free
		}
	}
}

// assignNumber gives a number to a group that comes into sight.
func (d *draft) assignNumber(e *entry) {
	c, v := d.c, &d.c.sight.view
	n := slices.IndexFunc(v.groups, func(p viewGroup) bool { return p.place == free })
	if n < 0 {
		n = len(v.groups)
		v.groups = append(v.groups, viewGroup{})
	}
	v.groups[n] = viewGroup{place: e.place, send: d.f.Send, slots: e.slots}
	c.baselines.World.Add(uint32(n), d.f.Send)
	c.accumulated.clear(uint32(n))
}

// hideFreeNumbers gives each free number a record of hidden slots: a joining client must be sent all numbers up to the
// last.
func (d *draft) hideFreeNumbers() {
	c := d.c
	for n := range c.sight.view.groups {
		if p := &c.sight.view.groups[n]; p.place == free && c.baselines.World.At(uint32(n)) == nil {
			*p = viewGroup{place: leaving}
			c.baselines.World.Add(uint32(n), d.f.Send)
			c.baselines.Hide(uint32(n), d.f.Send, 0, wire.AllSlots)
		}
	}
}

// hide notes which slots of a group the client may see from now on. unseen are the slots that are sent as out of sight
// if they are hidden; other hidden slots are sent as empty.
func (d *draft) hide(g uint32, seen, unseen uint64) {
	c := d.c
	if gone := c.baselines.Hide(g, d.f.Send, seen, unseen); gone != 0 && c.join.state == joinStream {
		c.join.stream.removeHidden(&d.encoder, int(g), gone)
	}
}

// lowestID returns the lowest NetID in slots of a group. Groups that come into sight together are numbered in this
// order, since their numbers in frames depend on entities that the client may not see.
func lowestID(g *delta.Group, slots uint64) uint32 {
	low := ^uint32(0)
	for m := g.Alive & slots; m != 0; m &= m - 1 {
		low = min(low, g.IDs[bits.TrailingZeros64(m)])
	}
	return low
}

// groupList lists the groups that a client is sent: those of seen, ascending, or if seen is nil the first groups of all.
type groupList struct {
	seen   []uint32
	groups int
}

// each iterates over the numbers of the groups.
func (l groupList) each(yield func(g uint32) bool) {
	if l.seen == nil {
		for g := range uint32(l.groups) {
			if !yield(g) {
				return
			}
		}
		return
	}
	for _, g := range l.seen {
		if !yield(g) {
			return
		}
	}
}

// sentGroups returns the groups of a frame that the client is sent.
func (c *Client) sentGroups(f *capture.Frame) groupList {
	if c.sight.limited {
		return groupList{seen: c.sight.view.seen}
	}
	return groupList{groups: len(f.Groups)}
}

// Group returns the number in frames of a group, given its number for the client. It is negative if the number is not in use.
func (c *Client) Group(number int) int {
	v := &c.sight.view
	switch {
	case !c.sight.limited:
		return number
	case number >= len(v.groups):
		return -1
	}
	return int(v.groups[number].place)
}

// number returns the number that a group in frames has for the client, -1 for none.
func (c *Client) number(group int) int {
	if !c.sight.limited {
		return group
	}
	return slices.IndexFunc(c.sight.view.groups, func(p viewGroup) bool { return int(p.place) == group })
}

// numbers iterates over the numbers of a group in frames, including those under which it went out of sight.
func (c *Client) numbers(group int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !c.sight.limited {
			yield(group)
			return
		}
		for n, p := range c.sight.view.groups {
			if (int(p.place) == group || p.place == leaving && int(p.was) == group) && !yield(n) {
				return
			}
		}
	}
}

// groupCount returns how many numbers of groups the client has, those out of sight included.
func (c *Client) groupCount(f *capture.Frame) int {
	if c.sight.limited {
		return len(c.sight.view.groups)
	}
	return len(f.Groups)
}

// holds reports whether the client has acknowledged a state of a slot of a group of the given send or a later one.
func (c *Client) holds(group, slot int, send uint32) bool {
	h := c.baselines.World.At(uint32(c.number(group)))
	return h != nil && h.Newest(slot) >= send
}

// sees reports whether the client sees a slot of a group.
func (c *Client) sees(group, slot int) bool {
	h := c.baselines.World.At(uint32(c.number(group)))
	if h == nil {
		return false
	}
	hidden, _ := h.Hidden()
	return hidden>>slot&1 == 0
}

// findSlot returns where an entity is in frames as the client sees it, or with all of its components if it does not.
func (s *System) findSlot(c *Client, id components.NetID) (group, slot int, ok bool) {
	if s.config.Interest.HidesComponents() {
		for group, slot := range s.frames.Slots(id) {
			if c.sees(group, slot) {
				return group, slot, true
			}
		}
	}
	return s.frames.Slot(id)
}
