package testgame

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Stage returns a protocol of entities with a predicted heading.
func Stage(add ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := ecs.NewProtocol("stage/1")
	ecs.Replicate[components.Heading](p, ecs.Predicted)
	return with(p, add)
}

// with adds the extensions of a test to a protocol.
func with(p *ecs.Protocol, add []func(p *ecs.Protocol)) *ecs.Protocol {
	for _, f := range add {
		f(p)
	}
	return p
}

// Components of Grounds: Place is predicted and interpolated, Shots is only predicted, Tint is neither.
type (
	// Place is a position.
	Place struct {
		X, Y float32 `net:"-512..512 step 0.01"`
	}
	// Shots counts the shots of an entity.
	Shots struct {
		Count uint16 `net:"0..65535"`
	}
	// Tint is a color.
	Tint struct {
		Color uint8 `net:"0..200"`
	}
)

// Push is the input of the plaza.
type Push struct {
	DX, DY int8 `net:"-1..1"`
	Fire   bool `net:"edge"`
}

// Grounds returns a protocol with Place, Shots and Tint.
func Grounds(add ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := ecs.NewProtocol("plaza/1")
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Shots](p, ecs.Predicted)
	ecs.Replicate[Tint](p, 0)
	ecs.Local[Veil](p, 0)
	return with(p, add)
}

// Veil marks entities that only some clients may see: those whose number modulo Of is Rest, or none if Of is 0.
type Veil struct{ Of, Rest uint32 }

// Pawn is the row of entities that inputs move.
type Pawn struct {
	At    *Place
	Shots *Shots `ecs:"optional"`
	In    *Push
}

// Plaza returns the protocol Grounds with pawns that move.
func Plaza(add ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := Grounds(ecs.Input[Push])
	p.Simulate("walk", func(w *ecs.World) {
		for _, e := range ecs.Each[Pawn](w) {
			e.At.X = min(max(e.At.X+float32(e.In.DX)/8, -500), 500)
			e.At.Y = min(max(e.At.Y+float32(e.In.DY)/8, -500), 500)
			if e.In.Fire && e.Shots != nil {
				e.Shots.Count++
			}
		}
	})
	return with(p, add)
}

// SpawnPawn spawns the pawn of a player.
func SpawnPawn(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, Place{X: float32(client)}, Shots{}, Push{})
}
