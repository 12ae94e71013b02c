package main

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/ratio"
)

const (
	alive  = 1000
	volley = 100 // spawned and despawned at a time
)

// spawnVsArche measures volleys of entities that are spawned and despawned together, like bullets.
func spawnVsArche(rounds int) (float64, string) {
	m := ratio.Medians(rounds, spawnAtOnce(), spawnRaw(), spawnInSystem())
	form := "at once"
	if m[2] > m[0] {
		m[0], form = m[2], "in a system"
	}
	value, absolute := compare(m[0], m[1], volley, "spawn and despawn")
	return value, fmt.Sprintf("%s, %s", absolute, form)
}

// spawnAndDespawn spawns a volley and despawns it.
func spawnAndDespawn(w *ecs.World, es *[volley]ecs.Entity) {
	for i := range es {
		es[i] = ecs.Spawn(w, body{position{1, 2}, velocity{3, 4}})
	}
	for _, e := range es {
		w.Despawn(e)
	}
}

func spawnAtOnce() func() {
	w := world(alive, 1)
	var es [volley]ecs.Entity
	return func() { spawnAndDespawn(w, &es) }
}

// spawnInSystem lets a volley live for a tick, because an entity that one system
// both spawns and despawns never reaches storage.
func spawnInSystem() func() {
	w := world(alive, 1)
	var es [volley]ecs.Entity
	stage := ecs.NewStage("bench", ecs.System{Name: "volley", Run: func(w *ecs.World) {
		for _, e := range es {
			w.Despawn(e)
		}
		for i := range es {
			es[i] = ecs.Spawn(w, body{position{1, 2}, velocity{3, 4}})
		}
	}})
	return func() { stage.Run(w) }
}

func spawnRaw() func() {
	w := arche.NewWorld(alive)
	ids := []arche.ID{arche.ComponentID[position](&w), arche.ComponentID[velocity](&w)}
	spawn := func() arche.Entity {
		e := w.NewEntity(ids...)
		*(*position)(w.GetUnchecked(e, ids[0])) = position{1, 2}
		*(*velocity)(w.GetUnchecked(e, ids[1])) = velocity{3, 4}
		return e
	}
	for range alive {
		spawn()
	}
	var es [volley]arche.Entity
	return func() {
		for i := range es {
			es[i] = spawn()
		}
		for _, e := range es {
			w.RemoveEntity(e)
		}
	}
}
