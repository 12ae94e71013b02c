package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Lengths in units, speeds in units a second, times in seconds.
const (
	Width, Wide   = 800, 44 // of the ring, and of a fighter
	Reach         = 96      // of a blow, from middle to middle
	Lives         = 3       // blows that a fighter can take
	speed, recoil = 220, 60 // the latter is by how far a blow throws back

	windup, strike    = 0.12, 0.05
	recovery, blocked = 0.25, 0.45 // the latter is recovery from a blow that was blocked
	staggered, fallen = 0.4, 1.5
)

// Phase is what a fighter is doing.
type Phase uint8

// Ready leads to Windup, Strike, Recovery and back; a blow makes its victim Staggered, the last one Fallen.
const (
	Ready Phase = iota
	Windup
	Strike
	Recovery
	Staggered
	Fallen
)

// Input is what a player does in one tick.
type Input struct {
	Move   int8 `net:"-1..1"`
	Guard  bool
	Strike bool `net:"edge"`
}

// Fighter is one of the two.
type Fighter struct {
	Phase Phase `net:"enum 6"`
	Left  uint8 `net:"0..255"` // ticks of it
	Right bool  // which way it looks
	Guard bool
	Bot   bool   // a bot plays it, which makes room for people
	Lives uint8  `net:"0..3"`
	Wins  uint8  `net:"0..255"`
	Hits  uint16 `net:"0..65535"` // blows that landed
}

// Ring is what there is to know of the match beside the fighters; there is one.
type Ring struct {
	Rounds   uint16                             `net:"0..65535"`
	Watching uint8                              `net:"0..255"` // spectators
	Bots     components.List[uint32, [2]uint32] `net:"raw"`    // that made room
}

// Login is who a client asks to be; the zero value is somebody who comes to fight.
type Login struct {
	Watch bool // only watches. So does everybody for whom there is no room
	Bot   bool
}

// Protocol builds the game's protocol.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("duel/1")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{"X": "0..800 step 0.01 axis x", "Y": "-"})
	ecs.Replicate[Fighter](p, ecs.Predicted)
	ecs.Singleton[Ring](p, 0)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Leave(leave)
	p.Simulate("act", act)
	p.Simulate("hit", hit)
	p.Simulate("round", round)
	return p
}
