package game

import (
	"cmp"
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Size is the default length of the world's sides, in units. [Variant] can change it.
const Size = 2000

// side is the length of a world's sides.
type side float32

// Speeds in units per second.
const (
	PlayerSpeed = 200
	NPCSpeed    = 100
)

// Buttons of [Input].
const (
	Up = 1 << iota
	Down
	Left
	Right
)

// Input is the input of a player for one tick.
type Input struct {
	Buttons uint8  `net:"0..255"`
	Aim     uint16 `net:"0..65535"` // 65536ths of a full turn
}

// Wander is the state of a server-controlled entity, which walks for two seconds and rests for two seconds. These
// entities differ only in their phase.
type Wander struct {
	Index  int32 // of the NPC, from 0
	Phase  int32 // ticks
	Facing uint8 // 256ths of a full turn
}

// Vitals determines when an entity loses health.
type Vitals struct {
	Number int32 // of the entity in the world's order: players first
}

// Protocol returns the arena's protocol without guns. Entities walk in straight lines. Server-controlled entities walk
// along their heading.
func Protocol() *ecs.Protocol { return Variant{}.Protocol() }

// Variant changes [Protocol] for measurements. All peers must use the same values.
type Variant struct {
	// NoHint omits the tag word "along" from the heading, which says that entities move along it.
	NoHint bool
	// Players is the number of clients that get a player. Later clients only watch. 0 gives every client a player.
	Players int
	// Size is the length of the world's sides, in units, up to 16,000. 0 is the constant Size.
	Size int
}

// side returns the length of the world's sides.
func (v Variant) side() side { return side(cmp.Or(v.Size, Size)) }

// Protocol returns the protocol of the variant. Positions are replicated within 1/16 of a unit, headings within half of
// a 256th of a turn. Only the owner, who predicts, receives the velocity. Others see the positions change.
func (v Variant) Protocol() *ecs.Protocol {
	p, heading := ecs.NewProtocol("arena/2"), "along"
	if v.NoHint {
		heading = ""
	}
	size := v.side()
	motion(p, heading, size)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		if v.Players == 0 || int(client) <= v.Players {
			size.join(w, client)
		}
	})
	ecs.Input[Input](p)
	ecs.Local[Wander](p, 0)
	ecs.Local[Vitals](p, 0)

	p.Simulate("walk", ecs.Rows(size.walk))
	p.Simulate("wander", ecs.Rows(size.wander))
	p.Authority("age", age)
	return p
}

// motion registers the components of all entities.
func motion(p *ecs.Protocol, heading string, size side) {
	const place = "0..%v step 0.001953125 tol 0.125 axis %s lines 0.0625"
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": fmt.Sprintf(place, size, "x"), "Y": fmt.Sprintf(place, size, "y"),
	})
	ecs.ReplicateFields[components.Heading](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"Angle": "0..65535 step 1 angle tol 256 lines 128 " + heading,
	})
	ecs.ReplicateFields[components.Velocity](p, ecs.Predicted|ecs.OwnerOnly, schema.Fields{
		"X": "-256..256 step 0.125", "Y": "-256..256 step 0.125",
	})
	ecs.ReplicateFields[components.Health](p, 0, schema.Fields{"Points": "0..100"})
}

// walker is the row of players, which move by their owner's input.
type walker struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	In   Input
}

func (size side) walk(e walker, s ecs.Step) {
	size.stride(s, e.Pos, e.Vel, e.In.Buttons)
	e.Head.Angle = e.In.Aim
}

// stride moves an entity by one step in the direction of the pressed buttons.
func (size side) stride(s ecs.Step, pos *components.Position, vel *components.Velocity, buttons uint8) {
	dx, dy := direction(buttons)
	vel.X, vel.Y = dx*PlayerSpeed, dy*PlayerSpeed
	pos.X = size.clamp(pos.X + vel.X*s.Seconds)
	pos.Y = size.clamp(pos.Y + vel.Y*s.Seconds)
}

// direction returns the unit vector of the pressed buttons. Opposite buttons cancel out.
func direction(buttons uint8) (dx, dy float32) {
	bit := func(b uint8) float32 {
		if buttons&b != 0 {
			return 1
		}
		return 0
	}
	dx, dy = bit(Right)-bit(Left), bit(Down)-bit(Up)
	if dx != 0 && dy != 0 {
		dx, dy = dx*math.Sqrt2/2, dy*math.Sqrt2/2
	}
	return dx, dy
}

func (size side) clamp(v float32) float32 { return min(max(v, 0), float32(size)) }

// npc is the row of server-controlled entities.
type npc struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Do   *Wander
}

// Durations of wandering in seconds: from one walk to the next, and between two turns.
const (
	period = 4
	turn   = 0.5
)

func (size side) wander(n npc, s ecs.Step) { size.roam(s, n.Pos, n.Vel, n.Head, n.Do) }

// roam moves a server-controlled entity by one tick.
func (size side) roam(step ecs.Step, pos *components.Position, vel *components.Velocity, head *components.Heading, do *Wander) {
	rate := float64(step.TickRate)
	cycle, every := uint32(period*rate), max(uint32(turn*rate), 1)
	t := (step.Tick + uint32(do.Phase)) % cycle
	if t >= cycle/2 {
		vel.X, vel.Y = 0, 0
		return
	}
	draw := step.Rand()
	switch {
	case t == 0:
		do.Facing = uint8(draw.IntN(256))
	case t%every == 0:
		do.Facing += uint8(draw.IntN(65) - 32)
	}
	head.Angle = uint16(do.Facing) << 8
	s, c := math.Sincos(float64(do.Facing) * (2 * math.Pi / 256))
	vel.X, vel.Y = float32(c*NPCSpeed), float32(s*NPCSpeed)
	pos.X += vel.X * step.Seconds
	pos.Y += vel.Y * step.Seconds
	if pos.X < 0 || pos.X > float32(size) {
		pos.X = size.reflect(pos.X)
		do.Facing = 128 - do.Facing
	}
	if pos.Y < 0 || pos.Y > float32(size) {
		pos.Y = size.reflect(pos.Y)
		do.Facing = -do.Facing
	}
}

// reflect mirrors a coordinate outside of the world back into it.
func (size side) reflect(v float32) float32 {
	if v < 0 {
		return size.clamp(-v)
	}
	return size.clamp(2*float32(size) - v)
}

// mortal is the row of entities that lose health.
type mortal struct {
	Health *components.Health
	Who    *Vitals
}

// age removes one point of health from a tenth of all entities each second.
func age(w *ecs.World) {
	rate := uint32(w.TickRate())
	if w.Tick()%rate != 0 {
		return
	}
	second := int32(w.Tick() / rate)
	for _, m := range ecs.Each[mortal](w) {
		if (second+m.Who.Number)%10 != 0 {
			continue
		}
		if m.Health.Points <= 1 {
			m.Health.Points = 100
		} else {
			m.Health.Points--
		}
	}
}
