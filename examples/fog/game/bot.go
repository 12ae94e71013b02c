package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// bot is a player who walks about, and hunts opponents or flees from them. It knows only what its client knows. The seed
// determines its decisions.
type bot struct {
	draw ecs.Rand
	left int                 // ticks until its next decision
	last components.Position // at its last decision
	way  uint16              // where it walks, as an angle
	shy  bool                // it flees
}

// think fills in the input of a tick.
func (b *bot) think(c *systems.Client, in *Input) {
	own, _ := c.Own(c.World())
	pos, team := ecs.Get[components.Position](c.World(), own), ecs.Get[Team](c.World(), own)
	if pos == nil || team == nil {
		return
	}
	if b.left--; b.left < 0 {
		if b.left = 30; distance(*pos, b.last) < Radius || b.draw.IntN(5) == 0 { // at a wall, or tired of this way
			b.way, b.shy = b.freest(*pos), b.draw.IntN(3) == 0
		}
		b.last = *pos
	}
	way, nearest := b.way, math.Inf(1)
	for _, o := range ecs.All[known](c.World()) {
		if d := distance(*pos, o.Pos); o.Team != *team && d < nearest && Free(*pos, o.Pos) == 1 {
			nearest, way = d, bearing(o.Pos.X-pos.X, o.Pos.Y-pos.Y)
			if b.shy {
				way += 1 << 15
			}
		}
	}
	sin, cos := math.Sincos(radians(way))
	in.X, in.Y, in.Look = int8(math.Round(cos*1.3)), int8(math.Round(sin*1.3)), way
}

// freest returns the one of a few random directions in which the next wall is the farthest.
func (b *bot) freest(from components.Position) (way uint16) {
	for most, n := float32(-1), 0; n < 4; n++ {
		try := uint16(b.draw.IntN(65536))
		sin, cos := math.Sincos(radians(try))
		share := Free(from, components.Position{X: from.X + float32(cos*Size), Y: from.Y + float32(sin*Size)})
		if share > most {
			most, way = share, try
		}
	}
	return way
}

// bearing returns the direction of a vector as an angle.
func bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
}
