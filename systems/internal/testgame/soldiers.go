package testgame

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type (
	// Spot is a position.
	Spot struct {
		X, Y int32 `net:"raw"`
	}
	// Speed is the velocity of a shot.
	Speed struct {
		X, Y float32 `net:"raw"`
	}
	// Health is the number of points left.
	Health struct {
		Points int16 `net:"raw"`
	}
	// Keys is the input of a soldier.
	Keys struct {
		DX, DY int8    `net:"-1..1"`
		Aim    float32 `net:"degrees 0.1"`
		Fire   bool    `net:"edge"`
	}
	// Fuse is the remaining lifetime of an entity. It is not sent, and still affects the simulation.
	Fuse struct {
		Left uint8
		Slow bool
	}
	// Score counts the hits of all players.
	Score struct {
		Hits uint32 `net:"raw"`
	}
	// Rock is an entity without an owner.
	Rock struct {
		Spot Spot
		Fuse Fuse
	}
)

type (
	soldier struct {
		Owner  components.Owner
		Spot   Spot
		Health Health
		Keys   Keys
	}
	shot struct {
		Owner components.Owner
		Spot  Spot
		Speed Speed
		Fuse  Fuse
	}
)

// Quirk is a resource that makes a world diverge from the others from a tick on.
type Quirk struct {
	From  uint32
	To    uint32 // the first tick without divergence; 0: it does not end
	draws int32  // state outside the world
}

// ran counts the runs of Simulate in a world.
type ran struct{ times int }

// Runs returns how many times Simulate has run in a world.
func Runs(w *ecs.World) int { return ecs.Resource[ran](w).times }

// Soldiers returns the protocol of the soldiers.
func Soldiers(add ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := ecs.NewProtocol("soldiers/1")
	ecs.Replicate[Spot](p, 0)
	ecs.Replicate[Speed](p, 0)
	ecs.Replicate[Health](p, 0)
	ecs.Local[Fuse](p, ecs.Predicted)
	ecs.Singleton[Score](p, 0)
	ecs.Input[Keys](p)
	ecs.Join(p, func(w *ecs.World, player uint32, _ *struct{}) { Enlist(w, player) })
	p.Simulate("walk", walk)
	p.Simulate("fly", fly)
	p.Simulate("drift", drift)
	p.Authority("rocks", rocks)
	return with(p, add)
}

// Barracks returns a world of soldiers without players.
func Barracks(add ...func(p *ecs.Protocol)) *ecs.World {
	w := ecs.NewWorld(Soldiers(add...), ecs.Config{Seed: 7})
	ecs.SetResource(w, &ran{})
	return w
}

// Enlist spawns a player's soldier.
func Enlist(w *ecs.World, player uint32) {
	ecs.Spawn(w, soldier{Owner: components.Owner{Client: player}, Spot: Spot{X: int32(player) * 5}, Health: Health{1000}})
}

var keysTable = Soldiers().Input().Schema

// Words returns an input in quantized words.
func Words(in Keys) []int32 {
	w := make([]int32, keysTable.Words)
	keysTable.Quantize(w, keysTable.Words, unsafe.Pointer(&in), 1)
	return w
}

func walk(w *ecs.World) {
	ecs.Resource[ran](w).times++
	type row struct {
		Spot  *Spot
		Keys  *Keys
		Owner *components.Owner
	}
	for e, r := range ecs.EachInOrder[row](w) {
		r.Spot.X += int32(r.Keys.DX)
		r.Spot.Y += int32(r.Keys.DY)
		if r.Keys.Fire {
			draw := w.Rand(e)
			ecs.Spawn(w, shot{*r.Owner, *r.Spot, Speed{r.Keys.Aim / 90, draw.Float32()}, Fuse{uint8(3 + draw.IntN(5)), draw.IntN(2) == 0}})
		}
	}
}

func fly(w *ecs.World) {
	type flying struct {
		Spot  *Spot
		Speed *Speed
		Fuse  *Fuse
		Owner *components.Owner
	}
	type target struct {
		Spot   *Spot
		Health *Health
		Owner  *components.Owner
	}
	hits := uint32(0)
	for e, r := range ecs.EachInOrder[flying](w) {
		r.Speed.X *= 0.9
		r.Spot.X += int32(r.Speed.X * 10)
		r.Spot.Y += int32(r.Speed.Y * 10)
		if r.Fuse.Left--; r.Fuse.Left == 0 {
			w.Despawn(e)
		}
		for _, o := range ecs.Each[target](w) {
			if o.Owner.Client != r.Owner.Client && abs(o.Spot.X-r.Spot.X)+abs(o.Spot.Y-r.Spot.Y) < 12 {
				o.Health.Points--
				hits++
			}
		}
	}
	for _, s := range ecs.Each[struct{ Score *Score }](w) {
		s.Score.Hits += hits
	}
}

func abs(n int32) int32 { return max(n, -n) }

func drift(w *ecs.World) {
	q := ecs.Resource[Quirk](w)
	if q == nil || w.Tick() < q.From || q.To > 0 && w.Tick() >= q.To {
		return
	}
	for _, r := range ecs.EachInOrder[struct{ Health *Health }](w) {
		q.draws++
		r.Health.Points += int16(q.draws % 3)
	}
}

func rocks(w *ecs.World) {
	type rolling struct {
		Spot *Spot
		Fuse *Fuse
		_    ecs.Without[Speed]
	}
	if draw := w.Rand(ecs.Entity{}); draw.IntN(5) == 0 {
		ecs.Spawn(w, Rock{Spot{int32(draw.IntN(40)), 0}, Fuse{uint8(1 + draw.IntN(20)), true}})
	}
	for e, r := range ecs.Each[rolling](w) {
		r.Spot.Y++
		if r.Fuse.Left--; r.Fuse.Left == 0 {
			w.Despawn(e)
		}
	}
}
