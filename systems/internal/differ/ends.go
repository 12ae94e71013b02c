package differ

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// Ends are a client that is told by snapshots, and what the server has of it.
type Ends struct {
	Server     *ecs.World
	World      *ecs.World // the client's
	Client     uint32     // its number
	Mirror     *mirror.Mirror
	Reconciler *reconcile.System

	Tick      uint32 // the server's next one
	Snapshots *snapshot.System
	Told      *snapshot.Client

	at                 int // group at hand, in frames
	replicated         []*ecs.Component
	predicted, private uint64 // of them
}

// Compare returns nil when all is equal, and otherwise the first difference by entity, component
// and field with both values. Both ends must be at rest.
func (x Ends) Compare() error {
	p := x.World.Protocol()
	x.replicated, x.predicted, x.private = p.Replicated(), wire.Predicted(p), wire.Private(p)
	f := x.Snapshots.Frame(x.Mirror.Newest.Send)
	if f == nil || f.Tick != x.Mirror.Newest.Tick {
		return fmt.Errorf("the client's newest snapshot, tick %d, is %d ticks old", x.Mirror.Newest.Tick, x.Tick-x.Mirror.Newest.Tick)
	}
	seen := make(map[uint32]bool)
	_, over := x.Told.Budget()
	for g := range max(len(f.Groups), len(x.Mirror.Store.World)) {
		if x.at = x.Told.Group(g); x.at < 0 || x.at >= len(f.Groups) {
			continue
		}
		hidden := wire.AllSlots // where nothing is known, the client may see nothing
		if known := x.Told.Baselines().World.At(uint32(g)); known != nil {
			hidden, _ = known.Hidden()
		}
		if g >= len(x.Mirror.Store.World) {
			if visible := f.Groups[x.at].Alive &^ hidden; visible != 0 && !over {
				return fmt.Errorf("the client was never told of group %d, slots %#x", g, visible)
			}
			continue
		}
		for k := range delta.GroupSize {
			if hidden>>k&1 != 0 {
				continue
			}
			id, err := x.slotDiffers(g, k)
			if err != nil {
				return err
			}
			if id != 0 {
				seen[id] = true
			}
		}
	}
	for t := range x.World.Netcode().Tables {
		for _, id := range t.NetIDs {
			if !seen[uint32(id)] {
				return fmt.Errorf("entity %d lives on the client, not on the server at tick %d", id, f.Tick)
			}
		}
	}
	return nil
}

// slotDiffers compares what a client has of a slot with what the server had. It
// returns the entity that stands there.
func (x *Ends) slotDiffers(g, k int) (id uint32, err error) {
	told, now := x.Mirror.Store.World[g].Told[k], &x.Snapshots.Frame(x.Mirror.Newest.Send).Groups[x.at]
	f := x.Snapshots.Frame(told)
	_, over := x.Told.Budget()
	if over && (f == nil || x.at >= len(f.Groups)) && (now.Alive>>k&1 == 0 || told == 0) && x.Mirror.Store.World[g].Here[k] == nil {
		return 0, nil // long empty, and the client knows, or not told of yet
	}
	if told != x.Mirror.Newest.Send && !over || f == nil || x.at >= len(f.Groups) {
		return 0, fmt.Errorf("slot %d of group %d is as of send %d, the newest is %d", k, g, told, x.Mirror.Newest.Send)
	}
	truth := &f.Groups[x.at]
	if truth.Alive>>k&1 == 0 {
		return 0, nil
	}
	id = truth.IDs[k]
	r := x.Mirror.Entities.Of(id)
	if r == nil && told != x.Mirror.Newest.Send && (now.Alive>>k&1 == 0 || now.IDs[k] != id) {
		return 0, nil // it went elsewhere, and died there
	}
	if r != nil && r.At != (mirror.Location{Group: int32(g), Slot: int32(k)}) && r.Newest > told {
		return id, nil // it has moved since
	}
	if r == nil || r.Entity.IsZero() || r.Removed.Tick != 0 {
		return id, fmt.Errorf("entity %d lives on the server at tick %d, not on the client", id, f.Tick)
	}
	mask := truth.Masks[k]
	if f.Owner(x.at, k) == x.Client {
		mask |= x.Mirror.PrivateMask(r)
	}
	if err := x.differs(mask, truth, k, r.Entity); err != nil {
		return id, fmt.Errorf("entity %d at tick %d: %w", id, f.Tick, err)
	}
	if f.Owner(x.at, k) == x.Client && x.private != 0 {
		if err := x.privateDiffers(id, r.Entity); err != nil {
			return id, fmt.Errorf("entity %d at tick %d: %w", id, f.Tick, err)
		}
	}
	return id, nil
}

// differs compares an entity of a client with the captured one, as far as everybody
// may know it.
func (x *Ends) differs(mask uint64, truth *delta.Group, k int, e ecs.Entity) error {
	if mine := x.World.Netcode().Mask(e); mine != mask {
		return fmt.Errorf("components %#x on the client, %#x on the server", mine, mask)
	}
	rec := truth.Record(k)
	for m := truth.Masks[k]; m != 0; m &= m - 1 {
		comp := x.replicated[bits.TrailingZeros64(m)]
		if comp.Words == 0 {
			continue
		}
		words := rec[:comp.Words]
		rec = rec[comp.Words:]
		mine := x.World.Netcode().Pointer(e, comp)
		if x.unseen(e, comp) {
			continue
		}
		if r := x.Mirror.Entities.Of(uint32(x.World.NetID(e))); r.CoSimulated() && x.predicted&(1<<comp.Replicated()) != 0 {
			theirs := dequantized(comp, words)
			if field, mine := x.Reconciler.OtherDiffers(r, comp, theirs); field >= 0 {
				return fmt.Errorf("%s.%s, co-simulated: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
					comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
			}
			continue
		}
		if simulates(x.World, e) && x.predicted&(1<<comp.Replicated()) != 0 {
			if err := x.Reconciler.OwnDiffers(e, comp, truth.Send, words); err != nil {
				return err
			}
			continue
		}
		theirs := dequantized(comp, words)
		if field := unequal(comp, mine, theirs); field >= 0 {
			return fmt.Errorf("%s.%s: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
				comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
		}
	}
	return nil
}

// unseen reports whether the client simulates an entity, and lacks one of those that place a component of it on the server.
func (x *Ends) unseen(e ecs.Entity, comp *ecs.Component) bool {
	if !simulates(x.World, e) {
		return false
	}
	truth, there := x.Server.ByNetID(x.World.NetID(e))
	for _, c := range ecs.CarriedIn(x.Server.Protocol()) {
		if there && c.Component.Replicated() == comp.Replicated() && c.Unseen(x.Server, truth, x.World) {
			return true
		}
	}
	return false
}

// unequal is the first field of two values that differs in its bits, or -1.
func unequal(comp *ecs.Component, a, b unsafe.Pointer) int {
	x, y := comp.Schema.AppendRaw(nil, a), comp.Schema.AppendRaw(nil, b)
	if slices.Equal(x, y) {
		return -1
	}
	for i := range comp.Schema.Fields {
		if comp.Schema.Format(i, a) != comp.Schema.Format(i, b) {
			return i
		}
	}
	return 0
}

// privateDiffers compares what only the owner may see, where it is not predicted: as it was when the owner was told of the
// entity last, or as it is where that is long ago.
func (x *Ends) privateDiffers(id uint32, e ecs.Entity) error {
	groups := x.Told.OwnState(x.Mirror.Own.Told(id))
	if groups == nil {
		groups = x.Told.OwnState(x.Mirror.Newest.Send)
	}
	for _, g := range groups {
		k := g.Find(id)
		if k < 0 {
			continue
		}
		rec := g.Record(k)
		for m := g.Masks[k]; m != 0; m &= m - 1 {
			comp := x.replicated[bits.TrailingZeros64(m)]
			if comp.Words == 0 {
				continue
			}
			n := (comp.Schema.RawSize() + 3) / 4
			truth := rec[:n]
			rec = rec[n:]
			if bit := m & -m; x.private&bit == 0 || x.predicted&bit != 0 && simulates(x.World, e) {
				continue
			}
			mine := x.World.Netcode().Pointer(e, comp)
			if mine == nil {
				return fmt.Errorf("%s: not on the client", comp.Name)
			}
			got := make([]int32, n)
			capture.PackRaw(got, comp.Schema.AppendRaw(nil, mine))
			if !slices.Equal(got, truth) {
				return fmt.Errorf("%s: not what the owner was told", comp.Name)
			}
		}
	}
	return nil
}

// dequantized is a value from its words.
func dequantized(comp *ecs.Component, words []int32) unsafe.Pointer {
	value := unsafe.Pointer(&make([]uint64, comp.Schema.Size/8+1)[0])
	comp.Schema.Dequantize(value, words, comp.Words, 1)
	return value
}

// simulates reports whether a client simulates an entity of its world.
func simulates(w *ecs.World, e ecs.Entity) bool { return ecs.Has[components.Predicted](w, e) }
