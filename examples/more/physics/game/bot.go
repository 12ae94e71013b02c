package game

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// bot rolls from place to place through everything in its way, and sometimes jumps.
type bot struct {
	draw     ecs.Rand
	target   float64
	left     int // ticks until it chooses another place
	released bool
}

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		if b.left--; b.left < 0 {
			b.left = 60 + b.draw.IntN(120)
			b.target = b.draw.Float64() * Width
		}
		for _, r := range ecs.EachOf[row](c.World(), c.ID()) {
			switch off := b.target - r.Body.X; {
			case b.released:
			case off > Side:
				in.Roll = 1
			case off < -Side:
				in.Roll = -1
			}
			in.Jump = !b.released && r.Body.Stands && b.draw.IntN(50) == 0
		}
	})
}

// Release releases all keys.
func (b *bot) Release() { b.released = true }
