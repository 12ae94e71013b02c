package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/order"
)

// Watch tells of entities that come to a world and leave it where everything is simulated, and nothing is placed from
// snapshots. The zero value has seen nothing.
type Watch struct {
	was, is []watched // by number
	began   bool
	order   order.Scratch
}

type watched struct {
	id     components.NetID
	entity ecs.Entity
}

// Look tells of those that have come and gone since it was called last; tick is the next one.
func (x *Watch) Look(w *ecs.World, tick uint32, tell func(*ecs.World, PresenceChange)) {
	x.was, x.is = x.is, x.was[:0]
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			x.is = append(x.is, watched{id, t.Entities[i]})
		}
	}
	order.By(&x.order, x.is, func(e *watched) uint64 { return uint64(e.id) })
	why := Spawned
	if !x.began {
		why, x.began = Joined, true
	}
	was, is := x.was, x.is
	for len(was)+len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].id < is[0].id:
			handle(w, PresenceChange{was[0].id, ecs.Entity{}, Despawned, tick}, tell)
			was = was[1:]
		case len(was) == 0 || is[0].id < was[0].id:
			handle(w, PresenceChange{is[0].id, is[0].entity, why, tick}, tell)
			is = is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
}

// Leave tells of all that were there that the client leaves them behind.
func (x *Watch) Leave(w *ecs.World, tick uint32, tell func(*ecs.World, PresenceChange)) {
	for _, is := range x.is {
		handle(w, PresenceChange{is.id, is.entity, LeftBehind, tick}, tell)
	}
	x.is = nil
}

// handle tells the game, which may look at the world and not write it.
func handle(w *ecs.World, c PresenceChange, tell func(*ecs.World, PresenceChange)) {
	ecs.Handle(w, "ClientConfig.OnPresence", func() { tell(w, c) })
}
