package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// bot walks at random and throws at players nearby in its view. The seed determines its decisions.
type bot struct {
	draw     ecs.Rand
	in       Input
	left     int // ticks until its next decision
	released bool
}

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		if b.left--; b.left < 0 {
			b.left, b.in.X, b.in.Y = 20+b.draw.IntN(50), int8(b.draw.IntN(3)-1), int8(b.draw.IntN(3)-1)
		}
		nearest := float32(450 * 450)
		b.in.Throw = false
		self, _ := c.Own(c.World()) // which came first
		if at := ecs.Get[components.Position](c.World(), self); at != nil {
			for _, t := range ecs.All[target](c.View()) {
				dx, dy := t.Pos.X-at.X, t.Pos.Y-at.Y
				if d := dx*dx + dy*dy; t.Owner.Client != c.ID() && d < nearest {
					b.in.Aim, b.in.Throw, nearest = Bearing(dx, dy), b.draw.IntN(25) == 0, d
				}
			}
		}
		if b.released {
			b.in = Input{Aim: b.in.Aim}
		}
		*in = b.in
		Claim(c, in)
	})
}

// Release makes the bot press no more keys.
func (b *bot) Release() { b.released = true }
