package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// leg is a part of a bot's tour: to a place, on foot, with a jump, or by platform how - rides.
type leg struct {
	x, z float32
	how  int
}

const walks, jumps, rides = 0, 1, 2

// Every tour can start anywhere on the meadow.
var tours = [...][]leg{
	{{0, 2, walks}, {1, -6, walks}, {13, -6, walks}, {24, -6, rides}, {25.5, -4, walks}, {25.5, 2.5, rides + 1}, {25.5, 4.5, walks}, {24, 3.5, walks}, {12, 3.5, rides + 2}},
	{{0, 2, walks}, {-5, -6, walks}, {-8, -6, jumps}, {-10.3, -6, jumps}, {-12.5, 0, walks}, {-12.5, 4.5, walks}, {-16.7, 4.5, jumps},
		{-20.7, 4.5, jumps}, {-16.7, 4.5, jumps}, {-12, 4.5, jumps}, {-4, 7, walks}, {6.5, 7, walks}},
}

// bot follows tours over ramps, platforms and gaps. It knows only its client's world.
type bot struct {
	n, tour, leg    int
	patience, pause int  // ticks until it starts again, and until it continues
	off             bool // it leaves the platform, which has arrived
	released        bool
	ways            [256]Vec // the movement by each of its newest inputs
}

// Release releases all keys.
func (b *bot) Release() { b.released = true }

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		number := c.Input()
		if me, now, ok := b.self(c, number); ok && !b.released {
			if b.pause--; b.pause < 0 {
				b.think(&me, in, now)
			}
		}
		s, co := math.Sincos(float64(in.Yaw) * math.Pi / 180)
		b.ways[number%uint32(len(b.ways))] = Vec{float32(co), 0, float32(s)}.times(float32(in.Forward) * speed / float32(c.World().TickRate()))
	})
}

// self returns the bot's character in the tick of an input, and the time of that tick. A client without prediction starts
// from the confirmed state and adds the movement of the inputs since.
func (b *bot) self(c *systems.Client, number uint32) (me Body, now float64, ok bool) {
	w := c.World()
	for _, p := range ecs.Each[player](w) {
		return *p.Body, seconds(w), true
	}
	e, ok := c.Own(w)
	if !ok {
		return me, 0, false
	}
	me = *ecs.Get[Body](w, e)
	from := max(c.ConfirmedInput()+1, number-min(number, uint32(len(b.ways))-1))
	for n := from; n < number; n++ {
		me.At = me.At.add(b.ways[n%uint32(len(b.ways))])
	}
	return me, float64(c.ConfirmedTick()+number-from) / float64(w.TickRate()), true
}

func (b *bot) think(me *Body, in *Input, now float64) {
	if b.patience--; b.patience < 0 { // it fell or is lost
		b.leg, b.patience, b.off = 0, 1200, false
	}
	l := tours[b.tour][b.leg]
	far := in.face(me.World(now), Vec{X: l.x, Z: l.z})
	switch {
	case far < 0.5 && me.On == OnGround:
		b.patience, b.pause, b.off = 1200, (b.n*37+b.leg*23)%60, false
		if b.leg++; b.leg == len(tours[b.tour]) {
			b.leg, b.tour = 0, (b.tour+1)%len(tours)
		}
	case l.how < rides || b.off:
		in.Forward, in.Jump = 1, l.how == jumps && far > 1 && far < 2.6 && me.On == OnGround
	default: // board where it starts, stand in the middle, get off where it ends
		p, on := &Platforms[l.how-rides], me.On >= OnPlatform
		at := p.At(now)
		b.off = on && at == p.To
		if (on || at == p.From && at == p.At(now+0.5)) && in.face(me.World(now), at) > 0.3 {
			in.Forward = 1
		}
	}
}

// face turns the camera to a place and returns the distance.
func (in *Input) face(from, to Vec) float64 {
	dx, dz := float64(to.X-from.X), float64(to.Z-from.Z)
	in.Yaw = float32(math.Mod(math.Round(math.Atan2(dz, dx)*180/math.Pi)+360, 360))
	return math.Hypot(dx, dz)
}
