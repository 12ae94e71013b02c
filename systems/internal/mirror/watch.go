package mirror

import (
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/order"
)

// Watch reports entities that enter and leave the confirmed state of a world in which everything is simulated and no snapshots
// are placed.
type Watch struct {
	// Confirmed yields the tables of the state that can no longer change.
	Confirmed iter.Seq[ecs.Table]

	previous, present []components.NetID   // sorted
	collect           func(ecs.Table) bool // made once, because a loop over Confirmed allocates
	began             bool
	order             order.Scratch
}

// Update reports the entities that entered and left the confirmed state since the previous call. This is the state before tick. w
// may be ahead: an entity whose despawn w already contains enters with a zero Entity.
func (x *Watch) Update(w *ecs.World, tick uint32, callback func(*ecs.World, PresenceChange)) {
	x.previous, x.present = x.present, x.previous[:0]
	if x.collect == nil {
		x.collect = func(t ecs.Table) bool {
			x.present = append(x.present, t.NetIDs...)
			return true
		}
	}
	x.Confirmed(x.collect)
	order.By(&x.order, x.present, func(id *components.NetID) uint64 { return uint64(*id) })
	why := Spawned
	if !x.began {
		why, x.began = Joined, true
	}
	was, is := x.previous, x.present
	for len(was)+len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0] < is[0]:
			report(w, was[0], Despawned, tick, callback)
			was = was[1:]
		case len(was) == 0 || is[0] < was[0]:
			report(w, is[0], why, tick, callback)
			is = is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
}

// Leave reports LeftBehind for all present entities.
func (x *Watch) Leave(w *ecs.World, tick uint32, callback func(*ecs.World, PresenceChange)) {
	for _, id := range x.present {
		report(w, id, LeftBehind, tick, callback)
	}
	x.present = nil
}

// report calls the game's callback, which may read the world but not write it.
func report(w *ecs.World, id components.NetID, why Reason, tick uint32, callback func(*ecs.World, PresenceChange)) {
	e, _ := w.ByNetID(id)
	c := PresenceChange{id, e, why, tick}
	ecs.Handle(w, "ClientConfig.OnPresence", func() { callback(w, c) })
}
