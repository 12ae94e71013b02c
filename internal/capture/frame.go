package capture

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Frame is the replicated state of a world at one send.
type Frame struct {
	// Send is the number of the send and Tick the step after which it was taken.
	Send, Tick uint32
	// Groups hold the entities. All slots of all groups are known. A group stays
	// at its index from frame to frame; newer frames may have more groups.
	Groups []delta.Group

	owners [][delta.GroupSize]uint32
	latest *latest // what newer frames have taken over
	homes  []homed
	owned  []Owned
	partly []Owned // without all of their components
}

// frames are those that are kept.
type frames struct {
	bySend [Kept]*Frame
	spare  []*Frame
	latest latest
	depth  uint32 // see [Ring.Depth]
}

// room is an old frame, to be the one of a send, with so many groups. Those that are too old go.
func (x *frames) room(send uint32, groups int) (f *Frame) {
	keeps := uint32(min(max(keptGroups/max(groups, 1), leastKept), Kept))
	for i, f := range x.bySend {
		if f != nil && send-f.Send >= keeps {
			f.Send = 0
			x.spare = append(x.spare, f)
			x.bySend[i] = nil
		}
	}
	if n := len(x.spare); n > 0 {
		f, x.spare = x.spare[n-1], x.spare[:n-1]
	} else {
		f = &Frame{latest: &x.latest}
	}
	x.bySend[send%Kept], x.depth = f, keeps-1
	return f
}

// latest is what the newest frame alone has: handles by group and slot.
type latest struct {
	entities [][delta.GroupSize]ecs.Entity
	wholes   [][delta.GroupSize]whole // nil where there are no veils
}

// Owned is an entity that a client owns.
type Owned struct {
	Client      uint32
	Group, Slot int
}

// Owner returns the client that owns the entity in an alive slot, 0 for none.
func (f *Frame) Owner(group, slot int) uint32 { return f.owners[group][slot] }

// Entity returns the world's handle of the entity in an alive slot of the newest frame. It is dead
// when the entity has been despawned since.
func (f *Frame) Entity(group, slot int) ecs.Entity { return f.latest.entities[group][slot] }

// Home is the home of the entities of a group, or of those that it had: see [Homes].
func (f *Frame) Home(group int) int32 { return f.homes[group].home }

// Resting reports whether nobody is in a group, and somebody was a few sends ago.
func (f *Frame) Resting(group int) bool { return f.homes[group].resting }

// Founded reports whether a group began anew at this send, with a home and nobody in it from
// before.
func (f *Frame) Founded(group int) bool { return f.homes[group].founded }

// Same are the slots of a group in which the entity was there in a frame before, nil for none.
func (f *Frame) Same(before *Frame, group int) (same uint64) {
	if before == nil || group >= len(before.Groups) {
		return 0
	}
	cur, old := &f.Groups[group], &before.Groups[group]
	for m := cur.Alive & old.Alive; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); cur.IDs[k] == old.IDs[k] {
			same |= 1 << k
		}
	}
	return same
}

// homed is the home of a group, and what became of the group.
type homed struct {
	home             int32
	resting, founded bool
}

// Owned returns the entities of one client, in order of group and slot. The
// slice belongs to the frame.
func (f *Frame) Owned(client uint32) []Owned { return ownedBy(f.owned, client) }

// Partly are the places where entities of one client are without all of their components, in the same order: see
// [Frame.Veils].
func (f *Frame) Partly(client uint32) []Owned { return ownedBy(f.partly, client) }

func ownedBy(all []Owned, client uint32) []Owned {
	from, _ := slices.BinarySearchFunc(all, client, func(o Owned, c uint32) int { return cmp.Compare(o.Client, c) })
	to := from
	for to < len(all) && all[to].Client == client {
		to++
	}
	return all[from:to:to]
}

// begin makes f the frame of a send with so many groups, all of them empty.
func (f *Frame) begin(send, tick uint32, groups int) {
	f.Send, f.Tick = send, tick
	f.Groups = reuse.Longer(f.Groups, groups)
	f.owners = reuse.Longer(f.owners, groups)
	f.homes = reuse.Longer(f.homes, groups)
	f.owned, f.partly = f.owned[:0], f.partly[:0]
	for i := range f.Groups {
		g := &f.Groups[i]
		g.Reset(send)
		g.Known = allSlots
	}
}

// end puts in order what was added.
func (f *Frame) end() {
	less := func(a, b Owned) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Slot, b.Slot))
	}
	for _, all := range [2][]Owned{f.owned, f.partly} {
		if !slices.IsSortedFunc(all, less) {
			slices.SortFunc(all, less)
		}
	}
}

// place is where an entity is found in frames.
type place struct {
	id          components.NetID
	group, slot int32
}
