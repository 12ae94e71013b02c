package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// leg is a piece of a bot's way: to a place, on foot, with a jump, or by platform how - rides.
type leg struct {
	x, z float32
	how  int
}

const walks, jumps, rides = 0, 1, 2

// tours can be begun from anywhere on the meadow.
var tours = [...][]leg{
	{{0, 2, walks}, {1, -6, walks}, {13, -6, walks}, {24, -6, rides}, {25.5, -4, walks}, {25.5, 2.5, rides + 1}, {25.5, 4.5, walks}, {24, 3.5, walks}, {12, 3.5, rides + 2}},
	{{0, 2, walks}, {-5, -6, walks}, {-8, -6, jumps}, {-10.3, -6, jumps}, {-12.5, 0, walks}, {-12.5, 4.5, walks}, {-16.7, 4.5, jumps},
		{-20.7, 4.5, jumps}, {-16.7, 4.5, jumps}, {-12, 4.5, jumps}, {-4, 7, walks}, {6.5, 7, walks}},
}

// Bot goes on tours: up ramps, onto platforms, over gaps. It looks around in its client's world.
type Bot struct {
	draw      ecs.Rand
	tour, leg int
	patience  int  // ticks until it begins anew
	pause     int  // ticks
	off       bool // the platform: it has arrived
	released  bool
}

// NewBot makes the n-th bot; its whims follow from the seed.
func NewBot(seed uint64, n int) *Bot {
	return &Bot{draw: ecs.NewRand(seed, 1<<32|uint64(n)), tour: n % len(tours)}
}

// Gather is how the bot fills its inputs.
func (b *Bot) Gather() systems.GatherFunc { return systems.Gather(b.fill) }

// Release lets go of all keys for good.
func (b *Bot) Release() { b.released = true }

// fill makes the input of the coming tick. On a client Each yields the own character alone.
func (b *Bot) fill(c *systems.Client, in *Input) {
	for _, p := range ecs.Each[player](c.World()) {
		if !b.released {
			b.think(c.World(), p, in)
		}
	}
}

func (b *Bot) think(w *ecs.World, p player, in *Input) {
	second := w.TickRate()
	if b.patience--; b.patience < 0 { // it fell, or lost its way
		b.leg, b.patience, b.off = 0, 20*second, false
	}
	if b.pause--; b.pause > 0 {
		return
	}
	l := tours[b.tour][b.leg]
	switch far := in.face(w, p, l.x, l.z); {
	case far < 0.5 && p.Body.On == OnGround:
		b.patience, b.pause, b.off = 20*second, b.draw.IntN(second), false
		if b.leg++; b.leg == len(tours[b.tour]) {
			b.leg, b.tour = 0, b.draw.IntN(len(tours))
		}
	case l.how < rides || b.off:
		in.Forward, in.Jump = 1, l.how == jumps && far > 1 && far < 2.6 && p.Body.On == OnGround
	default:
		b.ride(w, p, &Platforms[l.how-rides], in)
	}
}

// ride boards a platform where it starts, stands in its middle, and gets off where it ends.
func (b *Bot) ride(w *ecs.World, me player, p *Platform, in *Input) {
	now, on := seconds(w), me.Body.On >= OnPlatform
	at := p.At(now)
	b.off = on && at == p.To
	if (on || at == p.From && at == p.At(now+0.5)) && in.face(w, me, at.X, at.Z) > 0.3 {
		in.Forward = 1
	}
}

// face turns the camera to a place, and returns how far it is.
func (in *Input) face(w *ecs.World, p player, x, z float32) float64 {
	at := p.Body.World(seconds(w))
	dx, dz := float64(x-at.X), float64(z-at.Z)
	in.Yaw = float32(math.Mod(math.Round(math.Atan2(dz, dx)*180/math.Pi)+360, 360))
	return math.Hypot(dx, dz)
}
