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
	aim    uint16
	client *systems.Client
	own    ecs.Entity
}

// NewGunner makes the n-th of many bots for [CombatProtocol].
func NewGunner(seed uint64, n, of int) *Gunner { return &Gunner{Bot: *NewBot(seed, n, of)} }

// See gives the gunner its client. Without one it shoots at nobody.
func (g *Gunner) See(c *systems.Client) { g.client, g.own = c, ecs.Entity{} }

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
		want, near := g.look(w, move.Aim)
		g.turn(w, in, want, near)
		in.Aim = g.aim
		if g.client != nil {
			in.Seen = g.client.Claim(in.Buttons&Fire != 0)
		}
	})
}

// look is where the nearest target is, or else idle.
func (g *Gunner) look(w *ecs.World, idle uint16) (want uint16, near bool) {
	if g.client == nil {
		return idle, false
	}
	if !w.Alive(g.own) {
		g.own, _ = g.client.Own(w)
	}
	is, from := ecs.Get[Fighter](w, g.own), ecs.Get[components.Position](w, g.own)
	if is == nil || from == nil || is.Down {
		return idle, false
	}
	view, nearest, self := g.client.View(), float32(sight), w.NetID(g.own)
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
