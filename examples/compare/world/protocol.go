package world

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Input is the input of a player for one tick.
type Input struct {
	DX, DY int8   `net:"-1..1"`
	Aim    uint16 `net:"0..359"` // degrees from east to south
	Fire   bool   `net:"edge"`
}

// Gun is a player's weapon. It is predicted.
type Gun struct {
	Fired bool   // in this tick
	Aim   uint16 `net:"0..359"` // degrees
	Rest  uint8  `net:"0..63"`  // ticks until it can fire again
}

// Life is the health of a player. The server decides it.
type Life struct {
	Points uint8            `net:"0..100"`
	Down   uint16           `net:"0..1023"` // ticks until the player gets up again; 0: it stands
	By     components.NetID `net:"raw"`     // the player who shot it down last
}

// Kill is the outcome of a deadly hit. Its subject is the victim.
type Kill struct {
	By, Victim components.NetID
}

// Rules configure a world. All peers must use the same rules.
type Rules struct {
	// Gusts is the number of ticks between two gusts of wind that strike a player. Each player has its own tick. Default
	// (0): never.
	Gusts uint32
	// Harm is the number of points that a hit takes from 100, 1 to 100. Default (0): 34.
	Harm uint8
	// Side is the length of the world's sides in units, up to [Size]. Default (0): Size.
	Side float32
	// Apart lets players pass through each other, so that their positions are independent.
	Apart bool
}

func (r Rules) withDefaults() Rules {
	if r.Harm == 0 {
		r.Harm = 34
	}
	if r.Side == 0 {
		r.Side = Size
	}
	return r
}

// Protocol returns the definition of the game. Server and clients call it. If j is not nil, the world records its ticks there.
func Protocol(r Rules, j *Journal) *ecs.Protocol {
	r = r.withDefaults()
	p := ecs.NewProtocol("yard/1")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "0..640 step 0.015625", "Y": "0..640 step 0.015625",
	})
	ecs.ReplicateFields[components.Velocity](p, ecs.Predicted, schema.Fields{
		"X": "-512..512 step 0.0625", "Y": "-512..512 step 0.0625",
	})
	ecs.Replicate[Gun](p, ecs.Predicted)
	ecs.Replicate[Life](p, 0)
	ecs.Input[Input](p)
	ecs.Join(p, r.join)

	p.Simulate("walk", walks(r.Side))
	if !r.Apart {
		p.Simulate("bump", bump)
	}
	p.Simulate("shoot", shoot)
	p.Authority("wound", wounds(r.Harm))
	p.Authority("fall", fall)
	if r.Gusts > 0 {
		p.Authority("gust", gusts(r.Gusts))
	}
	if j != nil {
		p.Authority("note", j.note)
	}
	return p
}
