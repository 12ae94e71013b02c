package fieldtest

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Hidden hides an entity from the client with number From, or from all clients if From is Everybody.
type Hidden struct{ From uint32 }

// Everybody means all clients in Hidden.From.
const Everybody = ^uint32(0)

// HiddenPart adds the component Hidden to a protocol.
func HiddenPart(p *ecs.Protocol) { ecs.Local[Hidden](p, 0) }

// NotHidden returns an interest in entities that are not hidden from the client.
func NotHidden() systems.Interest {
	return systems.Filter(func(me struct{ Client systems.Viewer }, it struct{ Hood *Hidden }) bool {
		return it.Hood.From != Everybody && it.Hood.From != uint32(me.Client)
	})
}

// HideFrom hides an entity from a client. From 0 shows it again.
func HideFrom(w *ecs.World, e ecs.Entity, from uint32) {
	switch h := ecs.Get[Hidden](w, e); {
	case h != nil:
		h.From = from
	case from != 0:
		ecs.Add(w, e, Hidden{from})
	}
}
