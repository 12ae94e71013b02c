package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// The field, in units and seconds.
const (
	SizeX, SizeY   = 96, 64
	Width          = 1.2     // of a snake
	Away           = 2.5     // seconds until a dead snake comes back
	Spacing        = 9       // ticks between two spots
	speed, agility = 10, 0.9 // agility in turns a second
	hatch, longest = 5, 31   // length of a new snake, and maximum, in spots
)

// Input is the input of a player for one tick.
type Input struct {
	Turn int8 `net:"-1..1"` // left, right
}

// Snake is the head of a snake and its life. The server alone decides the length, which causes no corrections.
type Snake struct {
	X      float32          `net:"0..96 step 0.015625"`
	Y      float32          `net:"0..64 step 0.015625"`
	Turn   uint16           `net:"0..65535 step 64 angle"`
	Dead   uint8            `net:"0..255"` // ticks since the death; 0: alive
	By     components.NetID `net:"ref"`    // the snake that it ran into; 0: the wall
	Laid   uint32           `net:"raw"`    // tick of the newest spot
	Length uint8            `net:"0..31 server"`
	Kills  uint16           `net:"0..65535 server"`
}

// Spot is a position of a body, in eighths of a unit. -1, -1 is an empty spot.
type Spot struct {
	X, Y int16 `net:"-1..1023"`
}

// Body is a ring buffer of earlier positions of the head. Only one spot changes at a time.
type Body struct {
	Next  uint8 `net:"0..31"` // index of the next spot to write
	Spots [32]Spot
}

// Nth returns the n-th spot from the head at a tick, and false behind the tail. It needs no newer state: a client that has
// an old state of another snake computes which spots have expired.
func (b *Body) Nth(n int, s *Snake, tick uint32) (x, y float32, ok bool) {
	at := b.Spots[(int(b.Next)-1-n)&31]
	return float32(at.X) / 8, float32(at.Y) / 8, at.X >= 0 && n < longest && int(tick-s.Laid)+n*Spacing < int(s.Length)*Spacing
}

// player is the row that Simulate writes. seen is a row of copies of any visible snake.
type player struct {
	Snake *Snake
	Body  *Body
	Leaps *components.Teleports
	In    *Input
}
type seen struct {
	ID    components.NetID
	Snake Snake
	Body  Body
}

// glide moves a snake.
func (s *Snake) glide(turn int8, seconds float32) {
	s.Turn += uint16(int32(float32(turn) * agility * 65536 * seconds))
	sin, cos := math.Sincos(float64(s.Turn) * (2 * math.Pi / 65536))
	s.X += float32(float32(cos) * float32(speed*seconds))
	s.Y += float32(float32(sin) * float32(speed*seconds))
}

// glide moves living snakes and respawns dead ones.
func glide(w *ecs.World) {
	for e, p := range ecs.Each[player](w) {
		s, b := p.Snake, p.Body
		if s.Dead > 0 {
			if s.Dead++; float32(s.Dead) > Away*float32(w.TickRate()) {
				*s, *b = newSnake(w.Rand(e), *s)
				p.Leaps.Count++
			}
			continue
		}
		s.glide(p.In.Turn, w.Step())
		if w.Tick()-s.Laid >= Spacing {
			s.Laid, b.Spots[b.Next] = w.Tick(), Spot{int16(s.X * 8), int16(s.Y * 8)}
			b.Next = (b.Next + 1) & 31
		}
	}
}

// newSnake returns a snake at a random place, in the direction of the middle. It keeps length and kills of the old one.
func newSnake(draw ecs.Rand, was Snake) (s Snake, b Body) {
	x, y := 8+draw.Float32()*(SizeX-16), 8+draw.Float32()*(SizeY-16)
	for i := range b.Spots {
		b.Spots[i] = Spot{-1, -1}
	}
	return Snake{X: x, Y: y, Turn: bearing(SizeX/2-x, SizeY/2-y), Length: was.Length, Kills: was.Kills}, b
}

// bearing returns the angle of a vector, in 65536ths of a full turn.
func bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) * 65536 / (2 * math.Pi)))
}

// Death is the outcome that a snake died. By is the snake that it ran into; 0 is the wall.
type Death struct{ By components.NetID }

// crash detects collisions. On a client it tests its own predicted snake against the last received state of the others.
// If a snake hits several others, the one with the lowest NetID counts. Snakes that die in the same tick still count, so
// the order of the snakes does not matter.
func crash(w *ecs.World) {
	for e, p := range ecs.Each[player](w) {
		if p.Snake.Dead > 0 {
			continue
		}
		by, hit := components.NetID(0), p.Snake.outside()
		for _, o := range ecs.All[seen](w) {
			if o.ID != w.NetID(e) && o.Snake.Dead <= 1 && (by == 0 || o.ID < by) && o.touches(p.Snake, w.Tick()) {
				by, hit = o.ID, true
			}
		}
		if hit {
			p.Snake.Dead, p.Snake.By = 1, by
			outcome.Raise(w, e, Death{by})
		}
	}
}

// outside reports whether a head is in the wall.
func (s *Snake) outside() bool {
	return s.X < Width/2 || s.Y < Width/2 || s.X > SizeX-Width/2 || s.Y > SizeY-Width/2
}

// touches reports whether a head touches a spot of a body.
func (o *seen) touches(s *Snake, tick uint32) bool {
	for n := 0; ; n++ {
		if x, y, ok := o.Body.Nth(n, &o.Snake, tick); !ok || far(s, x, y) < Width*Width {
			return ok
		}
	}
}

// far returns the squared distance from a head to a place.
func far(s *Snake, x, y float32) float32 {
	return float32((s.X-x)*(s.X-x)) + float32((s.Y-y)*(s.Y-y))
}

// Food is food on the field. Only the server simulates it.
type Food struct {
	X float32 `net:"0..96 step 0.125"`
	Y float32 `net:"0..64 step 0.125"`
}

// somewhere returns food at a random place.
func somewhere(draw ecs.Rand) Food {
	return Food{X: 2 + draw.Float32()*(SizeX-4), Y: 2 + draw.Float32()*(SizeY-4)}
}

// feed runs only on the server. It also runs in ticks that the server simulates again, so it writes only state. Snakes grow
// when they eat or kill. A dead snake loses its length.
func feed(w *ecs.World) {
	for _, p := range ecs.EachInOrder[player](w) {
		if p.Snake.Dead == 1 {
			p.Snake.Length = hatch
			if killer, ok := w.ByNetID(p.Snake.By); ok {
				s := ecs.Get[Snake](w, killer)
				s.Kills, s.Length = s.Kills+1, min(s.Length+2, longest)
			}
		}
		for e, f := range ecs.Each[struct{ Food *Food }](w) {
			if p.Snake.Dead == 0 && far(p.Snake, f.Food.X, f.Food.Y) < Width*Width {
				*f.Food, p.Snake.Length = somewhere(w.Rand(e)), min(p.Snake.Length+1, longest)
			}
		}
	}
}
