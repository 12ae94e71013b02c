package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
)

const (
	speed = 180  // units per second
	reach = 16   // distance at which a player takes a star, in units along each axis
	stars = 12   // number of stars in the arena
	most  = 9999 // maximum score
)

// walker is a row of pointers: the components that a rule reads and writes.
type walker struct {
	In    *Move
	Place *Place
}

// collector is the row for players who collect, star the row for stars.
type (
	collector struct {
		Owner  *components.Owner
		Place  *Place
		Player *Player
	}
	star struct {
		Place *Place
		Star  *Star
	}
)

// join spawns the entity of a joining player. When the player leaves, the server despawns the player's entities.
func join(w *ecs.World, client uint32, who *Login) {
	colour := uint8(client) % uint8(len(Colours))
	w.Spawn(components.Owner{Client: client}, Place{start(client), Height / 2}, Player{Name: who.Name, Colour: colour}, Move{})
}

// start returns the X at which a player begins, beside the others.
func start(client uint32) float32 { return Width / Capacity * (float32(client%Capacity) + 0.5) }

// paint executes the command.
func paint(w *ecs.World, client uint32, ask *Paint) {
	for _, c := range ecs.EachOf[collector](w, client) {
		c.Player.Colour = ask.Colour
	}
}

// away marks a player who closed or reloaded the page and may come back.
func away(w *ecs.World, client uint32, away bool) {
	for _, c := range ecs.EachOf[collector](w, client) {
		c.Player.Away = away
	}
}

// walk moves players. The server runs it for all players, each client immediately for its own player. So it depends only
// on the input and on components. [ecs.World.Step] is the length of a step in seconds. It is shorter than a tick when a
// client draws a frame between two ticks.
func walk(w *ecs.World) {
	for _, p := range ecs.Each[walker](w) {
		stride := float32(speed * w.Step())
		p.Place.X = min(max(p.Place.X+float32(float32(p.In.DX)*stride), 0), Width)
		p.Place.Y = min(max(p.Place.Y+float32(float32(p.In.DY)*stride), 0), Height)
	}
}

// collect gives stars to the players who reach them. It runs only on the server, unless every peer simulates everything.
// Two players can reach the same star, so both loops run in order.
func collect(w *ecs.World) {
	for _, p := range ecs.EachInOrder[collector](w) {
		for e, s := range ecs.EachInOrder[star](w) {
			if s.Star.Worth == 0 || !near(p.Place.X, s.Place.X) || !near(p.Place.Y, s.Place.Y) {
				continue
			}
			p.Player.Score = min(p.Player.Score+uint16(s.Star.Worth), most)
			event.Raise(w, event.ToAll(), Taken{By: p.Owner.Client, X: s.Place.X, Y: s.Place.Y, Worth: s.Star.Worth})
			s.Star.Worth = 0 // the despawn takes effect later in this tick; until then no other player may take the star
			w.Despawn(e)
		}
	}
}

func near(a, b float32) bool { return a-b < reach && b-a < reach }

// scatter keeps the number of stars constant. Its random numbers follow from the world's seed and the tick, so they are
// the same on every peer.
func scatter(w *ecs.World) {
	missing := stars
	for range ecs.Each[star](w) {
		missing--
	}
	random := w.Rand(ecs.Entity{})
	for range missing {
		w.Spawn(Place{float32(random.IntN(Width)), float32(random.IntN(Height))}, Star{Worth: uint8(1 + random.IntN(3))})
	}
}
