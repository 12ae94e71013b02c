package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// goal is the current goal of a bot.
type goal int

const (
	meet  goal = iota // its partner, and push until they have been together for a second
	ride              // a platform
	cross             // to the other half, through the door
	fetch             // a power-up
	goals
)

// Bot follows its partner and pushes, rides platforms, passes the door and fetches power-ups in turn. It knows only what
// its client shows.
type Bot struct {
	draw     ecs.Rand
	in       Input
	goal     goal
	left     int   // ticks until it chooses another goal
	together int   // ticks beside its partner
	target   Point // of goals that have a place
	released bool
}

// NewBot returns bot n. Its random decisions follow from the seed.
func NewBot(seed uint64, n int) *Bot {
	return &Bot{draw: ecs.NewRand(seed, 1<<33|uint64(n)), goal: goal(n/2) % goals}
}

// Gather returns the function that produces the bot's inputs.
func (b *Bot) Gather() systems.GatherFunc { return systems.Gather(b.Fill) }

// Fill computes the bot's input for the coming tick of its client.
func (b *Bot) Fill(c *systems.Client, in *Input) {
	w := c.World()
	b.in = Input{}
	if me, ok := c.Own(w); ok && !b.released { // also where nothing is predicted
		b.think(w, c.ID(), me)
	}
	*in = b.in
}

func (b *Bot) think(w *ecs.World, client uint32, me ecs.Entity) {
	at, l := Point(*ecs.Get[components.Position](w, me)), level(w)
	if b.left--; b.left <= 0 {
		b.left, b.together = (5+b.draw.IntN(5))*w.TickRate(), 0
		if b.goal = (b.goal + 1) % goals; b.goal == meet {
			b.left *= 2
		}
		b.begin(w, at)
	}
	switch b.goal {
	case meet:
		p, ok := partner(w, client)
		if !ok {
			b.left = 0
			return
		}
		if b.target = p; length(p.X-at.X, p.Y-at.Y) < 1.5*Width {
			if b.together++; b.together > w.TickRate() {
				b.left = 0
				b.goal += goal(b.draw.IntN(int(goals) - 1)) // partners part
				b.goal %= goals
			}
		}
	case ride:
		p := &l.Platforms[0]
		if at.X > wallX {
			p = &l.Platforms[1]
		}
		b.target = p.At(w.Tick())
		if p.Carries(w.Tick(), at.X, at.Y) {
			return // stand, and be carried
		}
	case fetch:
		if ecs.Get[Boost](w, me).Rest > 0 {
			return
		}
	}
	b.steer(at, through(at, b.target))
}

// begin chooses the target of goals that keep one.
func (b *Bot) begin(w *ecs.World, at Point) {
	switch b.goal {
	case cross:
		b.target = Point{SizeX - at.X, Width + b.draw.Float32()*(SizeY-2*Width)}
	case fetch:
		b.target = at
		nearest := float32(SizeX + SizeY)
		for _, p := range ecs.All[seenPowerUp](w) {
			d := length(p.Pos.X-at.X, p.Pos.Y-at.Y)
			if p.Item.ReadyAt <= w.Tick() && (d < nearest || d == nearest && p.Pos.X < b.target.X) {
				nearest, b.target = d, Point(p.Pos)
			}
		}
	}
}

// partner returns the drawn position of a client's partner. Clients 1 and 2, 3 and 4 and so on are partners.
func partner(w *ecs.World, client uint32) (Point, bool) {
	for _, p := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
	}](w) {
		if p.Owner.Client-1 == (client-1)^1 {
			return Point(p.Pos), true
		}
	}
	return Point{}, false
}

// through returns the next point on the way to a target: the doorway if the wall is between.
func through(at, target Point) Point {
	if (at.X > wallX) == (target.X > wallX) {
		return target
	}
	side := float32(-1)
	if at.X > wallX {
		side = 1
	}
	const before = wallHalf + Width
	if abs(at.Y-doorY) > doorHalf-Width/2 {
		return Point{wallX + side*before, doorY}
	}
	return Point{wallX - side*before, doorY}
}

// steer walks in one of eight directions, towards a place.
func (b *Bot) steer(at, to Point) {
	dx, dy := to.X-at.X, to.Y-at.Y
	far := max(abs(dx), abs(dy))
	toward := func(v float32) int8 {
		switch {
		case abs(v) < 4 || abs(v) < 0.4*far:
			return 0
		case v < 0:
			return -1
		}
		return 1
	}
	b.in = Input{toward(dx), toward(dy)}
}

// Release releases all keys.
func (b *Bot) Release() { b.released = true }

// Wants returns the direction of the newest input, numbered as in [Bot.Shows].
func (b *Bot) Wants() int { return compass(float32(b.in.DX), float32(b.in.DY)) }

// Shows returns the direction in which an entity visibly walks.
func (b *Bot) Shows(w *ecs.World, e ecs.Entity) int {
	v := ecs.Get[components.Velocity](w, e)
	if v == nil {
		return -1
	}
	return compass(v.X, v.Y)
}

// compass numbers the eight directions, and standing still, from 0 to 8.
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
