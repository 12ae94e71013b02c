package snapshot

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// Where there is something that clients may not know, each has numbers of its own for the groups
// that it is told of: the lowest that are free, as they come into sight. What it is told says
// nothing then of how many others there are. A number is free again once the client has
// acknowledged that all of the group is out of its sight.

// view is the groups that a client is told of, by their numbers for it.
type view struct {
	pieces []piece
	seen   []uint32 // numbers of those that it sees something of, ascending
}

// piece is a group that a client is told of.
type piece struct {
	group int32  // in frames; free, or leaving
	send  uint32 // newest at which the client saw something of it
	slots uint64 // what it saw then
	was   int32  // the group, where it is leaving
}

// What a number may stand for beside a group: nothing, or one that has gone out of sight. That one
// does not come back with this number, since whether it is the same group depends on others.
const (
	free    = -1
	leaving = -2
)

// entry is a group that comes into sight, and its first entity.
type entry struct {
	group int32
	first uint32
	slots uint64
}

// viewing is room for bringing views up to date.
type viewing struct {
	room    interest.Room
	numbers []int32 // by group, 1 + the number for the client at hand
	entries []entry
}

// lowest is the lowest number of an entity in slots of a group. The order in which groups come
// into sight at once goes by it: their numbers in frames depend on what the client may not see.
func lowest(g *delta.Group, slots uint64) uint32 {
	low := ^uint32(0)
	for m := g.Alive & slots; m != 0; m &= m - 1 {
		low = min(low, g.IDs[bits.TrailingZeros64(m)])
	}
	return low
}

// Group is the number in frames of a group, by the one that it has for the client; negative where it has
// none.
func (c *Client) Group(number int) int {
	v := &c.sight.view
	switch {
	case !c.sight.on:
		return number
	case number >= len(v.pieces):
		return -1
	}
	return int(v.pieces[number].group)
}

// number is the number that a group in frames has for the client, -1 for none.
func (c *Client) number(group int) int {
	if !c.sight.on {
		return group
	}
	return slices.IndexFunc(c.sight.view.pieces, func(p piece) bool { return int(p.group) == group })
}

// numbers are those of a group in frames, and of what went out of sight with it.
func (c *Client) numbers(group int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !c.sight.on {
			yield(group)
			return
		}
		for n, p := range c.sight.view.pieces {
			if (int(p.group) == group || p.group == leaving && int(p.was) == group) && !yield(n) {
				return
			}
		}
	}
}

// groups is how many groups of a frame the client is told of, those in between included that are
// out of its sight.
func (c *Client) groups(f *capture.Frame) int {
	if c.sight.on {
		return len(c.sight.view.pieces)
	}
	return len(f.Groups)
}

// standing is where an entity stands in frames as a client sees it, or with all of its components where it does not.
func standing(s *System, c *Client, id components.NetID) (group, slot int, ok bool) {
	if s.config.Interest.HasVeils() {
		for group, slot := range s.frames.Slots(id) {
			if c.sees(group, slot) {
				return group, slot, true
			}
		}
	}
	return s.frames.Slot(id)
}

// holds reports whether the client has acknowledged a state of a slot of a group, of a send or later.
func (c *Client) holds(group, slot int, send uint32) bool {
	h := c.baselines.World.At(uint32(c.number(group)))
	return h != nil && h.Newest(slot) >= send
}

// sees reports whether the client sees what stands in a slot of a group.
func (c *Client) sees(group, slot int) bool {
	h := c.baselines.World.At(uint32(c.number(group)))
	if h == nil {
		return false
	}
	hidden, _ := h.Hidden()
	return hidden>>slot&1 == 0
}
