package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// bot cuts off a snake nearby, or else goes to the nearest food, and turns away late. It reads its client's world.
type bot struct {
	daring   int       // ticks before a collision at which it turns away
	near     []Food    // places that it may run into
	turns    [256]int8 // turns of its newest inputs
	released bool
}

// Release makes the bot press no more keys.
func (b *bot) Release() { b.released = true }

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		if e, me, ok := b.self(c); ok && me.Dead == 0 && !b.released {
			in.Turn = b.turn(&me, b.scan(c.World(), e, &me))
		}
		b.turns[c.Input()%uint32(len(b.turns))] = in.Turn
	})
}

// self returns the bot's snake before the coming input. If the client does not predict, it moves the confirmed snake by
// the inputs that the server has not confirmed yet.
func (b *bot) self(c *systems.Client) (e ecs.Entity, me Snake, ok bool) {
	w := c.World()
	for e, p := range ecs.Each[player](w) {
		return e, *p.Snake, true
	}
	if e, ok = c.Own(w); !ok {
		return e, me, false
	}
	me = *ecs.Get[Snake](w, e)
	coming, kept := c.Input(), uint32(len(b.turns))
	for n := max(c.ConfirmedInput()+1, coming-min(coming, kept-1)); n < coming; n++ {
		me.glide(b.turns[n%kept], w.Step())
	}
	return e, me, true
}

// scan stores the body parts nearby, and returns the destination.
func (b *bot) scan(w *ecs.World, self ecs.Entity, me *Snake) (to Food) {
	b.near = b.near[:0]
	nearest := float32(25 * 25)
	for e, o := range ecs.All[seen](w) {
		if e == self || o.Snake.Dead > 1 {
			continue
		}
		for n := 0; ; n++ {
			x, y, ok := o.Body.Nth(n, &o.Snake, w.Tick())
			if !ok {
				break
			}
			if far(me, x, y) < 12*12 {
				b.near = append(b.near, Food{x, y})
			}
		}
		if d := far(me, o.Snake.X, o.Snake.Y); d < nearest {
			o.Snake.glide(0, 0.5+float32(math.Sqrt(float64(d)))/speed/2) // the expected position
			nearest, to = d, Food{o.Snake.X, o.Snake.Y}
		}
	}
	if to != (Food{}) {
		return to
	}
	nearest = math.MaxFloat32
	for _, f := range ecs.All[struct{ Food Food }](w) {
		if d := far(me, f.Food.X, f.Food.Y); d < nearest {
			nearest, to = d, f.Food
		}
	}
	return to
}

// turn returns the turn towards a place. If the snake would soon collide, it returns the turn with the most room.
func (b *bot) turn(me *Snake, to Food) (turn int8) {
	off := int16(bearing(to.X-me.X, to.Y-me.Y) - me.Turn)
	if off > 700 {
		turn = 1
	} else if off < -700 {
		turn = -1
	}
	best := b.room(*me, turn, b.daring)
	for _, other := range [...]int8{0, 1, -1} {
		if room := b.room(*me, other, 3*b.daring); best < b.daring && room > best {
			best, turn = room, other
		}
	}
	return turn
}

// room returns the number of ticks, at most most, until a snake with this turn collides.
func (b *bot) room(s Snake, turn int8, most int) int {
	for n := 0; n < most; n += 2 {
		s.glide(turn, 2.0/60)
		hit := s.outside()
		for i := 0; i < len(b.near) && !hit; i++ {
			hit = far(&s, b.near[i].X, b.near[i].Y) < Width*Width
		}
		if hit {
			return n
		}
	}
	return most
}
