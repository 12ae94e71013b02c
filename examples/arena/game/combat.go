package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Fire is the button of [Action] that shoots.
const Fire = 1 << 4

// Lengths in units.
const (
	// Radius is the distance from its middle within which an entity can be hit.
	Radius = 16
	// Range is the length of a shot.
	Range = 520
)

// MaxHealth is the health of a new entity. damage is the health that a shot removes.
const (
	MaxHealth = 100
	damage    = 20
)

// Times in seconds.
const (
	// Respawn is the time from being shot down to coming back.
	Respawn = 2.5

	reload = 0.15 // between two shots
	mend   = 0.5  // until one point of health returns
)

// Action is the input of a player for one tick in [CombatProtocol].
type Action struct {
	Buttons uint8         `net:"0..255"`
	Aim     uint16        `net:"0..65535"` // 65536ths of a full turn
	Seen    lagcomp.Claim // with Fire: the view that the player saw; may be zero
}

// Fighter is the combat state of an entity that can be shot.
type Fighter struct {
	Down  bool  // shot down and not yet respawned
	Shots uint8 `net:"0..255"` // fired so far, modulo 256
}

// Gun is a player's gun. Only its owner receives it.
type Gun struct {
	Wait uint8 `net:"0..255"` // ticks until the next shot
}

// Player is the score of a player.
type Player struct {
	Points uint16 `net:"0..65535"` // in this round
	Kills  uint16 `net:"0..65535"` // of players and of server-controlled entities
	Deaths uint16 `net:"0..65535"`
}

// Kill records that the player of client By shot down the player of client Whom.
type Kill struct {
	By, Whom uint16 `net:"0..65535"`
}

// Feed is a singleton with the latest kills among players, oldest first.
type Feed struct {
	Total uint16 `net:"0..65535"` // modulo 65536
	Kills components.List[Kill, [4]Kill]
}

// fallen counts the ticks since an entity went down.
type fallen struct{ Ticks int32 }

// muzzle is the position of a player at its last shot, before the player moved in that tick. This is the position that
// the player saw when aiming.
type muzzle struct{ At components.Position }

// CombatProtocol returns the arena's protocol with guns: [Action] instead of [Input], entities that are shot down and
// respawn, cover, scores, rounds and names. Entities lose no health over time.
func CombatProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("arena-combat/5")
	motion(p, "along", Size)
	ecs.Replicate[Fighter](p, ecs.Predicted)
	ecs.Replicate[Gun](p, ecs.Predicted|ecs.OwnerOnly)
	ecs.Replicate[Player](p, 0)
	names.Add(p)
	ecs.Replicate[Verdict](p, ecs.OwnerOnly)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Singleton[Feed](p, 0)
	ecs.Singleton[Round](p, 0)
	ecs.Input[Action](p)
	ecs.Join(p, joinCombat)
	ecs.Local[Wander](p, 0)
	ecs.Local[fallen](p, 0)
	ecs.Local[muzzle](p, 0)

	p.Simulate("shoot", shoot)
	p.Simulate("walk", ecs.Rows(walkUp))
	p.Simulate("wander", ecs.Rows(wanderUp))
	p.Authority("hit", hit)
	p.Authority("revive", revive)
	p.Authority("round", keepTime)
	return p
}

// gunner is the row of players with guns.
type gunner struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Gun  *Gun
	Is   *Fighter
	In   *Action
	From *muzzle `ecs:"optional"` // on peers that decide hits
}

// shoot fires guns, before any entity moves. The server decides what the shots hit.
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

// ticks returns the number of ticks in a duration, limited to 1 to 255.
func ticks(w *ecs.World, seconds float64) int {
	return min(max(int(seconds*float64(w.TickRate())+0.5), 1), math.MaxUint8)
}

// fighter is the row of players that walk and can be shot down.
type fighter struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Is   Fighter
	In   Action
}

// walkUp moves a player that is not down.
func walkUp(g fighter, s ecs.Step) {
	if g.Is.Down {
		g.Vel.X, g.Vel.Y = 0, 0
		return
	}
	side(Size).stride(s, g.Pos, g.Vel, g.In.Buttons)
	stop(g.Pos)
	g.Head.Angle = g.In.Aim
}

// wanderer is the row of server-controlled entities that can be shot down.
type wanderer struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Head *components.Heading
	Do   *Wander
	Is   Fighter
}

// wanderUp moves a server-controlled entity that is not down.
func wanderUp(n wanderer, s ecs.Step) {
	if n.Is.Down {
		n.Vel.X, n.Vel.Y = 0, 0
		return
	}
	side(Size).roam(s, n.Pos, n.Vel, n.Head, n.Do)
	stop(n.Pos)
}
