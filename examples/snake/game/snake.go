package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// The field, in units and seconds.
const (
	SizeX, SizeY = 96, 64
	Width        = 1.2 // of a snake
	Away         = 2.5 // that a dead snake is gone
	Spacing      = 9   // ticks between two spots

	speed   = 10
	agility = 0.9 // of the full turn
	hatch   = 5   // spots of a snake that comes up
	longest = 31
)

// Input is what a player does in a tick.
type Input struct {
	Turn int8 `net:"-1..1"` // left, right
}

// Snake is the head of a snake, and whether it lives. How it grows is for the server to say: a client
// takes that over without being corrected.
type Snake struct {
	X    float32          `net:"0..96 step 0.015625"`
	Y    float32          `net:"0..64 step 0.015625"`
	Turn uint16           `net:"0..65535 step 64 angle"`
	Dead uint8            `net:"0..255"` // ticks since it died; 0: it lives
	By   components.NetID `net:"ref"`    // whom it ran into; 0: the wall
	Laid uint32           `net:"raw"`    // tick of the newest spot

	Length uint8  `net:"0..31 server"` // spots
	Kills  uint16 `net:"0..65535 server"`
}

// Spot is a place of a body, in eighths of a unit.
type Spot struct {
	X, Y int16 `net:"-1..1023"`
}

// Body is where the head has been: a ring of spots, of which one changes at a time.
type Body struct {
	Next  uint8    `net:"0..31"` // to be written
	Spots [32]Spot // -1, -1: none
}

// Nth is the n-th spot from the head on, at a tick; false behind the tail. A spot stays for as long
// as the snake is: a client whose state of another snake is old still knows which are gone by now.
func (b *Body) Nth(n int, s *Snake, tick uint32) (x, y float32, ok bool) {
	at := b.Spots[(int(b.Next)-1-n)&31]
	return float32(at.X) / 8, float32(at.Y) / 8, at.X >= 0 && n < longest && int(tick-s.Laid)+n*Spacing < int(s.Length)*Spacing
}

// player is a row.
type player struct {
	Owner *components.Owner
	Snake *Snake
	Body  *Body
	Leaps *components.Teleports
	In    *Input
}

// glide moves the living, and brings the dead back.
func glide(w *ecs.World) {
	for e, p := range ecs.Each[player](w) {
		s, b := p.Snake, p.Body
		if s.Dead > 0 {
			if s.Dead++; float32(s.Dead) > Away*float32(w.TickRate()) {
				draw := w.Rand(e)
				hatchAt(p.Snake, p.Body, &draw)
				p.Leaps.Count++
			}
			continue
		}
		s.Turn += uint16(int32(float32(p.In.Turn) * agility * 65536 * w.Step()))
		sin, cos := math.Sincos(float64(s.Turn) * (2 * math.Pi / 65536))
		s.X += float32(float32(cos) * float32(speed*w.Step()))
		s.Y += float32(float32(sin) * float32(speed*w.Step()))
		if w.Tick()-s.Laid >= Spacing {
			s.Laid = w.Tick()
			b.Spots[b.Next] = Spot{int16(s.X * 8), int16(s.Y * 8)}
			b.Next = (b.Next + 1) & 31
		}
	}
}

// hatchAt makes a snake begin somewhere, looking to the middle.
func hatchAt(s *Snake, b *Body, draw *ecs.Rand) {
	x, y := 8+draw.Float32()*(SizeX-16), 8+draw.Float32()*(SizeY-16)
	*s = Snake{X: x, Y: y, Length: s.Length, Kills: s.Kills, Turn: uint16(int32(math.Atan2(float64(SizeY/2-y), float64(SizeX/2-x)) * 65536 / (2 * math.Pi)))}
	for i := range b.Spots {
		b.Spots[i] = Spot{-1, -1}
	}
}

// seen is a row of copies: what can be seen of any snake.
type seen struct {
	ID    components.NetID
	Snake Snake
	Body  Body
}

// Death is the outcome that a snake has died. By is whom it ran into; 0: the wall.
type Death struct{ By components.NetID }

// crash finds who runs into whom. On a client these are its own snake, as predicted, and all others
// as the server told last.
func crash(w *ecs.World) {
	for e, p := range ecs.Each[player](w) {
		if p.Snake.Dead > 0 {
			continue
		}
		by, hit := hits(w, w.NetID(e), p.Snake)
		if hit {
			p.Snake.Dead, p.Snake.By = 1, by
			outcome.Raise(w, e, Death{by})
		}
	}
}

// hits finds what a head has run into: of several snakes the one that is there for longest, so that
// the order in which they are stored does not matter. Who dies in the same tick still counts.
func hits(w *ecs.World, id components.NetID, s *Snake) (by components.NetID, hit bool) {
	const room = Width / 2
	hit = s.X < room || s.Y < room || s.X > SizeX-room || s.Y > SizeY-room
	for _, o := range ecs.All[seen](w) {
		if o.ID == id || o.Snake.Dead > 1 || by != 0 && o.ID > by {
			continue
		}
		for n := 0; ; n++ {
			x, y, ok := o.Body.Nth(n, &o.Snake, w.Tick())
			if !ok {
				break
			}
			if near(s, x, y) {
				by, hit = o.ID, true
				break
			}
		}
	}
	return by, hit
}

// near reports whether a head touches what is as wide at a place.
func near(s *Snake, x, y float32) bool {
	dx, dy := s.X-x, s.Y-y
	return float32(dx*dx)+float32(dy*dy) < Width*Width
}
