package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// Lengths are in units, speeds in units per second, times in seconds.
const (
	Width, Wide   = 800, 44 // widths of the ring and of a fighter
	Reach         = 96      // of a blow, from middle to middle
	Lives         = 3       // blows that a fighter can take
	speed, recoil = 220, 60 // recoil is the distance by which a blow pushes its victim back

	windup, strike    = 0.12, 0.05
	recovery, blocked = 0.25, 0.45 // blocked is the recovery after a blow that was blocked
	staggered, fallen = 0.4, 1.5
)

// Phase is the current action of a fighter.
type Phase uint8

// A strike passes from Ready through Windup, Strike and Recovery back to Ready. A blow makes its victim Staggered, the last
// blow makes it Fallen.
const (
	Ready Phase = iota
	Windup
	Strike
	Recovery
	Staggered
	Fallen
)

// Input is the input of a player for one tick.
type Input struct {
	Move   int8 `net:"-1..1"`
	Guard  bool
	Strike bool `net:"edge"`
}

// Fighter is the state of one of the two fighters.
type Fighter struct {
	Phase Phase `net:"enum 6"`
	Left  uint8 `net:"0..255"` // ticks left in the phase
	Right bool  // faces right
	Guard bool
	Bot   bool   // played by a bot, which a joining player replaces
	Lives uint8  `net:"0..3"`
	Wins  uint8  `net:"0..255"`
	Hits  uint16 `net:"0..65535"` // blows that landed
}

// Ring is a singleton with the state of the match, without the fighters.
type Ring struct {
	Rounds   uint16                             `net:"0..65535"`
	Watching uint8                              `net:"0..255"` // spectators
	Bots     components.List[uint32, [2]uint32] `net:"raw"`    // clients of bots that players replaced
	Line     components.List[uint32, [4]uint32] `net:"raw"`    // spectators who fight when a fighter leaves
}

// Login is the role that a client requests. The zero value requests to fight.
type Login struct {
	Watch bool // only watch; a player for whom there is no room watches until a fighter leaves
	Bot   bool
}

// Protocol returns the definition of the game. Server and clients call it.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("duel/3")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{"X": "0..800 step 0.01 axis x", "Y": "-"})
	ecs.Replicate[Fighter](p, ecs.Predicted)
	ecs.Singleton[Ring](p, 0)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Leave(leave)
	p.Simulate("act", act)
	p.Simulate("hit", hit)
	p.Simulate("round", round)
	return p
}
