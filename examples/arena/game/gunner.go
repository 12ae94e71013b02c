package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Gunner is a [Bot] that walks to other players and shoots at what is in its sight. It aims at what its client draws and claims
// this view for lag compensation, as human players do.
type Gunner struct {
	Bot
	aim uint16
	own ecs.Entity
}

// NewGunner returns bot n of a number of bots, from 0, for [CombatProtocol]. The seed determines its decisions.
func NewGunner(seed uint64, n, of int) *Gunner { return &Gunner{Bot: *NewBot(seed, n, of)} }

// sight is the distance within which a gunner finds targets, in units. swing is its turning speed, in 65536ths of a full
// turn per second.
const (
	sight = 380
	swing = 40_000
)

// Gather returns the function that produces the gunner's inputs.
func (g *Gunner) Gather() systems.GatherFunc { return systems.Gather(g.Fill) }

// Fill sets the input of the next tick.
func (g *Gunner) Fill(c *systems.Client, in *Action) {
	w := c.World()
	move := g.Next(w.TickRate())
	want, near := g.findTarget(c, move.Aim)
	in.Buttons = move.Buttons
	if walk, found := g.approach(c); found {
		in.Buttons = walk
	}
	g.turn(w, in, want, near)
	in.Aim = g.aim
	in.Seen = c.Claim(in.Buttons&Fire != 0)
}

// approach returns the buttons that lead to the nearest other player, in two of three seconds unless it is close.
func (g *Gunner) approach(c *systems.Client) (buttons uint8, found bool) {
	w := c.World()
	from := ecs.Get[components.Position](w, g.own)
	if from == nil || g.released || g.tick/w.TickRate()%3 == 0 {
		return 0, false
	}
	view, nearest, self := c.View(), float32(2*Size), w.NetID(g.own)
	var dx, dy float32
	for e, p := range ecs.All[struct {
		Pos components.Position
		Who Player
		Is  Fighter
	}](view) {
		x, y := p.Pos.X-from.X, p.Pos.Y-from.Y
		if far := float32(math.Hypot(float64(x), float64(y))); far < nearest && !p.Is.Down && view.NetID(e) != self {
			dx, dy, nearest, found = x, y, far, true
		}
	}
	const close = 160 // units at which it moves at random
	if !found || nearest < close {
		return 0, false
	}
	return eight[(int(Bearing(dx, dy)+65536/16)>>13+2)%8], true
}

// findTarget returns the aim at the nearest drawn target within sight. Without a target it returns idle and false.
func (g *Gunner) findTarget(c *systems.Client, idle uint16) (want uint16, near bool) {
	w := c.World()
	if !w.Alive(g.own) {
		g.own, _ = c.Own(w)
	}
	is, from := ecs.Get[Fighter](w, g.own), ecs.Get[components.Position](w, g.own)
	if is == nil || from == nil || is.Down {
		return idle, false
	}
	view, nearest, self := c.View(), float32(sight), w.NetID(g.own)
	for e, t := range ecs.All[target](view) {
		dx, dy := t.Pos.X-from.X, t.Pos.Y-from.Y
		far := float32(math.Hypot(float64(dx), float64(dy)))
		if far >= nearest || t.Is.Down || view.NetID(e) == self || far == 0 {
			continue
		}
		if reach(*from, float64(dx/far), float64(dy/far)) > float64(far) { // no cover lies between
			want, nearest, near = Bearing(dx, dy), far, true
		}
	}
	if !near {
		return idle, false
	}
	return want, true
}

// Bearing returns the aim in the direction of a vector, in 65536ths of a full turn.
func Bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
}

// turn turns the aim towards want, at most as far as the gunner can turn in one tick. It fires in bursts while a target
// is in line.
func (g *Gunner) turn(w *ecs.World, in *Action, want uint16, near bool) {
	most := int32(swing / w.TickRate())
	off := int32(int16(want - g.aim))
	g.aim += uint16(min(max(off, -most), most))
	const inLine, burst, pause = 900, 20, 70
	if near && !g.released && off > -inLine && off < inLine && g.tick%(burst+pause) < burst {
		in.Buttons |= Fire
	}
}
