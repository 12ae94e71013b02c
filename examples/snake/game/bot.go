package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot hunts: it heads for where the nearest snake will be, to cut it off, and for food while there
// is none. It swerves late. It sees what its client knows.
type Bot struct {
	draw     ecs.Rand
	turn     int8
	whim     int  // ticks until it thinks of something else
	hungry   bool // it goes for food
	released bool
	around   []point
}

type point struct{ x, y float32 }

// NewBot makes the n-th bot; its whims follow from the seed.
func NewBot(seed uint64, n int) *Bot { return &Bot{draw: ecs.NewRand(seed, 1<<32|uint64(n))} }

// Gather is how the bot fills its inputs.
func (b *Bot) Gather() systems.GatherFunc { return systems.Gather(b.fill) }

// Release lets go of all keys for good.
func (b *Bot) Release() { b.released = true }

func (b *Bot) fill(c *systems.Client, in *Input) {
	w := c.World()
	for e, p := range ecs.Each[player](w) {
		if p.Snake.Dead == 0 && !b.released {
			in.Turn = b.choose(p.Snake, b.look(w, e, p.Snake))
		}
	}
}

// look notes what is near, and returns where to go.
func (b *Bot) look(w *ecs.World, me ecs.Entity, s *Snake) (to point) {
	if b.whim--; b.whim < 0 {
		b.whim, b.hungry = 60+b.draw.IntN(180), b.draw.IntN(3) == 0
	}
	b.around = b.around[:0]
	nearest := float32(math.MaxFloat32)
	for e, o := range ecs.All[seen](w) {
		if e == me || o.Snake.Dead > 1 {
			continue
		}
		for n := -1; ; n++ {
			x, y, ok := o.Snake.X, o.Snake.Y, true
			if n >= 0 {
				x, y, ok = o.Body.Nth(n, &o.Snake, w.Tick())
			}
			if !ok {
				break
			}
			if d := far(s, x, y); d < 12*12 {
				b.around = append(b.around, point{x, y})
			}
		}
		if d := far(s, o.Snake.X, o.Snake.Y); d < nearest && !b.hungry {
			ahead := step(o.Snake, 0, 0.5+float32(math.Sqrt(float64(d)))/speed/2)
			nearest, to = d, point{ahead.X, ahead.Y}
		}
	}
	for _, f := range ecs.All[struct{ Food Food }](w) {
		if d := far(s, f.Food.X, f.Food.Y); d < nearest && (b.hungry || nearest > 40*40) {
			nearest, to = d, point{f.Food.X, f.Food.Y}
		}
	}
	return to
}

// choose turns toward a place, unless that is deadly soon: then where there is most room.
func (b *Bot) choose(s *Snake, to point) (turn int8) {
	const soon = 10 // ticks
	off := int16(uint16(int32(math.Atan2(float64(to.y-s.Y), float64(to.x-s.X))*65536/(2*math.Pi))) - s.Turn)
	switch {
	case off > 700:
		turn = 1
	case off < -700:
		turn = -1
	}
	best := b.room(s, turn, soon)
	for _, other := range [...]int8{0, 1, -1} {
		if room := b.room(s, other, 3*soon); best < soon && room > best {
			best, turn = room, other
		}
	}
	return turn
}

// room is how many ticks, at most so many, a snake can turn like that until it runs into something.
func (b *Bot) room(s *Snake, turn int8, most int) int {
	at := *s
	for n := 0; n < most; n += 2 {
		at = step(at, turn, 2.0/60)
		if at.X < Width || at.Y < Width || at.X > SizeX-Width || at.Y > SizeY-Width {
			return n
		}
		for _, o := range b.around {
			if near(&at, o.x, o.y) {
				return n
			}
		}
	}
	return most
}

// step is where a snake is some seconds later.
func step(s Snake, turn int8, seconds float32) Snake {
	s.Turn += uint16(int32(float32(turn) * agility * 65536 * seconds))
	sin, cos := math.Sincos(float64(s.Turn) * (2 * math.Pi / 65536))
	s.X, s.Y = s.X+float32(float32(cos)*speed*seconds), s.Y+float32(float32(sin)*speed*seconds)
	return s
}

func far(s *Snake, x, y float32) float32 { return (s.X-x)*(s.X-x) + (s.Y-y)*(s.Y-y) }
