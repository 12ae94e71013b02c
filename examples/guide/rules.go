package guide

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
)

const (
	size     = 500  // units from the middle to an edge
	speed    = 80   // units per second
	turn     = 400  // 65536ths of a full turn, per tick
	muzzle   = 260  // units per second
	reload   = 30   // ticks between two shots
	flight   = 90   // ticks until a shell disappears
	armour   = 100  // points of a new tank
	damage   = 34   // points that a shell removes
	reach    = 12.0 // units at which entities touch
	magazine = 40   // shells of a new tank
)

// bases are the places where the teams start and where they bring captured flags.
var bases = [2]Place{{-400, 0}, {400, 0}}

// drive moves tanks by the inputs of their players. The server runs it for all tanks, each client for its own tank.
func drive(w *ecs.World) {
	for _, t := range ecs.Each[tank](w) {
		t.Hull.Heading += uint16(int(t.In.Turn) * turn)
		*t.Place = t.Place.ahead(t.Hull.Heading, float32(t.In.Gas)*speed*w.Step())
		t.Hull.Reload -= min(t.Hull.Reload, 1)
	}
}

// fire spawns shells. A client also spawns the shells of its own tank; the server's shell then replaces the predicted one.
func fire(w *ecs.World) {
	for _, t := range ecs.Each[tank](w) {
		if !t.In.Fire || t.Hull.Reload > 0 || t.Ammo.Shells == 0 {
			continue
		}
		t.Hull.Reload = reload
		t.Ammo.Shells--
		w.Spawn(*t.Owner, t.Place.ahead(t.Hull.Heading, 2*reach), Shell{t.Hull.Heading, flight, t.Crew.Team})
	}
}

// fly moves shells and despawns them at the end of their flight.
func fly(w *ecs.World) {
	for e, s := range ecs.Each[shell](w) {
		*s.Place = s.Place.ahead(s.Shell.Heading, muzzle*w.Step())
		if s.Shell.Ticks--; s.Shell.Ticks == 0 {
			w.Despawn(e)
		}
	}
}

// hit runs on the server only: a client never decides what happens to others. It iterates in order, because the first
// of two shells may be the one that destroys the tank.
func hit(w *ecs.World) {
	for e, s := range ecs.EachInOrder[shell](w) {
		for at, t := range ecs.EachInOrder[tank](w) {
			if t.Crew.Team == s.Shell.Team || !t.Place.near(*s.Place, reach) {
				continue
			}
			w.Despawn(e)
			wound(w, at, t, damage)
			break
		}
	}
}

// explode detonates mines under tanks of the other team.
func explode(w *ecs.World) {
	for e, m := range ecs.All[seenMine](w) {
		for at, t := range ecs.EachInOrder[tank](w) {
			if t.Crew.Team != m.Mine.Team && t.Place.near(m.Place, reach) {
				w.Despawn(e)
				wound(w, at, t, armour)
				break
			}
		}
	}
}

// wound removes armour from a tank. A tank without armour drops the flag and restarts at its base. The jump is counted in
// Teleports, so that clients do not draw the tank sliding to its base.
func wound(w *ecs.World, e ecs.Entity, t tank, points uint8) {
	t.Hull.Left -= min(t.Hull.Left, points)
	if t.Hull.Left > 0 {
		return
	}
	event.Raise(w, event.ToViewers(e), Destroyed{Who: w.NetID(e)})
	for _, f := range ecs.Each[flag](w) {
		if f.Flag.Carrier == w.NetID(e) {
			f.Flag.Carrier = 0
		}
	}
	t.Hull.Left, t.Ammo.Shells, *t.Place = armour, magazine, bases[t.Crew.Team]
	if jumps := ecs.Get[components.Teleports](w, e); jumps != nil {
		jumps.Count++
	}
}

// capture lets a tank pick up the flag of the other team and score by bringing it to its own base.
func capture(w *ecs.World) {
	for _, f := range ecs.EachInOrder[flag](w) {
		carrier, carried := w.ByNetID(f.Flag.Carrier)
		switch t := ecs.Get[Place](w, carrier); {
		case !carried || t == nil:
			f.Flag.Carrier = findCarrier(w, f)
		case t.near(bases[1-f.Flag.Team], reach):
			f.Flag.Carrier, *f.Place = 0, bases[f.Flag.Team]
			for _, s := range ecs.Each[struct{ Score *Score }](w) {
				s.Score.Points[1-f.Flag.Team]++
			}
		}
	}
}

// findCarrier returns the NetID of a tank of the other team that touches the flag, or 0.
func findCarrier(w *ecs.World, f flag) components.NetID {
	for e, t := range ecs.EachInOrder[tank](w) {
		if t.Crew.Team != f.Flag.Team && t.Place.near(*f.Place, reach) {
			return w.NetID(e)
		}
	}
	return 0
}

func clamp(v float32) float32 { return min(max(v, -size), size) }

func sincos(heading uint16) (sin, cos float32) {
	s, c := math.Sincos(float64(heading) * (2 * math.Pi / 65536))
	return float32(s), float32(c)
}
