package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/order"
)

// Watch reports entities that enter and leave a world in which everything is simulated and no snapshots are placed.
// The zero value is ready to use.
type Watch struct {
	previous, present []watched // sorted by number
	began             bool
	order             order.Scratch
}

type watched struct {
	id     components.NetID
	entity ecs.Entity
}

// Update reports the entities that entered and left since the previous call. tick is the next tick.
func (x *Watch) Update(w *ecs.World, tick uint32, callback func(*ecs.World, PresenceChange)) {
	x.previous, x.present = x.present, x.previous[:0]
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			x.present = append(x.present, watched{id, t.Entities[i]})
		}
	}
	order.By(&x.order, x.present, func(e *watched) uint64 { return uint64(e.id) })
	why := Spawned
	if !x.began {
		why, x.began = Joined, true
	}
	was, is := x.previous, x.present
	for len(was)+len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].id < is[0].id:
			report(w, PresenceChange{was[0].id, ecs.Entity{}, Despawned, tick}, callback)
			was = was[1:]
		case len(was) == 0 || is[0].id < was[0].id:
			report(w, PresenceChange{is[0].id, is[0].entity, why, tick}, callback)
			is = is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
}

// Leave reports LeftBehind for all present entities.
func (x *Watch) Leave(w *ecs.World, tick uint32, callback func(*ecs.World, PresenceChange)) {
	for _, is := range x.present {
		report(w, PresenceChange{is.id, is.entity, LeftBehind, tick}, callback)
	}
	x.present = nil
}

// report calls the game's callback, which may read the world but not write it.
func report(w *ecs.World, c PresenceChange, callback func(*ecs.World, PresenceChange)) {
	ecs.Handle(w, "ClientConfig.OnPresence", func() { callback(w, c) })
}
