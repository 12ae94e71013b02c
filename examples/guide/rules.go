package guide

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
)

const (
	size     = 500  // from the middle to an edge
	speed    = 80   // units a second
	turn     = 400  // of 65536, a tick
	muzzle   = 260  // units a second
	reload   = 30   // ticks
	flight   = 90   // ticks
	armour   = 100  // of a whole tank
	bite     = 34   // what a shell takes of it
	reach    = 12.0 // touching, in units
	magazine = 40
)

// bases are where teams begin, and where they bring flags.
var bases = [2]Place{{-400, 0}, {400, 0}}

// drive moves tanks as their players say. It runs on the server for all of them, and on each client for its own.
func drive(w *ecs.World) {
	for _, t := range ecs.Each[tank](w) {
		t.Hull.Heading += uint16(int(t.In.Turn) * turn)
		*t.Place = t.Place.at(t.Hull.Heading, float32(t.In.Gas)*speed*w.Step())
		t.Hull.Reload -= min(t.Hull.Reload, 1)
	}
}

// fire spawns shells. On a client too, for its own tank: the server's shell takes the place of that.
func fire(w *ecs.World) {
	for _, t := range ecs.Each[tank](w) {
		if !t.In.Fire || t.Hull.Reload > 0 || t.Ammo.Shells == 0 {
			continue
		}
		t.Hull.Reload = reload
		t.Ammo.Shells--
		w.Spawn(*t.Owner, t.Place.at(t.Hull.Heading, 2*reach), Shell{t.Hull.Heading, flight, t.Crew.Team})
	}
}

// fly moves shells, until their time is over.
func fly(w *ecs.World) {
	for e, s := range ecs.Each[shell](w) {
		*s.Place = s.Place.at(s.Shell.Heading, muzzle*w.Step())
		if s.Shell.Ticks--; s.Shell.Ticks == 0 {
			w.Despawn(e)
		}
	}
}

// hit is the server's: a client never decides what happens to others. Order matters, as the first shell of two may
// be the one that counts.
func hit(w *ecs.World) {
	for e, s := range ecs.EachInOrder[shell](w) {
		for at, t := range ecs.EachInOrder[tank](w) {
			if t.Crew.Team == s.Shell.Team || !t.Place.near(*s.Place, reach) {
				continue
			}
			w.Despawn(e)
			wound(w, at, t, bite)
			break
		}
	}
}

// explode lets mines go off under tanks of the other team.
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

// wound takes armour from a tank. One that has none left begins anew at its base: a jump, which is told, so that no
// screen shows it sliding there.
func wound(w *ecs.World, e ecs.Entity, t tank, points uint8) {
	t.Hull.Left -= min(t.Hull.Left, points)
	if t.Hull.Left > 0 {
		return
	}
	event.Raise(w, event.ToViewers(e), Destroyed{Who: w.NetID(e)})
	t.Hull.Left, t.Ammo.Shells, *t.Place = armour, magazine, bases[t.Crew.Team]
	if jumps := ecs.Get[components.Teleports](w, e); jumps != nil {
		jumps.Count++
	}
}

// capture lets tanks take flags of the other team, lose them with their armour, and bring them home.
func capture(w *ecs.World) {
	for _, f := range ecs.EachInOrder[flag](w) {
		carrier, carried := w.ByNetID(f.Flag.Carrier)
		switch t := ecs.Get[Place](w, carrier); {
		case !carried || t == nil:
			f.Flag.Carrier = taker(w, f)
		case t.near(bases[1-f.Flag.Team], reach):
			f.Flag.Carrier, *f.Place = 0, bases[f.Flag.Team]
			for _, s := range ecs.Each[struct{ Score *Score }](w) {
				s.Score.Points[1-f.Flag.Team]++
			}
		case ecs.Get[Hull](w, carrier).Left == 0:
			f.Flag.Carrier = 0
		}
	}
}

// taker is the tank that takes a flag, 0 for none.
func taker(w *ecs.World, f flag) components.NetID {
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
