package difference

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// Timelines compares the worlds of two peers that simulate everything after the newest tick that is final on both. It returns an
// error that describes the first difference.
func Timelines(client, server *timeline.Timeline) error {
	final := min(client.Horizon(), server.Horizon())
	if final == 0 {
		return errors.New("no tick is final on both peers")
	}
	tick := final - 1
	a, okA := client.Hash(tick)
	b, okB := server.Hash(tick)
	switch {
	case !okA || !okB:
		return fmt.Errorf("tick %d, the newest that is final on both, is %d ticks old", tick, client.Next()-final)
	case a == b:
		return nil
	}
	x, errX := client.AppendDigest(nil, tick)
	y, errY := server.AppendDigest(nil, tick)
	where := "the world"
	if errX == nil && errY == nil {
		where = client.Divergence(x, y)
	}
	return fmt.Errorf("tick %d: %s differs: hash %016x on the client, %016x on the server", tick, where, a, b)
}

// Ends are a client that receives snapshots and its server.
type Ends struct {
	Server, World *ecs.World // World is the client's
	Client        uint32     // its number
	Mirror        *mirror.Mirror
	Reconciler    *reconcile.System

	Tick      uint32 // the server's next one
	Snapshots *snapshot.System
	Recipient *snapshot.Client

	replicated         []*ecs.Component
	predicted, private uint64 // of them
}

// Compare returns nil if the client's world equals the server's, as far as the client has been sent it and may see it.
// Otherwise the error names the first entity, component and field that differ, with both values. Both ends must be at
// rest.
func (x Ends) Compare() error {
	p := x.World.Protocol()
	x.replicated, x.predicted, x.private = p.Replicated(), wire.Predicted(p), wire.Private(p)
	f := x.Snapshots.Frame(x.Mirror.Newest.Send)
	if f == nil || f.Tick != x.Mirror.Newest.Tick {
		return fmt.Errorf("the client's newest snapshot, tick %d, is %d ticks old", x.Mirror.Newest.Tick, x.Tick-x.Mirror.Newest.Tick)
	}
	seen := make(map[uint32]bool)
	for _, s := range x.Snapshots.InSight(x.Recipient, f) {
		seen[s.ID] = true
		if err := x.memberDiffers(s); err != nil {
			return err
		}
	}
	return x.onlyHas(seen, f.Tick)
}

// onlyHas returns an error if the client has an entity that it should not have.
func (x *Ends) onlyHas(seen map[uint32]bool, tick uint32) error {
	for t := range x.World.Netcode().Tables {
		for _, id := range t.NetIDs {
			if !seen[uint32(id)] {
				return fmt.Errorf("entity %d lives on the client, not on the server at tick %d", id, tick)
			}
		}
	}
	return nil
}

// memberDiffers compares an entity in the sight of the client.
func (x *Ends) memberDiffers(s snapshot.InSight) error {
	_, over := x.Recipient.Budget()
	r := x.Mirror.Entities.Of(s.ID)
	if r == nil || r.Entity.IsZero() || r.Removed.Tick != 0 {
		if over && s.Held == 0 {
			return nil // not sent yet
		}
		return fmt.Errorf("entity %d is in sight at tick %d, but does not live on the client", s.ID, x.Mirror.Newest.Tick)
	}
	send := x.Mirror.Store.World.Groups[r.At.Group].Updated[r.At.Slot]
	f := x.Snapshots.Frame(send)
	if send != x.Mirror.Newest.Send && !over || f == nil {
		return fmt.Errorf("entity %d is as of send %d, the newest is %d", s.ID, send, x.Mirror.Newest.Send)
	}
	if send < s.Since {
		return nil // its components have changed since
	}
	return x.stateDiffers(f, s, r)
}

// stateDiffers compares an entity of the client with its state in a frame.
func (x *Ends) stateDiffers(f *frames.Frame, s snapshot.InSight, r *mirror.Replica) error {
	private, mine := uint64(0), f.Owner(s.Group, s.Slot) == x.Client
	if mine {
		private = x.Mirror.PrivateMask(r)
	}
	if err := x.entityDiffers(s.Mask, private, &f.Groups[s.Group], s.Slot, r.Entity); err != nil {
		return fmt.Errorf("entity %d at tick %d: %w", s.ID, f.Tick, err)
	}
	if mine && x.private != 0 {
		if err := x.privateDiffers(s.ID, r.Entity); err != nil {
			return fmt.Errorf("entity %d at tick %d: %w", s.ID, f.Tick, err)
		}
	}
	return nil
}

// entityDiffers compares an entity of the client with the captured one, of which the client sees the components in mask. It ignores the
// values of private components.
func (x *Ends) entityDiffers(mask, private uint64, truth *delta.Group, k int, e ecs.Entity) error {
	if mine := x.World.Netcode().Mask(e); mine != mask|private {
		return fmt.Errorf("components %#x on the client, %#x on the server", mine, mask|private)
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
		if mask&m&-m == 0 || x.misses(e, comp) {
			continue
		}
		if r := x.Mirror.Entities.Of(uint32(x.World.NetID(e))); (r.CoSimulated() || isPredicted(x.World, e)) && x.predicted&(1<<comp.Replicated()) != 0 {
			if err := x.Reconciler.Differs(r, comp, truth.Send, words); err != nil {
				return err
			}
			continue
		}
		theirs := dequantize(comp, words)
		if field := firstUnequalField(comp, mine, theirs); field >= 0 {
			return fmt.Errorf("%s.%s: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
				comp.Schema.Format(field, mine), comp.Schema.Format(field, theirs))
		}
	}
	return nil
}

// misses reports whether the client simulates an entity, and lacks an entity that places a component of it on the
// server.
func (x *Ends) misses(e ecs.Entity, comp *ecs.Component) bool {
	if !isPredicted(x.World, e) {
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

// firstUnequalField returns the first field of two values whose bits differ, or -1.
func firstUnequalField(comp *ecs.Component, a, b unsafe.Pointer) int {
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

// privateDiffers compares the components that only the owner may see and does not predict. It compares with the newest
// state that the owner was sent of the entity, or with the current state where that is no longer kept.
func (x *Ends) privateDiffers(id uint32, e ecs.Entity) error {
	mask, rec := x.Snapshots.OwnState(x.Recipient, x.Mirror.Own.NewestSend(id), id)
	if rec == nil {
		mask, rec = x.Snapshots.OwnState(x.Recipient, x.Mirror.Newest.Send, id)
	}
	for m := mask; m != 0; m &= m - 1 {
		comp := x.replicated[bits.TrailingZeros64(m)]
		if comp.Words == 0 {
			continue
		}
		n := (comp.Schema.RawSize() + 3) / 4
		truth := rec[:n]
		rec = rec[n:]
		if bit := m & -m; x.private&bit == 0 || x.predicted&bit != 0 && isPredicted(x.World, e) {
			continue
		}
		mine := x.World.Netcode().Pointer(e, comp)
		if mine == nil {
			return fmt.Errorf("%s: not on the client", comp.Name)
		}
		got := make([]int32, n)
		frames.PackRaw(got, comp.Schema.AppendRaw(nil, mine))
		if !slices.Equal(got, truth) {
			return fmt.Errorf("%s: differs from the value that the owner was sent", comp.Name)
		}
	}
	return nil
}

// dequantize returns a value made of its quantized words.
func dequantize(comp *ecs.Component, words []int32) unsafe.Pointer {
	value := unsafe.Pointer(&make([]uint64, comp.Schema.Size/8+1)[0])
	comp.Schema.Dequantize(value, words, comp.Words, 1)
	return value
}

// isPredicted reports whether a client simulates an entity of its world.
func isPredicted(w *ecs.World, e ecs.Entity) bool { return ecs.Has[components.Predicted](w, e) }
