package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// Draw returns a custom Interpolate for systems.ClientSystems. It draws simulated players where they are. Other players walk
// from one confirmed place to the next, and entities without a place are drawn as confirmed.
func Draw(p systems.ClientParts) func(*ecs.World) {
	view := p.View.Netcode()
	return func(*ecs.World) {
		head := p.Clock.Advance(p.Now())
		for e := range p.Entities {
			now, there := e.At(head)
			if !there {
				view.Discard(e.NetID)
				continue
			}
			drawn := view.Replica(e.NetID, now.Mask, e.Simulated)
			now.Write(drawn)
			if next, ok := interpolate.Next[components.Position](now); ok {
				at := ecs.Get[components.Position](p.View, drawn)
				at.X += float32(now.Share) * (next.X - at.X)
				at.Y += float32(now.Share) * (next.Y - at.Y)
			}
		}
	}
}
