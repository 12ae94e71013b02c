package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot walks about: every half second it picks one of eight directions or
// stands, and may turn.
type Bot struct {
	draw     ecs.Rand
	in       Input
	spin     int32 // aim per tick
	tick     int
	offset   int
	released bool
}

// NewBot makes the n-th of many bots; its whims follow from the seed.
func NewBot(seed uint64, n, of int) *Bot {
	return &Bot{draw: ecs.NewRand(seed, 1<<32|uint64(n)), offset: n * 30 / max(of, 1)}
}

// Gather is how the bot fills its inputs.
func (b *Bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) { *in = b.Next(c.World().TickRate()) })
}

// Next is the input of the next tick, of so many a second.
func (b *Bot) Next(rate int) Input {
	every := max(rate/2, 1)
	if (b.tick+b.offset)%every == 0 {
		b.decide(rate)
	}
	b.tick++
	b.in.Aim = uint16(int32(b.in.Aim) + b.spin)
	if b.released {
		b.in.Buttons = 0
	}
	return b.in
}

// eight are the directions that a bot may walk in.
var eight = [8]uint8{Up, Up | Right, Right, Right | Down, Down, Down | Left, Left, Left | Up}

func (b *Bot) decide(rate int) {
	b.in.Buttons, b.spin = 0, 0
	if b.draw.Float64() < 0.75 {
		b.in.Buttons = eight[b.draw.IntN(8)]
	}
	if b.draw.Float64() < 0.5 {
		b.spin = int32(65536 / 4 / rate) // 90 degrees a second
		if b.draw.IntN(2) == 0 {
			b.spin = -b.spin
		}
	}
}

// Release lets go of all keys for good.
func (b *Bot) Release() { b.released = true }

// Wants is the direction that the newest input walks in, as [Bot.Shows] tells
// it.
func (b *Bot) Wants() int {
	dx, dy := direction(b.in.Buttons)
	return compass(dx, dy)
}

// Shows is the direction that an entity is seen to walk in.
func (b *Bot) Shows(w *ecs.World, e ecs.Entity) int {
	v := ecs.Get[components.Velocity](w, e)
	if v == nil {
		return -1
	}
	return compass(v.X, v.Y)
}

// compass numbers the eight directions and standing still, 0 to 8.
func compass(dx, dy float32) int {
	sign := func(v float32) int {
		switch {
		case v > 0.25:
			return 2
		case v < -0.25:
			return 0
		}
		return 1
	}
	return 3*sign(dx) + sign(dy)
}
