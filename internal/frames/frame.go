package frames

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Frame is the replicated state of a world at one send.
type Frame struct {
	// Send is the count of the send. Number is the number by which receivers and the groups know it: every few steps there can be a
	// send, and each of these moments has the next number. Tick is the tick after which the frame was captured.
	Send, Number, Tick uint32
	// Groups holds the entities. All slots of all groups are known. A group keeps its index from frame to frame;
	// newer frames may have more groups.
	Groups []delta.Group

	pins   int // see [Ring.Pin]
	owners [][delta.GroupSize]uint32
	latest *latest // data of the newest frame only
	owned  []Owned
}

// frames holds the stored frames.
type frames struct {
	bySend []*Frame // a ring
	spare  []*Frame
	pinned []*Frame // too old, but pinned
	latest latest
	depth  uint32 // see [Ring.Depth]
	lost   uint32 // newest send that is no longer stored
}

// place returns the place of a send.
func (x *frames) place(send uint32) **Frame { return &x.bySend[send%uint32(len(x.bySend))] }

// allocate returns a frame for a send with a number and the given number of groups, reusing an old one. It drops frames that are
// too old.
func (x *frames) allocate(send, number uint32, groups int) (f *Frame) {
	keeps := uint32(min(max(keptGroups/max(groups, 1), minKept), len(x.bySend)))
	for i, f := range x.bySend {
		if f != nil && (send-f.Send >= keeps || number-f.Number >= uint32(len(x.bySend))) {
			x.lost = max(x.lost, f.Send)
			x.pinned = append(x.pinned, f)
			x.bySend[i] = nil
		}
	}
	x.pinned = slices.DeleteFunc(x.pinned, func(f *Frame) bool {
		if f.pins > 0 {
			return false
		}
		f.Send = 0
		x.spare = append(x.spare, f)
		return true
	})
	if n := len(x.spare); n > 0 {
		f, x.spare = x.spare[n-1], x.spare[:n-1]
	} else {
		f = &Frame{latest: &x.latest}
	}
	*x.place(send), x.depth = f, keeps-1
	if x.lost > 0 {
		x.depth = min(x.depth, send-x.lost-1)
	}
	return f
}

// latest holds data of the newest frame only, by group and slot.
type latest struct {
	entities [][delta.GroupSize]ecs.Entity
}

// Owned is the place of an entity that a client owns.
type Owned struct {
	Client      uint32
	Group, Slot int
}

// Owner returns the client that owns the entity in an alive slot, 0 for none.
func (f *Frame) Owner(group, slot int) uint32 { return f.owners[group][slot] }

// Entity returns the world's handle of the entity in an alive slot of the newest frame. It is dead if the entity
// has been despawned since.
func (f *Frame) Entity(group, slot int) ecs.Entity { return f.latest.entities[group][slot] }

// Owned returns the entities of one client, in order of group and slot. The slice belongs to the frame.
func (f *Frame) Owned(client uint32) []Owned {
	all := f.owned
	from, _ := slices.BinarySearchFunc(all, client, func(o Owned, c uint32) int { return cmp.Compare(o.Client, c) })
	to := from
	for to < len(all) && all[to].Client == client {
		to++
	}
	return all[from:to:to]
}

// reset makes f the frame of a send with empty groups.
func (f *Frame) reset(send, number, tick uint32, groups int) {
	f.Send, f.Number, f.Tick = send, number, tick
	f.Groups = reuse.Longer(f.Groups, groups)
	f.owners = reuse.Longer(f.owners, groups)
	f.owned = f.owned[:0]
	for i := range f.Groups {
		g := &f.Groups[i]
		g.Reset(number)
		g.Known = allSlots
	}
}

// sort sorts the list of owned entities.
func (f *Frame) sort() {
	less := func(a, b Owned) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Slot, b.Slot))
	}
	if !slices.IsSortedFunc(f.owned, less) {
		slices.SortFunc(f.owned, less)
	}
}

// place is the place of an entity in frames.
type place struct {
	id          components.NetID
	group, slot int32
}
