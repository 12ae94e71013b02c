package game

import (
	"math"
	"sync"

	"github.com/jakecoffman/cp/v2"
)

// making guards the creation of bodies. The library numbers them in a package variable, and server and clients of one
// process run concurrently.
var making sync.Mutex

// space is the library's world. Between ticks it contains only the walls, because all moving bodies are in components.
type space struct {
	*cp.Space
	balls, crates solids
	inside        []*solid // in the order of insertion
	kept          bool     // bodies stay inside between ticks, with the library's state

	touch    func(*cp.Arbiter) // counts a contact of the body that is taken back
	contacts uint32            // in this tick
	stands   bool              // the body stands on something
}

// solid is a body with its shape, used again and again.
type solid struct {
	*cp.Body
	shape *cp.Shape
}

// solids are bodies of one kind; the first n are in use in this tick.
type solids struct {
	all  []*solid
	n    int
	make func() *solid
}

func (s *solids) next() *solid {
	if s.n == len(s.all) {
		making.Lock()
		s.all = append(s.all, s.make())
		making.Unlock()
	}
	s.n++
	return s.all[s.n-1]
}

func newSpace(kept bool) *space {
	making.Lock()
	defer making.Unlock()
	s := &space{Space: cp.NewSpace(), kept: kept}
	s.SetGravity(cp.Vector{Y: gravity})
	s.Iterations = 30                  // impulses start at zero in each tick, so stacks need more iterations
	s.SleepTimeThreshold = cp.INFINITY // sleeping would be state outside of components
	corners := []cp.Vector{{X: 0, Y: -Height}, {X: 0, Y: Height}, {X: Width, Y: Height}, {X: Width, Y: -Height}}
	for i := range 3 {
		wall := cp.NewSegment(s.StaticBody, corners[i], corners[i+1], 10)
		wall.SetFriction(1)
		s.AddShape(wall)
	}
	s.touch = func(a *cp.Arbiter) {
		s.contacts++
		s.stands = s.stands || a.Normal().Y > 0.5
	}
	s.balls.make = func() *solid {
		body := cp.NewBody(ballMass, cp.MomentForCircle(ballMass, 0, Radius, cp.Vector{}))
		return newSolid(body, cp.NewCircle(body, Radius, cp.Vector{}), 0.9)
	}
	s.crates.make = func() *solid {
		body := cp.NewBody(crateMass, cp.MomentForBox(crateMass, Side, Side))
		return newSolid(body, cp.NewBox(body, Side, Side, 1), 0.6)
	}
	return s
}

// newSolid leaves the body where it is while the space steps: see [space.step].
func newSolid(body *cp.Body, shape *cp.Shape, friction float64) *solid {
	body.SetPositionUpdateFunc(func(*cp.Body, float64) {})
	shape.SetFriction(friction)
	return &solid{body, shape}
}

// put adds a body after those already in the space.
func (s *space) put(b *Body, ball bool) *solid {
	from := &s.crates
	if ball {
		from = &s.balls
	}
	x := from.next()
	s.inside = append(s.inside, x)
	x.SetAngle(b.Angle)
	x.SetPosition(cp.Vector{X: b.X, Y: b.Y})
	x.SetVelocity(b.VX, b.VY)
	x.SetAngularVelocity(b.Spin)
	if x.shape.Space() == nil {
		s.AddBody(x.Body)
		s.AddShape(x.shape)
	}
	return x
}

// step advances the space. The library moves bodies first, then detects contacts, and keeps the separation of overlapping
// bodies for its next step. This function moves bodies last, so no state remains after the tick.
func (s *space) step(dt float64) {
	s.contacts = 0
	s.Step(dt)
	for _, x := range s.inside {
		if v := x.Velocity(); v.LengthSq() < slow*slow && math.Abs(x.AngularVelocity()) < slowSpin {
			x.SetVelocity(0, 0)
			x.SetAngularVelocity(0)
		}
		cp.BodyUpdatePosition(x.Body, dt)
	}
}

// take copies a body to its component.
func (s *space) take(x *solid, b *Body) {
	at, v := x.Position(), x.Velocity()
	s.stands = false
	x.EachArbiter(s.touch)
	*b = Body{X: at.X, Y: at.Y, Angle: x.Angle(), VX: v.X, VY: v.Y, Spin: x.AngularVelocity(), Stands: s.stands}
}

// clear removes all moving bodies.
func (s *space) clear() {
	for _, x := range s.inside {
		if !s.kept {
			s.RemoveShape(x.shape)
			s.RemoveBody(x.Body)
		}
	}
	s.inside, s.balls.n, s.crates.n = s.inside[:0], 0, 0
}
