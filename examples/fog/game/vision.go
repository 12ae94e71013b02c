package game

import (
	"errors"
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// The eyes of a player.
const (
	Sight = 220                 // how far they see, in units
	Cone  = 100 * math.Pi / 180 // the angle of the view cone
)

// Seen holds the teams that see an entity, one bit for each. It stays on the server: a player must not learn from it who
// watches.
type Seen struct{ By uint8 }

// AllSeeing marks the entity of a client that sees everything.
type AllSeeing struct{}

// look updates Seen in every tick, after all players have moved. Views of a team add up here, because a [systems.Filter]
// compares only one entity of the client with one other entity, and depends on nothing else.
func look(w *ecs.World) {
	for _, it := range ecs.Each[struct {
		Pos  *components.Position
		Team *Team
		Seen *Seen
	}](w) {
		it.Seen.By = 1 << it.Team.ID
		for _, eye := range ecs.All[known](w) {
			if sees(eye.Pos, eye.Gaze, *it.Pos) {
				it.Seen.By |= 1 << eye.Team.ID
			}
		}
	}
}

// sees reports whether a player sees a place: near enough, within the view cone, and not behind a wall.
func sees(eye components.Position, gaze Gaze, at components.Position) bool {
	far := distance(eye, at)
	ahead := float64(at.X-eye.X)*float64(gaze.Dir[0]) + float64(at.Y-eye.Y)*float64(gaze.Dir[1])
	return far <= Sight && ahead >= far*math.Cos(Cone/2) && Free(eye, at) == 1
}

// distance returns the distance between two places.
func distance(a, b components.Position) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y))
}

// radians converts an angle of which a full turn has 65536.
func radians(angle uint16) float64 { return float64(angle) * (2 * math.Pi / 65536) }

// Free returns the share of the line from a to b, from 0 to 1, that is in front of the first wall.
func Free(a, b components.Position) float32 {
	share := float32(1)
	for _, r := range Walls {
		in, out := within(a.X, b.X-a.X, r.X, r.X+r.W)
		in2, out2 := within(a.Y, b.Y-a.Y, r.Y, r.Y+r.H)
		if in = max(in, in2, 0); in < min(out, out2, 1) {
			share = min(share, in)
		}
	}
	return share
}

// within returns the shares of a way at which a point that moves along it gets into an interval and out of it.
func within(from, way, low, high float32) (in, out float32) {
	if way == 0 {
		if from <= low || from >= high {
			return 1, 0 // never
		}
		return 0, 1
	}
	in, out = (low-from)/way, (high-from)/way
	return min(in, out), max(in, out)
}

// vision returns the rules of what a client may know. Whatever no rule shows stays hidden, such as the entities of clients
// that see everything.
func vision() systems.Interest {
	// The filter alone decides the same. The grid keeps the entities far from the team from it, which matters in larger worlds.
	near := &systems.Grid[components.Position]{Cell: Sight, Radius: Sight, Eyes: systems.Same[Team]()}
	seen := systems.Filter(func(me struct{ Team *Team }, it struct{ Seen *Seen }) bool {
		return it.Seen.By>>me.Team.ID&1 == 1
	})
	truth := systems.Filter(func(_ struct{ Eye *AllSeeing }, _ struct{ Seen *Seen }) bool { return true })
	return systems.HiddenUnless(systems.And(near, seen), truth, systems.Has[Match]())
}

// serve sets what clients may know, and refuses those that want to see everything unless truth allows it.
func serve(c *systems.ServerConfig, truth bool) {
	c.Snapshots.Interest = vision()
	c.Players.Login = systems.Login(func(_ netsys.Session, l *Login) error {
		if l.Truth && !truth {
			return errors.New("this server does not show what is hidden: start it with -truth")
		}
		return nil
	})
}
