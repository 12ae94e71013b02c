package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// player is the row of players to write, flyer the row of snowballs to write.
type player struct {
	Owner *components.Owner
	Pos   *components.Position
	Head  *components.Heading
	Kid   *Kid
	Score *Score
	In    *Input
}
type flyer struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Ball *Ball
}

// snowball is a row of values, target the row of players that it can strike.
type snowball struct {
	Owner components.Owner
	Pos   components.Position
	Vel   components.Velocity
	Ball  Ball
}
type target struct {
	Owner components.Owner
	Pos   components.Position
	Kid   Kid
}

// throw spawns snowballs. It runs before walk, so a snowball starts at the position that its player saw.
func throw(w *ecs.World) {
	for _, p := range ecs.EachInOrder[player](w) {
		p.Kid.Wait -= min(p.Kid.Wait, 1)
		p.Kid.Hit -= min(p.Kid.Hit, 1)
		if !p.In.Throw || p.Kid.Wait > 0 || p.Kid.Down(w) {
			continue
		}
		sin, cos := math.Sincos(float64(p.In.Aim) * (2 * math.Pi / 65536))
		vel := components.Velocity{X: float32(cos * ballSpeed), Y: float32(sin * ballSpeed)}
		ecs.Spawn(w, snowball{*p.Owner, *p.Pos, vel, Ball{Left: ticks(w, flight)}})
		p.Kid.Wait = ticks(w, reload)
		p.Kid.Thrown++
	}
}

// Down reports whether a player lies in the snow and cannot act.
func (k *Kid) Down(w *ecs.World) bool { return k.Hit > ticks(w, Safe) }

func ticks(w *ecs.World, seconds float64) uint8 { return uint8(seconds * float64(w.TickRate())) }

// walk moves players who are not down.
func walk(w *ecs.World) {
	for _, p := range ecs.Each[player](w) {
		if p.Kid.Down(w) {
			continue
		}
		p.Head.Angle = p.In.Aim
		pace := speed * w.Step() / float32(max(1, math.Hypot(float64(p.In.X), float64(p.In.Y))))
		p.Pos.X = min(max(p.Pos.X+float32(p.In.X)*pace, Radius), Width-Radius)
		p.Pos.Y = min(max(p.Pos.Y+float32(p.In.Y)*pace, Radius), Height-Radius)
	}
}

// fly moves snowballs and despawns them when their time is up. A snowball stops at trees and at the fence.
func fly(w *ecs.World) {
	for e, b := range ecs.Each[flyer](w) {
		if b.Ball.Left--; b.Ball.Left == 0 {
			w.Despawn(e)
			continue
		}
		b.Pos.X, b.Pos.Y = b.Pos.X+b.Vel.X*w.Step(), b.Pos.Y+b.Vel.Y*w.Step()
		stopped := b.Pos.X < 0 || b.Pos.X > Width || b.Pos.Y < 0 || b.Pos.Y > Height
		for _, t := range Trees {
			stopped = stopped || near(*b.Pos, components.Position{X: t.X, Y: t.Y}, t.Radius)
		}
		if stopped {
			*b.Vel = components.Velocity{}
		}
	}
}

// near reports whether two places are at most far apart.
func near(a, b components.Position, far float32) bool {
	dx, dy := a.X-b.X, a.Y-b.Y
	return float32(dx*dx)+float32(dy*dy) <= far*far
}

// Struck returns the player that a snowball strikes in a view. The view is the thrower's view on the server, or with
// lagcomp.Of the view that a client draws.
func Struck(view lagcomp.View, thrower uint32, at components.Position) (ecs.Entity, bool) {
	for e, t := range lagcomp.All[target](view) {
		if t.Owner.Client != thrower && t.Kid.Hit == 0 && near(at, t.Pos, Radius+Flake) {
			return e, true
		}
	}
	return ecs.Entity{}, false
}

// hit tests in every tick which players the snowballs strike, in the view of the thrower. This view shows other players
// some tenths of a second in the past, and the thrower's own snowballs in the present.
func hit(w *ecs.World) {
	for _, p := range ecs.EachInOrder[player](w) {
		view := lagcomp.As(w, p.Owner.Client, p.In.Seen)
		for ball, b := range ecs.EachOf[flyer](w, p.Owner.Client) {
			victim, struck := Struck(view, p.Owner.Client, *b.Pos)
			if !struck || *b.Vel == (components.Velocity{}) { // it has stopped
				continue
			}
			w.Despawn(ball)
			if kid := ecs.Get[Kid](w, victim); kid != nil && kid.Hit == 0 { // the victim may have left or been hit since then
				kid.Hit = ticks(w, down+Safe)
				p.Score.Hits++
				if !near(*b.Pos, *ecs.Get[components.Position](w, victim), Radius+Flake) {
					p.Score.Past++
				}
			}
		}
	}
}
