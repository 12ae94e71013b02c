package lagcomp_test

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// The gallery is the world of these tests: targets go round in circles, shooters walk
// and shoot at what they see.

type (
	spot = testgame.Place
	tint = testgame.Tint
)

// pose has a field of each kind that interpolation treats in another way.
type pose struct {
	Facing uint16 `net:"0..65535 angle"`
	Room   uint8  `net:"0..255 hold"`
}

type secret struct {
	Card uint8 `net:"0..51"`
}

// orbit is the movement of a target.
type orbit struct {
	CX, CY, Radius, Speed, Phase float32
	Until                        uint32 // lives up to this tick; 0: for ever
}

// at returns the place and pose of a target after a tick.
func (o *orbit) at(tick uint32) (spot, pose) {
	a := float64(o.Phase) + float64(o.Speed)*float64(tick)/60
	return spot{X: o.CX + o.Radius*float32(math.Cos(a)), Y: o.CY + o.Radius*float32(math.Sin(a))},
		pose{uint16(int64(a / math.Pi * 32768)), uint8(tick / 8)}
}

type trigger struct {
	DX, DY     int8    `net:"-1..1"`
	Fire       bool    `net:"edge"`
	AimX, AimY float32 `net:"raw"`
	Shot       uint16  `net:"raw"`
	Seen       lagcomp.Claim
}

type target struct {
	At    spot
	Pose  pose
	Color tint `ecs:"optional"`
}

type shooter struct {
	At *spot
	In *trigger
	Of *components.Owner
}

func gallery() *ecs.Protocol {
	p := testgame.Grounds()
	ecs.Replicate[pose](p, ecs.Interpolated)
	ecs.Replicate[secret](p, ecs.OwnerOnly|ecs.Interpolated)
	ecs.Local[orbit](p, 0)
	ecs.Input[trigger](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, spot{X: float32(client)}, secret{7}, trigger{})
	})
	p.Simulate("shoot", func(w *ecs.World) {
		if f := ecs.Resource[func(*ecs.World)](w); f != nil {
			(*f)(w)
		}
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, s := range ecs.Each[shooter](w) {
			s.At.X = min(max(s.At.X+float32(s.In.DX)/8, -500), 500)
			s.At.Y = min(max(s.At.Y+float32(s.In.DY)/8, -500), 500)
		}
	})
	p.Authority("turn", turn)
	return p
}

// turn moves the targets to their positions after the tick, and replaces those whose time is over.
func turn(w *ecs.World) {
	type row struct {
		At    *spot
		Pose  *pose
		Orbit *orbit
	}
	after := w.Tick() + 1
	for e, r := range ecs.Each[row](w) {
		*r.At, *r.Pose = r.Orbit.at(after)
		if r.Orbit.Until == 0 || after < r.Orbit.Until {
			continue
		}
		w.Despawn(e)
		next := *r.Orbit
		next.Until += 40 + uint32(next.Radius)*3
		next.Phase += 1
		at, facing := next.at(after)
		w.Spawn(at, facing, next)
	}
}

// populate spawns n targets, of which every third does not live long.
func populate(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			o := orbit{CX: float32(i%5)*8 - 16, CY: float32(i/5)*8 - 16, Radius: 3 + float32(i%4), Speed: 1 + float32(i%3)/2, Phase: float32(i)}
			if i%3 == 0 {
				o.Until = 100 + 30*uint32(i)
				w.Spawn(spot{}, pose{}, o)
			} else {
				w.Spawn(spot{}, pose{}, tint{Color: uint8(i)}, o)
			}
		}
		turn(w)
	}
}

func compensator(t testing.TB, w *ecs.World, c lagcomp.Config) *lagcomp.Compensator {
	t.Helper()
	comp, err := lagcomp.New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return comp
}

// claimOf returns a claim where each third tick is sent.
func claimOf(drawn float64, from, to uint32) lagcomp.Claim {
	return lagcomp.NewClaim(drawn, from, to, 3)
}
