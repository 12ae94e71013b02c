package systems_test

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// hood is on entities that one client may not know of; or, with everybody, none.
type hood struct{ From uint32 }

const everybody = ^uint32(0)

// hoods is part of a protocol with hoods.
func hoods(p *ecs.Protocol) { ecs.Local[hood](p, 0) }

// noHoods is the interest in what has no hood.
func noHoods() systems.Interest {
	return systems.Filter(func(me struct{ Client systems.Viewer }, it struct{ Hood *hood }) bool {
		return it.Hood.From != everybody && it.Hood.From != uint32(me.Client)
	})
}

// cover hides an entity from a client, 0 from nobody.
func cover(w *ecs.World, e ecs.Entity, from uint32) {
	switch h := ecs.Get[hood](w, e); {
	case h != nil:
		h.From = from
	case from != 0:
		ecs.Add(w, e, hood{from})
	}
}
