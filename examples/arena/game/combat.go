package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Fire is the button that shoots, where there is combat.
const Fire = 1 << 4

// Lengths in units.
const (
	// Radius is how far from its middle an entity can be hit.
	Radius = 16
	// Range is how far a shot goes.
	Range = 520
)

// MaxHealth is what an entity starts with; damage is what a shot takes.
const (
	MaxHealth = 100
	damage    = 20
)

// Times in seconds.
const (
	// Respawn is how long who was shot down is away.
	Respawn = 2.5

	reload = 0.15 // between two shots
	mend   = 0.5  // for a point of health
)

// Action is what a player does in one tick, where there is combat.
type Action struct {
	Buttons uint8         `net:"0..255"`
	Aim     uint16        `net:"0..65535"` // 65536 to the full turn
	Seen    lagcomp.Claim // with Fire: what the player's view showed; may be zero
}

// Fighter is who can be shot at.
type Fighter struct {
	Down  bool  // shot down, and not yet back
	Shots uint8 `net:"0..255"` // fired so far, modulo 256
}

// Gun is a player's, who alone knows of it.
type Gun struct {
	Wait uint8 `net:"0..255"` // ticks until the next shot
}

// Player is who plays.
type Player struct {
	Name   components.Text[[16]byte]
	Kills  uint16 `net:"0..65535"` // players count as much as anybody else
	Deaths uint16 `net:"0..65535"`
}

// Kill is one player shot down by another, by client numbers.
type Kill struct {
	By, Whom uint16 `net:"0..65535"`
}

// Feed is the latest kills among players, oldest first; there is one.
type Feed struct {
	Total uint16 `net:"0..65535"` // modulo 65536
	Kills components.List[Kill, [4]Kill]
}

// fallen counts the ticks that somebody has been down.
type fallen struct{ Ticks int32 }

// muzzle is where a player stood when it fired last, before it moved in that tick: where
// it saw itself when it aimed.
type muzzle struct{ At components.Position }

// CombatProtocol builds the arena's protocol with guns: [Action] instead of [Input],
// entities that are shot down and come back, scores and names. Nobody ages.
func CombatProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("arena-combat/3")
	motion(p, "along", Size)
	ecs.Replicate[Fighter](p, ecs.Predicted)
	ecs.Replicate[Gun](p, ecs.Predicted|ecs.OwnerOnly)
	ecs.Replicate[Player](p, 0)
	ecs.Replicate[Verdict](p, ecs.OwnerOnly)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Singleton[Feed](p, 0)
	ecs.Input[Action](p)
	ecs.Join(p, joinCombat)
	ecs.Command(p, rename)
	ecs.Local[Wander](p, 0)
	ecs.Local[fallen](p, 0)
	ecs.Local[muzzle](p, 0)

	p.Simulate("shoot", shoot)
	p.Simulate("walk", ecs.Rows(walkUp))
	p.Simulate("wander", ecs.Rows(wanderUp))
	p.Authority("hit", hit)
	p.Authority("revive", revive)
	return p
}

// gunner is a player's entity with a gun.
type gunner struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Gun  *Gun
	Is   *Fighter
	In   *Action
	From *muzzle `ecs:"optional"` // where it is decided what is hit
}

// shoot fires guns, before anybody moves. What they hit is for the server to say.
func shoot(w *ecs.World) {
	wait := ticks(w, reload)
	for _, g := range ecs.Each[gunner](w) {
		switch {
		case g.Is.Down:
			g.Gun.Wait = 0
		case g.Gun.Wait > 0:
			g.Gun.Wait--
		}
		if g.In.Buttons&Fire != 0 && g.Gun.Wait == 0 && !g.Is.Down {
			g.Gun.Wait = uint8(wait)
			g.Is.Shots++
			if g.From != nil {
				g.From.At = *g.Pos
			}
		}
	}
}

// ticks is how many there are in so many seconds, 1 to 255.
func ticks(w *ecs.World, seconds float64) int {
	return min(max(int(seconds*float64(w.TickRate())+0.5), 1), math.MaxUint8)
}

// fighter is a player's entity that walks.
type fighter struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Is   Fighter
	In   Action
}

// walkUp is walk for who is up.
func walkUp(g fighter, s ecs.Step) {
	if g.Is.Down {
		g.Vel.X, g.Vel.Y = 0, 0
		return
	}
	side(Size).stride(s, g.Pos, g.Vel, g.In.Buttons)
	g.Head.Angle = g.In.Aim
}

// wanderer is a server-controlled entity that can be shot down.
type wanderer struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Do   *Wander
	Is   Fighter
}

// wanderUp is wander for who is up.
func wanderUp(n wanderer, s ecs.Step) {
	if n.Is.Down {
		n.Vel.X, n.Vel.Y = 0, 0
		return
	}
	side(Size).roam(s, n.Pos, n.Vel, n.Head, n.Do)
}
