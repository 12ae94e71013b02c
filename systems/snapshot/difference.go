package snapshot

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 3 for owner state: the difference between the owner state at this send and what the client acknowledged.
//
// The result is a source with block heads: which slots of which groups are encoded against which baseline. Neighbouring groups
// with the same baseline form one run. If the difference does not fit, stage 4 divides it by group instead.

// source is the owner state to send to a client, and its difference to the owner state that the client has.
type source struct {
	model  *delta.Model
	second bool   // a second baseline makes blocks smaller
	oldest uint32 // maximum age of a baseline
	send   uint32
	floor  uint32 // oldest send that may be a baseline
	groups []delta.Group
	count  int // groups that the client is sent
	held   *baseline.Records

	blocks []wire.BlockHead // the runs, or in stage 4 the blocks of candidates
}

// reset prepares a source for a client. It reuses the memory of the source.
func (src *source) reset(x source) {
	x.blocks = src.blocks[:0]
	*src = x
}

// diffRuns lists the blocks of the whole difference. It joins neighbouring groups with the same baseline into one block.
func (d *draft) diffRuns(src *source) {
	src.blocks = src.blocks[:0]
	var next wire.BlockHead
	var same baseline.Group // the acknowledged sends that the baseline of next is for
	open := false           // the last block is a run that can be continued
	for x := range src.stretches {
		g, h := x.first, x.held
		if !h.Whole() {
			open = false
			src.appendBlocks(g)
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
	for slots := wire.AllSlots; slots != 0; {
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
	return wire.BlockHead{Own: true, First: g, Count: 1, Slots: serves, Age: age, Two: two}
}

// group returns the state of a group.
func (src *source) group(g uint32) *delta.Group { return &src.groups[g] }

// ownerAt returns the owner state of the client at an earlier send, nil if it is no longer kept.
func (d *draft) ownerAt(send uint32) []delta.Group {
	return d.owner.past.at(&d.c.owner.frames, send)
}

// stretch is a range of neighbouring groups that share a record of package baseline.
type stretch struct {
	first, count uint32
	held         *baseline.Group
}

// stretches iterates over the groups of a source.
func (src *source) stretches(yield func(stretch) bool) {
	for g := uint32(0); int(g) < src.count; {
		var x stretch
		x.first, x.count, x.held = src.held.Of(g)
		if !yield(x) {
			return
		}
		g = x.first + x.count
	}
}
