package game

import (
	"errors"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// ServerSchedule adds the game's systems to the stages of a server around the simulation, for systems.ServerConfig.Schedule.
//
//	Before { Receive, Census }  After { Rank, Snapshot, Send }
func ServerSchedule(s *ecs.Schedule) error {
	return errors.Join(
		s.InsertAfter("Receive", ecs.System{Name: "Census", Run: census}),
		s.InsertBefore("Snapshot", ecs.System{Name: "Rank", Run: rank}),
	)
}

// ClientSchedule adds the game's systems to the stages of a client around the simulation, for systems.ClientConfig.Schedule.
//
//	Before { Receive, Recall, Reconcile, Jolt }  OnTick { InputGather, Predict, Keep }  Render { Interpolate, Follow }
func ClientSchedule(s *ecs.Schedule) error {
	return errors.Join(
		s.InsertBefore("Reconcile", ecs.System{Name: "Recall", Run: recall}),
		s.InsertAfter("Reconcile", ecs.System{Name: "Jolt", Run: jolt}),
		s.InsertAfter("Predict", ecs.System{Name: "Keep", Run: keep}),
		s.InsertAfter("Interpolate", ecs.System{Name: "Follow", Run: follow}),
	)
}

// scored is a row that reads a player's score.
type scored struct {
	Owner components.Owner
	Score Score
}

// match is a row that writes the singleton. To read it, on server and clients, use ecs.Single.
type match struct{ Match *Match }

// census counts the players. It runs in Before, after Receive.
func census(w *ecs.World) {
	players := uint16(0)
	for range ecs.All[scored](w) {
		players++
	}
	for _, m := range ecs.Each[match](w) {
		m.Match.Players = players
	}
}

// rank finds the leader. It runs in After, when the ticks of a wake-up are complete. Snapshot then sends what rank has written.
func rank(w *ecs.World) {
	points, leader := uint16(0), uint32(0)
	for _, r := range ecs.All[scored](w) {
		p, c := r.Score.Points, r.Owner.Client
		if p > points || p == points && p > 0 && c < leader {
			points, leader = p, c
		}
	}
	for _, m := range ecs.Each[match](w) {
		m.Match.Leader, m.Match.Points = leader, points
	}
}

// self is a row with the client's own player. On a client, ecs.Each yields no other players.
type self struct {
	ID    *components.NetID
	Pos   *components.Position
	Boost *Boost
}

// own returns the client's own player, or a row of nils if there is none.
func own(w *ecs.World) self {
	for _, s := range ecs.Each[self](w) {
		return s
	}
	return self{}
}

// Camera is a resource of a client: the position of the camera, in units. It follows the own player. After a correction it moves
// gradually, so that the picture does not jump.
type Camera struct {
	X, Y         float32
	Jolts        int     // corrections that moved the player
	slipX, slipY float32 // distance from the player
	tick         uint32  // tick of the last frame

	before  Point
	present bool
}

// recall stores the position of the player. It runs before Reconcile.
func recall(w *ecs.World) {
	c, s := resource[Camera](w), own(w)
	if c.present = s.Pos != nil; c.present {
		c.before = Point{s.Pos.X, s.Pos.Y}
	}
}

// jolt keeps the camera in place after a correction. It runs after Reconcile.
func jolt(w *ecs.World) {
	c, s := resource[Camera](w), own(w)
	if !c.present || s.Pos == nil || *s.Pos == components.Position(c.before) {
		return
	}
	c.Jolts++
	c.slipX += c.before.X - s.Pos.X
	c.slipY += c.before.Y - s.Pos.Y
}

// follow moves the camera. It runs in Render, once per frame. The movement depends on the number of ticks since the last frame,
// not on the frame rate.
func follow(w *ecs.World) {
	const share, most = 0.9, 60 // share of the slip that remains after a tick; maximum number of ticks
	c, s := resource[Camera](w), own(w)
	for range min(w.Tick()-min(c.tick, w.Tick()), most) {
		c.slipX, c.slipY = share*c.slipX, share*c.slipY
	}
	c.tick = w.Tick()
	if s.Pos != nil {
		c.X, c.Y = s.Pos.X+c.slipX, s.Pos.Y+c.slipY
	}
}

// Diary is a resource of a client that counts what its player has done.
type Diary struct {
	Ridden, Boosted, Pressed int // ticks on a moving platform, with a boost, and pushed by others
	Taken, Passed, Blocked   int // power-ups taken, times through the door, ticks at the closed door

	round Boost
	right bool
	any   bool
}

// keep runs after Predict, once per tick, and never in a replay of Reconcile. Put actions that must happen once here
// instead of in Simulate.
func keep(w *ecs.World) {
	s := own(w)
	if s.Pos == nil {
		return
	}
	d, l, now := resource[Diary](w), level(w), w.Tick()
	for i := range l.Platforms {
		if p := &l.Platforms[i]; p.Carries(now+1, s.Pos.X, s.Pos.Y) && p.At(now) != p.At(now+1) {
			d.Ridden++
		}
	}
	if px, py := resource[Crowd](w).pressure(*s.ID); px != 0 || py != 0 {
		d.Pressed++
	}
	if s.Boost.Left > 0 {
		d.Boosted++
	}
	if l.Door.Closed(now+1) && abs(s.Pos.Y-doorY) < doorHalf && abs(s.Pos.X-wallX) < wallHalf+Width/2+1 {
		d.Blocked++
	}
	right := s.Pos.X > wallX
	if d.any && right != d.right {
		d.Passed++
	}
	if d.any && (s.Boost.Of != d.round.Of || s.Boost.Round != d.round.Round) {
		d.Taken++
	}
	d.any, d.right, d.round = true, right, *s.Boost
}
