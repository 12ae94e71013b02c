package snapshot

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ownState is what travels to the owner alone.
type ownState struct {
	slots  []ownSlot
	groups int // that the client is told of, of 64 slots
	frames ownFrames
	tries  uint8 // blocks that are tried with all coders yet
}

// ownScratch is the own state of the client at hand as groups.
type ownScratch struct {
	now  ownFrame
	past ownReader
}

// ownSlot is an entity and its slot in its owner's frames, which it keeps for as
// long as it belongs to that client.
type ownSlot struct {
	id   uint32
	slot int
	seen uint32 // send in which it was the client's last
}

// find is the place of an entity, -1 for none.
func (o *ownState) find(id uint32) int {
	return slices.IndexFunc(o.slots, func(x ownSlot) bool { return x.id == id })
}

// place is the place of an entity, which takes the lowest slot that is free where it has none.
func (o *ownState) place(id uint32) *ownSlot {
	i := o.find(id)
	if i < 0 {
		i = o.find(0)
	}
	if i < 0 {
		i = len(o.slots)
		o.slots = append(o.slots, ownSlot{slot: i})
	}
	o.slots[i].id = id
	return &o.slots[i]
}

// settle gives the entities that a client has at a send their slots, and returns how many
// slots there are.
func (o *ownState) settle(w *ecs.World, f *capture.Frame, mine []capture.Owned, parts uint64) (slots int) {
	for _, x := range mine {
		if ownMask(w, f, x)&parts != 0 {
			o.place(f.Groups[x.Group].IDs[x.Slot]).seen = f.Send
		}
	}
	for i := range o.slots {
		if x := &o.slots[i]; x.seen != f.Send {
			x.id = 0
		} else {
			slots = max(slots, x.slot+1)
		}
	}
	return slots
}

// ownMask is what an entity of a client has.
func ownMask(w *ecs.World, f *capture.Frame, o capture.Owned) uint64 {
	return w.Netcode().Mask(f.Entity(o.Group, o.Slot))
}

// captureOwn takes the own state of the client.
func (d *draft) captureOwn() *ownFrame {
	s, c, f := d.sys, d.c, d.f
	mine, parts := f.Owned(c.id), c.peer.Report().Parts(s.ownParts)
	slots := c.own.settle(d.w, f, mine, parts)
	if c.peer.Report().Emptied() {
		slots = max(slots, 1) // a correction may be that nothing is left
	}
	n := min(max((slots+63)/64, c.own.groups), wire.MaxOwnGroups)
	c.own.groups = n
	c.baselines.Own.Grow(n)
	of := &d.own.now
	of.reset(f.Send, n)
	for _, o := range mine {
		mask, id := ownMask(d.w, f, o)&parts, f.Groups[o.Group].IDs[o.Slot]
		i := c.own.find(id)
		if mask == 0 || i < 0 || c.own.slots[i].slot >= 64*n {
			continue
		}
		e, slot := f.Entity(o.Group, o.Slot), c.own.slots[i].slot
		rec := of.groups[slot/64].Put(slot%64, id, mask, s.codecs.rawLayout.RecordWords(mask))
		for m := mask; m != 0; m &= m - 1 {
			comp := s.comps[bits.TrailingZeros64(m)]
			if comp.Words == 0 {
				continue
			}
			raw := comp.Schema.AppendRaw(d.encoder.raw[:0], c.peer.Own(e, comp))
			d.encoder.raw = raw
			rec = rec[capture.PackRaw(rec, raw):]
		}
	}
	c.own.frames.keep(of)
	return of
}

// tellOwn lays out own state: all of it, or in turn what fits half the budget;
// nothing where that left no room for anything else the last time.
func (d *draft) tellOwn(starved bool) {
	s, c, pk := d.sys, d.c, &d.pack
	of := d.captureOwn()
	if starved || len(of.groups) == 0 || !d.tellsOwn(of) {
		return
	}
	src := source{
		own: true, model: s.codecs.rawModel, second: s.codecs.rawLayout.Second(), oldest: baseline.OwnKept - 1,
		send: d.f.Send, floor: c.baselines.Floor(), groups: of.groups, list: groupList{groups: len(of.groups)}, held: &c.baselines.Own, kind: contentOwn,
	}
	limit := pk.limit
	pk.limit = limit / 2
	if !d.whole(&src) {
		d.contest.own(d, &src, limit)
	}
	pk.limit = limit
}

// tellsOwn reports whether own state has to travel. Where clients report results it does while
// a correction is open, and until the client holds the secrets in it, of which no result tells.
func (d *draft) tellsOwn(of *ownFrame) bool {
	c := d.c
	tells, since := d.sys.config.Reports.Tells(c.peer.Report(), of.send, of.groups)
	if tells {
		return true
	}
	for g := range of.groups {
		if of.groups[g].Alive != 0 && !c.baselines.Own.At(uint32(g)).HeldSince(since) {
			return true
		}
	}
	return false
}
