package scene

import (
	"math"
	"math/rand/v2"

	"github.com/tactusgo/tactus/ecs"
)

// The scene of UnityNetworkTransformBenchmark, in units and seconds.
const (
	TickRate     = 60
	SendRate     = 30
	Radius       = 1.36 // of an asteroid of scale 1: mean distance of the corners of the original's meshes from their center
	clearance    = 2.0  // radius that must be free around a new asteroid of scale 1
	Planet       = 5.0  // radius of the planetoid at the origin
	minScale     = 0.25
	maxScale     = 1.0
	minSpeed     = 1.0
	maxSpeed     = 4.0
	maxSpin      = 45 * math.Pi / 180 // length of the angular velocity at the start
	acceleration = 5.0                // toward the target speed
	pull         = 10.0               // acceleration toward the origin beyond the bounds
	friction     = 0.6                // of two surfaces, Unity's default. Contacts do not bounce.
)

// Bounds returns the radius of the sphere in which n asteroids travel.
func Bounds(n int) float64 { return max(10, 50*math.Cbrt(float64(n)/1000)) }

// Place is the position of an asteroid, in steps of the original's precision.
type Place struct {
	X float32 `net:"-64..64 step 0.01 axis x"`
	Y float32 `net:"-64..64 step 0.01 axis y"`
	Z float32 `net:"-64..64 step 0.01 axis z"`
}

// Turn is the rotation of an asteroid. 11 bits for each of three components are steps of 0.0007, and 10 bits would exceed the
// original's precision of 0.001.
type Turn struct {
	Q [4]float32 `net:"quat 11"`
}

// Size is the scale of an asteroid, which does not change.
type Size struct {
	Scale float32 `net:"0..1 step 0.01"`
}

// Body is the state of the physics. Clients do not receive it.
type Body struct {
	At, Velocity, Spin vector
	Q                  [4]float64
	Radius, Mass       float64
	Target             float64 // speed
}

// Protocol returns the definition of the scene.
func Protocol(n int) *ecs.Protocol {
	p := ecs.NewProtocol("bodies/1")
	ecs.Replicate[Place](p, ecs.Interpolated)
	ecs.Replicate[Turn](p, ecs.Interpolated)
	ecs.Replicate[Size](p, 0)
	ecs.Local[Body](p, 0)
	s := physics{bounds: Bounds(n)}
	p.Authority("physics", s.step)
	return p
}

type asteroid struct {
	Body *Body
	At   *Place
	Turn *Turn
}

// physics simulates the bodies.
type physics struct {
	bounds float64
	all    []*Body // in this tick
}

// Populate spawns n asteroids that do not overlap.
func Populate(w *ecs.World, n int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 250))
	var all []Body
	for range n {
		scale := minScale + r.Float64()*(maxScale-minScale)
		b := Body{Radius: Radius * scale, Mass: scale * scale * scale, Target: minSpeed + r.Float64()*(maxSpeed-minSpeed)}
		b.At = inSphere(r).times(Bounds(n))
		for out := b.At.unit(); !isFree(b.At, clearance*scale, all); {
			b.At = b.At.plus(out.times(clearance * scale))
		}
		b.Velocity = inSphere(r).unit().times(b.Target)
		b.Spin = inSphere(r).times(maxSpin)
		b.Q = [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		normalize(&b.Q)
		all = append(all, b)
		var at Place
		var turn Turn
		b.copyTo(&at, &turn)
		w.Spawn(b, at, turn, Size{float32(scale)})
	}
}

// isFree reports whether a sphere overlaps neither the planetoid nor an asteroid.
func isFree(at vector, radius float64, all []Body) bool {
	for i := range all {
		if at.minus(all[i].At).length() < radius+all[i].Radius {
			return false
		}
	}
	return at.length() >= radius+Planet
}

// step simulates one tick.
func (s *physics) step(w *ecs.World) {
	const dt = 1.0 / TickRate
	s.all = s.all[:0]
	for _, r := range ecs.Each[asteroid](w) {
		b := r.Body
		s.all = append(s.all, b)
		b.steer(s.bounds, dt)
		b.At = b.At.plus(b.Velocity.times(dt))
		b.rotate(dt)
	}
	ground := Body{Radius: Planet, Mass: math.Inf(1)}
	for i, a := range s.all {
		touch(a, &ground)
		for _, b := range s.all[i+1:] {
			touch(a, b)
		}
	}
	for _, r := range ecs.Each[asteroid](w) {
		r.Body.copyTo(r.At, r.Turn)
	}
}

// steer accelerates an asteroid to its target speed, and beyond the bounds toward the origin.
func (b *Body) steer(bounds, dt float64) {
	if b.At.length() > bounds {
		b.Velocity = b.Velocity.minus(b.At.unit().times(pull * dt))
		return
	}
	speed := b.Velocity.length()
	if math.Abs(speed*speed-b.Target*b.Target) <= 0.001 || speed == 0 {
		return
	}
	next := min(speed+acceleration*dt, b.Target)
	if speed > b.Target {
		next = max(speed-acceleration*dt, b.Target)
	}
	b.Velocity = b.Velocity.times(next / speed)
}

// rotate turns an asteroid by its angular velocity.
func (b *Body) rotate(dt float64) {
	w, q := b.Spin.times(dt/2), b.Q
	b.Q = [4]float64{
		q[0] + w.X*q[3] + w.Y*q[2] - w.Z*q[1],
		q[1] + w.Y*q[3] + w.Z*q[0] - w.X*q[2],
		q[2] + w.Z*q[3] + w.X*q[1] - w.Y*q[0],
		q[3] - w.X*q[0] - w.Y*q[1] - w.Z*q[2],
	}
	normalize(&b.Q)
}

// touch separates two overlapping spheres and exchanges the impulses of a contact with friction.
func touch(a, b *Body) {
	d := b.At.minus(a.At)
	reach := a.Radius + b.Radius
	square := d.dot(d)
	if square >= reach*reach || square == 0 {
		return
	}
	distance := math.Sqrt(square)
	n := d.times(1 / distance)
	weightA, weightB := 1/a.Mass, 1/b.Mass
	push := n.times((reach - distance) / (weightA + weightB))
	a.At, b.At = a.At.minus(push.times(weightA)), b.At.plus(push.times(weightB))
	v := b.Velocity.minus(a.Velocity).minus(n.cross(a.Spin.times(-a.Radius)).plus(n.cross(b.Spin.times(-b.Radius))))
	into := v.dot(n)
	if into >= 0 {
		return
	}
	normal := -into / (weightA + weightB)
	impulse := n.times(normal)
	if side := v.minus(n.times(into)); side.length() > 1e-9 {
		// A tangential impulse also turns a sphere: its moment of inertia is 2/5 m r².
		along := side.length() / ((weightA + weightB) * 3.5)
		impulse = impulse.minus(side.unit().times(min(along, friction*normal)))
	}
	a.Velocity, b.Velocity = a.Velocity.minus(impulse.times(weightA)), b.Velocity.plus(impulse.times(weightB))
	a.Spin = a.Spin.minus(n.cross(impulse).times(2.5 * weightA / a.Radius))
	b.Spin = b.Spin.minus(n.cross(impulse).times(2.5 * weightB / b.Radius))
}

// copyTo writes the components that clients receive.
func (b *Body) copyTo(at *Place, turn *Turn) {
	*at = Place{float32(b.At.X), float32(b.At.Y), float32(b.At.Z)}
	for i, v := range b.Q {
		turn.Q[i] = float32(v)
	}
}

type vector struct{ X, Y, Z float64 }

func (a vector) plus(b vector) vector   { return vector{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a vector) minus(b vector) vector  { return vector{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a vector) times(f float64) vector { return vector{a.X * f, a.Y * f, a.Z * f} }
func (a vector) dot(b vector) float64   { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }
func (a vector) length() float64        { return math.Sqrt(a.dot(a)) }
func (a vector) cross(b vector) vector {
	return vector{a.Y*b.Z - a.Z*b.Y, a.Z*b.X - a.X*b.Z, a.X*b.Y - a.Y*b.X}
}

// unit returns the direction of a, or the x axis for the zero vector.
func (a vector) unit() vector {
	if l := a.length(); l > 0 {
		return a.times(1 / l)
	}
	return vector{X: 1}
}

// inSphere returns a random point of the unit sphere.
func inSphere(r *rand.Rand) vector {
	for {
		v := vector{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		if l := v.dot(v); l <= 1 && l > 0 {
			return v
		}
	}
}

func normalize(q *[4]float64) {
	l := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	for i := range q {
		q[i] /= l
	}
}
