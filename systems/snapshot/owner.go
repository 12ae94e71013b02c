package snapshot

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Owner state is the predicted and owner-only components of a client's own entities at full precision. Each client's owner state is captured, kept and compared with what that client acknowledged.

// ownerState is the owner state of one client.
type ownerState struct {
	slots  []ownerSlot
	groups int // of 64 slots, that the client is sent
	frames ownerFrames
}

// ownerScratch is the owner state of the client of a draft, as groups.
type ownerScratch struct {
	now  ownerFrame
	past ownerReader
}

// ownerSlot is an entity and its slot in its owner's frames. The entity keeps the slot as long as it has that owner.
type ownerSlot struct {
	id   uint32
	slot int
	seen uint32 // newest send at which the client owned it
}

// find returns the index of an entity in slots, -1 for none.
func (o *ownerState) find(id uint32) int {
	return slices.IndexFunc(o.slots, func(x ownerSlot) bool { return x.id == id })
}

// assignSlot returns the slot of an entity. An entity without one gets the lowest free slot.
func (o *ownerState) assignSlot(id uint32) *ownerSlot {
	i := o.find(id)
	if i < 0 {
		i = o.find(0)
	}
	if i < 0 {
		i = len(o.slots)
		o.slots = append(o.slots, ownerSlot{slot: i})
	}
	o.slots[i].id = id
	return &o.slots[i]
}

// assignSlots gives slots to the entities that a client owns at a send and frees the slots of other entities. It returns the
// number of slots.
func (o *ownerState) assignSlots(w *ecs.World, f *capture.Frame, mine []capture.Owned, parts uint64) (slots int) {
	for _, x := range mine {
		if componentsOf(w, f, x)&parts != 0 {
			o.assignSlot(f.Groups[x.Group].IDs[x.Slot]).seen = f.Send
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

// componentsOf returns the mask of the components of an entity.
func componentsOf(w *ecs.World, f *capture.Frame, o capture.Owned) uint64 {
	return w.Netcode().Mask(f.Entity(o.Group, o.Slot))
}

// captureOwner captures the owner state of the client, and decides whether the snapshot contains it.
func (d *draft) captureOwner() {
	s, c, f := d.sys, d.c, d.f
	mine, parts := f.Owned(c.own), c.peer.Report().Parts(s.ownerParts)
	slots := c.owner.assignSlots(d.w, f, mine, parts)
	if c.peer.Report().Emptied() {
		slots = max(slots, 1) // a correction may be that the client has no entities any more
	}
	n := min(max((slots+63)/64, c.owner.groups), wire.MaxOwnGroups)
	c.owner.groups = n
	c.baselines.Own.Grow(n)
	now := &d.owner.now
	now.reset(f.Send, n)
	for _, o := range mine {
		mask, id := componentsOf(d.w, f, o)&parts, f.Groups[o.Group].IDs[o.Slot]
		i := c.owner.find(id)
		if mask == 0 || i < 0 || c.owner.slots[i].slot >= 64*n {
			continue
		}
		e, slot := f.Entity(o.Group, o.Slot), c.owner.slots[i].slot
		rec := now.groups[slot/64].Put(slot%64, id, mask, s.codecs.rawLayout.RecordWords(mask))
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
	c.owner.frames.keep(now)
	c.tells = !c.starved && len(now.groups) > 0 && d.sendsOwner(now)
}

// diffOwner computes the difference of the captured owner state. It does nothing if owner state left no room for anything else
// in the previous snapshot.
func (d *draft) diffOwner() {
	s, c, now := d.sys, d.c, &d.owner.now
	if s.shared.part == buildRest {
		c.owner.frames.read(d.f.Send, now)
	}
	d.own.reset(source{
		model: s.codecs.rawModel, second: s.codecs.rawLayout.Second(), oldest: baseline.OwnKept - 1,
		send: d.f.Send, floor: c.baselines.Floor(), groups: now.groups, count: len(now.groups), held: &c.baselines.Own,
	})
	if d.starved || !c.tells {
		d.own.count = 0
	}
	d.diffRuns(&d.own)
}

// sendsOwner reports whether owner state must be sent. If clients report results, it is sent while a correction is open, and
// until the client has the owner-only components, which results do not contain.
func (d *draft) sendsOwner(now *ownerFrame) bool {
	c := d.c
	tells, since := d.sys.config.Reports.Tells(c.peer.Report(), now.send, now.groups)
	if tells {
		return true
	}
	for g := range now.groups {
		if now.groups[g].Alive != 0 && !c.baselines.Own.At(uint32(g)).HeldSince(since) {
			return true
		}
	}
	return false
}
