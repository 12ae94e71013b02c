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

// Life is what a player has left. It is the server's.
type Life struct {
	Points uint8            `net:"0..100"`
	Down   uint16           `net:"0..1023"` // ticks until the player gets up again; 0: it stands
	By     components.NetID `net:"raw"`     // who shot it down last
}

// Kill is the outcome of a last hit, about the entity that falls.
type Kill struct {
	By, Victim components.NetID
}

// Rules are what differs between worlds that peers must agree on.
type Rules struct {
	// Gusts is after how many ticks a gust of wind strikes each player, in a tick of its own for each. Default (0): never.
	Gusts uint32
	// Harm is what a hit takes of 100 points, 1 to 100. Default (0): 34.
	Harm uint8
	// Side is how long the world's sides are, in units, up to [Size]. Default (0): Size.
	Side float32
	// Apart lets players pass through each other: nobody's place depends on anybody else.
	Apart bool
}

func (r Rules) filled() Rules {
	if r.Harm == 0 {
		r.Harm = 34
	}
	if r.Side == 0 {
		r.Side = Size
	}
	return r
}

// Protocol returns the definition of the game. Server and clients call it. A journal, when not nil, is written in the world that is made with it.
func Protocol(r Rules, j *Journal) *ecs.Protocol {
	r = r.filled()
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
