package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Gunner is a [Bot] that shoots at who comes near. It goes by what its client draws, and
// claims that, as people do.
type Gunner struct {
	Bot
	aim uint16
	own ecs.Entity
}

// NewGunner makes the n-th of many bots for [CombatProtocol].
func NewGunner(seed uint64, n, of int) *Gunner { return &Gunner{Bot: *NewBot(seed, n, of)} }

// sight is how far a gunner looks, in units; swing is how far it turns in a second,
// in 65536ths of a turn.
const (
	sight = 380
	swing = 40_000
)

// Gather is how the gunner fills its inputs.
func (g *Gunner) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Action) {
		w := c.World()
		move := g.Next(w.TickRate())
		in.Buttons = move.Buttons
		want, near := g.look(c, move.Aim)
		g.turn(w, in, want, near)
		in.Aim = g.aim
		in.Seen = c.Claim(in.Buttons&Fire != 0)
	})
}

// look is where the nearest target is, or else idle.
func (g *Gunner) look(c *systems.Client, idle uint16) (want uint16, near bool) {
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
		if far < nearest && !t.Is.Down && view.NetID(e) != self {
			want, nearest, near = Bearing(dx, dy), far, true
		}
	}
	if !near {
		return idle, false
	}
	return want, true
}

// Bearing is the aim along a vector.
func Bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
}

// turn turns as far as a gunner can in a tick, and fires in bursts once a target is in
// line.
func (g *Gunner) turn(w *ecs.World, in *Action, want uint16, near bool) {
	most := int32(swing / w.TickRate())
	off := int32(int16(want - g.aim))
	g.aim += uint16(min(max(off, -most), most))
	const inLine, burst, pause = 900, 20, 70
	if near && !g.released && off > -inLine && off < inLine && g.tick%(burst+pause) < burst {
		in.Buttons |= Fire
	}
}
