package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot is a player that walks at random. Every half second it chooses one of eight directions or stands still, and may
// turn its aim.
type Bot struct {
	draw     ecs.Rand
	in       Input
	spin     int32 // change of the aim per tick
	tick     int
	offset   int
	released bool
}

// NewBot returns bot n of a number of bots, from 0. The seed determines its decisions.
func NewBot(seed uint64, n, of int) *Bot {
	return &Bot{draw: ecs.NewRand(seed, 1<<32|uint64(n)), offset: n * 30 / max(of, 1)}
}

// Gather returns the function that produces the bot's inputs.
func (b *Bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) { *in = b.Next(c.World().TickRate()) })
}

// Next returns the input of the next tick. rate is the number of ticks per second.
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

// eight lists the buttons of the directions in which a bot walks.
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

// Release makes the bot press no more buttons.
func (b *Bot) Release() { b.released = true }

// Wants returns the direction of the newest input, numbered as by [Bot.Shows].
func (b *Bot) Wants() int {
	dx, dy := direction(b.in.Buttons)
	return compass(dx, dy)
}

// Shows returns the direction in which an entity walks, 0 to 8, where 4 is standing still. It returns -1 if the entity
// has no velocity.
func (b *Bot) Shows(w *ecs.World, e ecs.Entity) int {
	v := ecs.Get[components.Velocity](w, e)
	if v == nil {
		return -1
	}
	return compass(v.X, v.Y)
}

// compass returns the number of a direction, 0 to 8, where 4 is standing still.
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
