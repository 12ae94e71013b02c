package game

import (
	"errors"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// ServerSchedule adds the game's systems to a server's stages around the
// simulation; it is for systems.ServerConfig.Schedule.
//
//	Before { Receive, Census }  After { Rank, Snapshot, Send }
func ServerSchedule(s *ecs.Schedule) error {
	return errors.Join(
		s.InsertAfter("Receive", ecs.System{Name: "Census", Run: census}),
		s.InsertBefore("Snapshot", ecs.System{Name: "Rank", Run: rank}),
	)
}

// ClientSchedule adds the game's systems to a client's stages around the
// simulation; it is for systems.ClientConfig.Schedule.
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

// scored is a row of values.
type scored struct {
	Owner components.Owner
	Score Score
}

// match is the entity of the singleton, for systems that write it; ecs.Single
// reads it, on both sides.
type match struct{ Match *Match }

// census runs in Before: joins and leaves have just been taken in.
func census(w *ecs.World) {
	players := uint16(0)
	for range ecs.All[scored](w) {
		players++
	}
	for _, m := range ecs.Each[match](w) {
		m.Match.Players = players
	}
}

// rank runs in After: the ticks of this wake-up are complete, and what it writes
// goes out with their snapshot.
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

// self is the client's own player: of all players, Each yields no other there.
type self struct {
	ID    *components.NetID
	Pos   *components.Position
	Boost *Boost
}

// own returns the client's own player, or nils while it has none.
func own(w *ecs.World) self {
	for _, s := range ecs.Each[self](w) {
		return s
	}
	return self{}
}

// Camera is a resource of a client: where to look, in units. It follows the own
// player and makes up for corrections bit by bit, so that the picture does not
// jump.
type Camera struct {
	X, Y         float32
	Jolts        int // corrections that moved the player
	slipX, slipY float32
	tick         uint32

	before  Point
	present bool
}

// recall runs before Reconcile and notes where the player stands.
func recall(w *ecs.World) {
	c, s := resource[Camera](w), own(w)
	if c.present = s.Pos != nil; c.present {
		c.before = Point{s.Pos.X, s.Pos.Y}
	}
}

// jolt runs after Reconcile and lets the camera stay where it was.
func jolt(w *ecs.World) {
	c, s := resource[Camera](w), own(w)
	if !c.present || s.Pos == nil || *s.Pos == components.Position(c.before) {
		return
	}
	c.Jolts++
	c.slipX += c.before.X - s.Pos.X
	c.slipY += c.before.Y - s.Pos.Y
}

// follow runs in Render, once a frame. What it catches up with follows from the
// ticks since the last frame, so that the frame rate does not matter.
func follow(w *ecs.World) {
	const share, most = 0.9, 60 // of the slip that stays after a tick; ticks to catch up with
	c, s := resource[Camera](w), own(w)
	for range min(w.Tick()-min(c.tick, w.Tick()), most) {
		c.slipX, c.slipY = share*c.slipX, share*c.slipY
	}
	c.tick = w.Tick()
	if s.Pos != nil {
		c.X, c.Y = s.Pos.X+c.slipX, s.Pos.Y+c.slipY
	}
}

// Diary is a resource of a client: what its player has done, in ticks.
type Diary struct {
	Ridden, Boosted, Pressed int // on a moving platform, with a boost, among others
	Taken, Passed, Blocked   int // power-ups, times through the door, ticks against it

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
