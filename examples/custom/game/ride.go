package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// rider is a player, on a platform or not.
type rider struct {
	Pos  *components.Position
	Ride *Ride
}

// carry moves players on platforms by the movement of the platform in this tick.
func carry(w *ecs.World) {
	platforms, now := level(w).Platforms, w.Tick()
	for _, r := range ecs.Each[rider](w) {
		if i := int(r.Ride.On) - 1; i >= 0 && i < len(platforms) {
			from, to := platforms[i].At(now), platforms[i].At(now+1)
			r.Pos.X += to.X - from.X
			r.Pos.Y += to.Y - from.Y
		}
	}
}

// board records after the tick which players stand on which platform, and where on it.
func board(w *ecs.World) {
	platforms, after := level(w).Platforms, w.Tick()+1
	for _, r := range ecs.Each[rider](w) {
		*r.Ride = Ride{}
		for i := range platforms {
			if p := &platforms[i]; p.Carries(after, r.Pos.X, r.Pos.Y) {
				at := p.At(after)
				*r.Ride = Ride{On: uint8(i + 1), X: r.Pos.X - at.X, Y: r.Pos.Y - at.Y}
				break
			}
		}
	}
}
