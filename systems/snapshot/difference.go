package snapshot

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 3: the difference between the state at this send and what the client acknowledged.
//
// The result for owner state, and for the world, is a source with block heads: which slots of which groups are encoded
// against which baseline. Neighbouring groups with the same baseline form one run. If the difference does not fit, stage
// 4 divides it by group instead.

// source is a state to send, of the world or of a client's own entities, and its difference to the state that the client has.
type source struct {
	own    bool
	kind   content
	model  *delta.Model
	second bool   // a second baseline makes blocks smaller
	oldest uint32 // maximum age of a baseline
	send   uint32
	floor  uint32 // oldest send that may be a baseline
	groups []delta.Group
	count  int // groups that the client is sent
	held   *baseline.Records
	split  bool      // neighbouring groups with the same baseline may be treated differently
	kept   *withheld // nil: no slot is withheld

	exceeds bool             // the previous difference did not fit: do not try runs
	blocks  []wire.BlockHead // the runs, or in stage 4 the blocks of candidates
}

// hiddenBlock sends slots that the client may no longer see: as out of sight, or as empty if the entity that the client knew in
// the slot is gone.
type hiddenBlock struct {
	wire.BlockHead
	empty bool
}

// reset prepares a source for a client. It reuses the memory of the source.
func (src *source) reset(x source) {
	x.blocks = src.blocks[:0]
	*src = x
}

// diffWorld computes the difference of the world.
func (d *draft) diffWorld() {
	s, c, f := d.sys, d.c, d.f
	src := &d.world
	src.reset(source{
		kind: contentWorld, model: c.model, second: s.codecs.layout.Second(), oldest: min(baseline.MaxAge, s.frames.Depth()),
		send: f.Send, floor: c.baselines.Floor(), groups: f.Groups, count: len(f.Groups), held: &c.baselines.World,
		split:   s.sends.far != 1 || c.join.state == joinStream,
		exceeds: c.over && c.join.state != joinNow && s.config.Priority == nil,
	})
	if src.exceeds {
		return
	}
	if c.join.state == joinStream {
		d.withhold(src)
	}
	d.diffRuns(src)
}

// diffHidden lists the slots to send as hidden. A joining client is sent all hidden slots, because it must know every slot.
func (d *draft) diffHidden() {
	c := d.c
	d.hidden = d.hidden[:0]
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
			sent := slots
			if c.join.state != joinNow {
				sent &^= d.findWithheld().get(g)
			}
			for _, x := range [...]hiddenBlock{{wire.BlockHead{Slots: sent &^ empty}, false}, {wire.BlockHead{Slots: sent & empty}, true}} {
				if x.Slots != 0 {
					x.First, x.Count = g, 1
					d.hidden = append(d.hidden, x)
				}
			}
		}
	}
}

// diffRuns lists the blocks of the whole difference. It joins neighbouring groups with the same baseline into one block.
func (d *draft) diffRuns(src *source) {
	src.blocks = src.blocks[:0]
	var next wire.BlockHead
	var same baseline.Group // the acknowledged sends that the baseline of next is for
	open := false           // the last block is a run that can be continued
	for x := range src.stretches {
		g, h := x.first, x.held
		sent := d.isDue(src, g)
		if !sent || !h.Whole() || src.withheldSlots(g) != 0 {
			if open = false; sent {
				src.appendBlocks(g)
			}
			continue
		}
		if !h.Like(&same) {
			next, same = src.block(x.first, h, wire.AllSlots), *h
		}
		if open {
			if run := &src.blocks[len(src.blocks)-1]; run.First+run.Count == x.first && run.Age == next.Age && run.Two == next.Two {
				run.Count += x.count
				continue
			}
		}
		next.First, next.Count, open = x.first, x.count, true
		src.blocks = append(src.blocks, next)
	}
}

// appendBlocks lists the blocks of a group, one for each baseline of its slots.
func (src *source) appendBlocks(g uint32) {
	held := src.held.At(g)
	hidden, _ := held.Hidden()
	for slots := ^hidden &^ src.withheldSlots(g); slots != 0; {
		b := src.block(g, held, slots)
		slots &^= b.Slots
		src.blocks = append(src.blocks, b)
	}
}

// block returns a block for slots of a group, with the youngest baseline that most of these slots have. The block contains only
// the slots that have the baseline.
func (src *source) block(g uint32, held *baseline.Group, slots uint64) wire.BlockHead {
	age, two, serves := held.Choose(src.send, src.floor, slots, src.second, src.oldest)
	if age == 0 {
		serves = slots
	}
	return wire.BlockHead{Own: src.own, First: g, Count: 1, Slots: serves, Age: age, Two: two}
}

// group returns the state of a group.
func (src *source) group(g uint32) *delta.Group { return &src.groups[g] }

// withheldSlots returns the slots of a group that are withheld.
func (src *source) withheldSlots(g uint32) uint64 {
	if src.kept == nil {
		return 0
	}
	return src.kept.get(g)
}

// withhold makes a source omit the slots that are withheld from the client. It reports whether any slot is withheld.
func (d *draft) withhold(src *source) bool {
	if src.kept = d.findWithheld(); len(src.kept.slots) == 0 {
		src.kept = nil
	}
	src.split = src.split || src.kept != nil
	return src.kept != nil
}

// isDue reports whether the client is sent a group. While a joining state streams to it, it is sent only groups that have
// arrived or are newer than that state.
func (d *draft) isDue(src *source, g uint32) bool {
	return src.own || d.c.join.has(g) && !d.isSkipped(src, g)
}

// isSkipped reports whether a group is far from the client and is part of another send, see [System.Divide].
func (d *draft) isSkipped(src *source, g uint32) bool {
	s := d.sys
	if s.sends.far == 1 || s.config.Interest == nil || d.c.join.state != joinNone {
		return false
	}
	return (src.send/s.sends.all+g)%s.sends.far != 0 && d.c.set.Far(s.config.Interest, int(g), 0)
}

// stateAt returns the groups of a source at an earlier send, nil if they are no longer kept.
func (d *draft) stateAt(src *source, send uint32) []delta.Group {
	if src.own {
		return d.owner.past.at(&d.c.owner.frames, send)
	}
	if f := d.sys.frames.At(send); f != nil {
		return f.Groups
	}
	return nil
}

// stretch is a range of neighbouring groups that share a record of package baseline.
type stretch struct {
	first, count uint32
	held         *baseline.Group
}

// stretches iterates over the groups of a source.
func (src *source) stretches(yield func(stretch) bool) {
	if src.split {
		for g := range uint32(src.count) {
			if !yield(stretch{g, 1, src.held.At(g)}) {
				return
			}
		}
		return
	}
	for g := uint32(0); int(g) < src.count; {
		var x stretch
		x.first, x.count, x.held = src.held.Of(g)
		if !yield(x) {
			return
		}
		g = x.first + x.count
	}
}
