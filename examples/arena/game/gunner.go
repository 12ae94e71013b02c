package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Gunner is a [Bot] that shoots at who comes near.
type Gunner struct {
	Bot
	aim uint16
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
	return systems.Gather(func(w *ecs.World, in *Action) {
		move := g.next(w.TickRate())
		in.Buttons = move.Buttons
		g.look(w, in, move.Aim)
		in.Aim = g.aim
	})
}

// look turns towards the nearest target, or towards idle, and fires once it is in line, in bursts.
func (g *Gunner) look(w *ecs.World, in *Action, idle uint16) {
	want, near := idle, false
	for e, own := range ecs.Each[gunner](w) {
		nearest := float32(sight)
		for other, t := range ecs.All[target](w) {
			dx, dy := t.Pos.X-own.Pos.X, t.Pos.Y-own.Pos.Y
			if far := float32(math.Hypot(float64(dx), float64(dy))); other != e && !t.Is.Down && far < nearest {
				nearest, near = far, true
				want = uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
			}
		}
		if own.Is.Down {
			near = false
		}
	}
	most := int32(swing / w.TickRate())
	off := int32(int16(want - g.aim))
	g.aim += uint16(min(max(off, -most), most))
	const inLine, burst, pause = 900, 20, 70
	if near && !g.released && off > -inLine && off < inLine && g.tick%(burst+pause) < burst {
		in.Buttons |= Fire
	}
}
