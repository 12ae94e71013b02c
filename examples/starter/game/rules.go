package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

const (
	speed = 180 // units a second
	reach = 16  // how near to a star one has to be to take it, in units, along either axis
	stars = 12  // how many there are
	most  = 9999
)

// walker is a row: what a rule wants to touch.
type walker struct {
	In    *Move
	Place *Place
}

// collector is another, of a player as star is of a star.
type (
	collector struct {
		Place  *Place
		Player *Player
	}
	star struct {
		Place *Place
		Star  *Star
	}
)

// join makes what belongs to a player who comes. When the player goes, all that it owns goes too.
func join(w *ecs.World, client uint32, who *Login) {
	colour := uint8(client) % uint8(len(Colours))
	w.Spawn(components.Owner{Client: client}, Place{Width / 2, Height / 2}, Player{Name: who.Name, Colour: colour}, Move{})
}

// paint carries out the command.
func paint(w *ecs.World, client uint32, ask *Paint) {
	for _, c := range ecs.EachOf[collector](w, client) {
		c.Player.Colour = ask.Colour
	}
}

// away marks a player whose page is closed or loaded again, and who may come back.
func away(w *ecs.World, client uint32, away bool) {
	for _, c := range ecs.EachOf[collector](w, client) {
		c.Player.Away = away
	}
}

// walk moves players. The server runs it for all of them, and each client at once for its own; so it depends on the
// input and on components, and on nothing else. The length of a step is [ecs.World.Step]: between two ticks a client
// draws a part of one.
func walk(w *ecs.World) {
	for _, p := range ecs.Each[walker](w) {
		stride := float32(speed * w.Step())
		p.Place.X = min(max(p.Place.X+float32(float32(p.In.DX)*stride), 0), Width)
		p.Place.Y = min(max(p.Place.Y+float32(float32(p.In.DY)*stride), 0), Height)
	}
}

// collect gives stars to who reaches them. It runs on the server alone, unless every peer simulates everything. Order
// matters where two reach for one star, so both loops have one.
func collect(w *ecs.World) {
	for _, p := range ecs.EachInOrder[collector](w) {
		for e, s := range ecs.EachInOrder[star](w) {
			if s.Star.Worth == 0 || !near(p.Place.X, s.Place.X) || !near(p.Place.Y, s.Place.Y) {
				continue
			}
			p.Player.Score = min(p.Player.Score+uint16(s.Star.Worth), most)
			s.Star.Worth = 0 // it is despawned at the end of the tick, and nobody else is to have it
			w.Despawn(e)
		}
	}
}

func near(a, b float32) bool { return a-b < reach && b-a < reach }

// scatter sees to it that there are always as many stars. What looks like chance is the same on every peer: it follows
// from the world's seed and the tick.
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
