package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Arm adds to a server's configuration what [CombatProtocol] needs: lag compensation.
func Arm(c *systems.ServerConfig) { c.LagComp = &lagcomp.Config{} }

// PopulateCombat spawns npcs server-controlled entities for [CombatProtocol], numbered after the players.
func PopulateCombat(w *ecs.World, players, npcs int) {
	for i := range npcs {
		w.Spawn(place(w, players+i), components.Velocity{}, components.Heading{}, components.Health{Points: MaxHealth},
			Wander{Index: int32(i), Phase: int32(i * period * w.TickRate() / npcs)}, Fighter{}, components.Teleports{}, fallen{})
	}
}

// joinCombat spawns the player of a client, with a gun.
func joinCombat(w *ecs.World, client uint32, _ *struct{}) {
	var named names.Named
	named.Name.Set(callName(client))
	w.Spawn(components.Owner{Client: client}, place(w, int(client)-1), components.Velocity{}, components.Heading{},
		components.Health{Points: MaxHealth}, Fighter{}, Gun{}, Verdict{}, Player{}, named, components.Teleports{}, fallen{}, muzzle{}, Action{})
}

// place returns the start position of the entity with a number, beside the cover.
func place(w *ecs.World, number int) (p components.Position) {
	p.X, p.Y = side(Size).start(w, number)
	stop(&p)
	return p
}

// shooter is the row of players who may have fired in this tick.
type shooter struct {
	Owner *components.Owner
	From  *muzzle
	Gun   *Gun
	Is    *Fighter
	In    *Action
	Who   *Player
	Told  *Verdict
}

// target is the row of entities that a shot can hit.
type target struct {
	Pos components.Position
	Is  Fighter
}

// hit resolves the shots of this tick. It tests each shot against the targets where the shooter saw them.
func hit(w *ecs.World) {
	fired := uint8(ticks(w, reload))
	for e, s := range ecs.EachInOrder[shooter](w) {
		if s.Gun.Wait != fired {
			continue
		}
		view := lagcomp.As(w, s.Owner.Client, s.In.Seen)
		v := evaluateShot(w, view, e, s.From.At, s.In.Aim)
		v.Shot = s.Is.Shots
		victim, found := w.ByNetID(v.Whom)
		if found && damageTarget(w, victim) {
			v.Down = true
			who := ecs.Get[Player](w, victim)
			score(w, s.Who, who != nil)
			if who != nil {
				who.Deaths++
				report(w, Kill{By: uint16(s.Owner.Client), Whom: uint16(ecs.Get[components.Owner](w, victim).Client)})
			}
		}
		*s.Told = v
	}
}

// damageTarget removes the health of one shot from the victim. It reports whether the victim went down.
func damageTarget(w *ecs.World, victim ecs.Entity) bool {
	is, health := ecs.Get[Fighter](w, victim), ecs.Get[components.Health](w, victim)
	if is.Down {
		return false
	}
	health.Points -= min(damage, health.Points)
	is.Down = health.Points == 0
	return is.Down
}

// Aimed returns the first entity that a shot hits, and its position. It returns false if the shot hits nothing. The view
// is the server's view of a shooter, or with [lagcomp.Of] the view that a client draws.
func Aimed(view lagcomp.View, shooter ecs.Entity, from components.Position, aim uint16) (first ecs.Entity, at components.Position, found bool) {
	sin, cos := math.Sincos(float64(aim) * (2 * math.Pi / 65536))
	nearest := reach(from, cos, sin)
	for e, t := range lagcomp.All[target](view) {
		if e == shooter || t.Is.Down {
			continue
		}
		dx, dy := float64(t.Pos.X-from.X), float64(t.Pos.Y-from.Y)
		along, across := dx*cos+dy*sin, math.Abs(dy*cos-dx*sin)
		if along < 0 || across > Radius || along > nearest {
			continue
		}
		first, at, found, nearest = e, t.Pos, true, along
	}
	return first, at, found
}

// report adds a kill to the feed.
func report(w *ecs.World, k Kill) {
	for _, f := range ecs.Each[struct{ Feed *Feed }](w) {
		if f.Feed.Kills.Len() == f.Feed.Kills.Cap() {
			f.Feed.Kills.Remove(0)
		}
		f.Feed.Kills.Append(k)
		f.Feed.Total++
	}
}

// respawning is the row of entities that respawn or heal.
type respawning struct {
	Pos    *components.Position
	Health *components.Health
	Is     *Fighter
	Since  *fallen
	Jumps  *components.Teleports
}

// revive respawns entities that have been down for [Respawn] seconds, at a random position, and slowly heals all others.
func revive(w *ecs.World) {
	rate := float64(w.TickRate())
	better := w.Tick()%uint32(max(mend*rate, 1)) == 0
	for e, p := range ecs.Each[respawning](w) {
		if !p.Is.Down {
			if better && p.Health.Points < MaxHealth {
				p.Health.Points++
			}
			continue
		}
		if p.Since.Ticks++; float64(p.Since.Ticks) < Respawn*rate {
			continue
		}
		draw := w.Rand(e)
		p.Pos.X, p.Pos.Y = draw.Float32()*Size, draw.Float32()*Size
		stop(p.Pos)
		p.Jumps.Count++
		p.Health.Points, p.Is.Down, p.Since.Ticks = MaxHealth, false, 0
	}
}
