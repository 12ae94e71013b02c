package paint

import "math"

// Vec is a place or a direction in space: with a yaw of 0, x is to the right, y up and z
// away.
type Vec struct{ X, Y, Z float64 }

// Add is the sum.
func (v Vec) Add(o Vec) Vec { return Vec{v.X + o.X, v.Y + o.Y, v.Z + o.Z} }

// Sub is the way from o to v.
func (v Vec) Sub(o Vec) Vec { return Vec{v.X - o.X, v.Y - o.Y, v.Z - o.Z} }

// Times is v, longer.
func (v Vec) Times(f float64) Vec { return Vec{v.X * f, v.Y * f, v.Z * f} }

// Dot is the scalar product.
func (v Vec) Dot(o Vec) float64 { return v.X*o.X + v.Y*o.Y + v.Z*o.Z }

// Cross is the vector product.
func (v Vec) Cross(o Vec) Vec {
	return Vec{v.Y*o.Z - v.Z*o.Y, v.Z*o.X - v.X*o.Z, v.X*o.Y - v.Y*o.X}
}

// Long is the length.
func (v Vec) Long() float64 { return math.Sqrt(v.Dot(v)) }

// unit returns v with length 1, and up for the zero vector.
func (v Vec) unit() Vec {
	if l := v.Long(); l > 1e-12 {
		return v.Times(1 / l)
	}
	return Vec{Y: 1}
}

// Space is a camera for a world with depth: boxes, quads and balls with flat colours, shaded
// by their direction. [Space.Draw] draws them from far to near. It orders whole solids, so
// solids must not intersect. A frame:
//
//	s.Eye, s.Yaw, s.Pitch = …
//	s.Look(canvas)
//	s.Box(…)
//	s.Draw()
//	s.Label(…)
type Space struct {
	// Eye is the position of the camera.
	Eye Vec
	// Yaw turns to the right, Pitch looks up, in radians.
	Yaw, Pitch float64
	// Field is the vertical angle of view in radians. 0: 1.
	Field float64
	// Sky is the background. Distant solids fade into it, from half of Far, in units, and
	// completely at Far. Far 0: nothing fades.
	Sky Tint
	Far float64

	to                 *Canvas
	ahead, right, over Vec
	scale              float64 // pixels of a unit at a distance of one
	solids             []solid
	order              []int
}

// near is the smallest drawn distance, in units.
const near = 0.05

// sun is the direction of the light.
var sun = Vec{0.45, 0.8, -0.4}.unit()

// At turns the camera towards a place.
func (s *Space) At(target Vec) {
	d := target.Sub(s.Eye)
	s.Yaw = math.Atan2(d.X, d.Z)
	s.Pitch = math.Atan2(d.Y, math.Hypot(d.X, d.Z))
}

// Look begins a frame on a canvas, with the sky.
func (s *Space) Look(to *Canvas) {
	s.to, s.solids = to, s.solids[:0]
	s.aim()
	to.Backdrop(s.Sky)
}

// aim computes the camera's axes from its angles.
func (s *Space) aim() {
	ys, yc := math.Sincos(s.Yaw)
	ps, pc := math.Sincos(s.Pitch)
	s.ahead, s.right = Vec{ys * pc, ps, yc * pc}, Vec{yc, 0, -ys}
	s.over = s.ahead.Cross(s.right)
	field := s.Field
	if field == 0 {
		field = 1
	}
	s.scale = s.to.H / 2 / math.Tan(field/2)
}

// seen returns a place relative to the camera: right, up and away.
func (s *Space) seen(p Vec) Vec {
	d := p.Sub(s.Eye)
	return Vec{d.Dot(s.right), d.Dot(s.over), d.Dot(s.ahead)}
}

// flat projects a place relative to the camera onto the screen.
func (s *Space) flat(v Vec) Point {
	f := s.scale / v.Z
	return Point{s.to.W/2 + v.X*f, s.to.H/2 - v.Y*f}
}

// OnScreen is where a place is on the screen, in pixels, and how many pixels a unit has
// there; ok is false behind the camera.
func (s *Space) OnScreen(p Vec) (x, y, scale float64, ok bool) {
	if s.to == nil {
		return 0, 0, 0, false
	}
	v := s.seen(p)
	if v.Z < near {
		return 0, 0, 0, false
	}
	at := s.flat(v)
	return at.X, at.Y, s.scale / v.Z, true
}

// Label writes a name centred over a place, above points higher. Call it after [Space.Draw].
func (s *Space) Label(p Vec, above float64, name string, t Tint) {
	if x, y, _, ok := s.OnScreen(p); ok {
		s.to.Label(s.to.Small, x, y-above*s.to.Unit, 0.5, name, t)
	}
}

// Box adds a box with a middle and a full size, turned to the right by yaw.
func (s *Space) Box(middle, size Vec, yaw float64, t Tint) {
	sin, cos := math.Sincos(yaw)
	x, y, z := Vec{cos, 0, -sin}.Times(size.X/2), Vec{0, size.Y / 2, 0}, Vec{sin, 0, cos}.Times(size.Z/2)
	b := solid{kind: box, tint: t, n: 8}
	for i := range 8 {
		p := middle
		for k, v := range [...]Vec{x, y, z} {
			if i>>k&1 == 0 {
				v = v.Times(-1)
			}
			p = p.Add(v)
		}
		b.corners[i] = p
	}
	s.add(&b)
}

// Quad adds a flat shape of four corners, in order around it, to be seen from both sides.
func (s *Space) Quad(a, b, c, d Vec, t Tint) {
	s.add(&solid{kind: quad, tint: t, n: 4, corners: [8]Vec{a, b, c, d}})
}

// Ball adds a ball.
func (s *Space) Ball(middle Vec, diameter float64, t Tint) {
	r := diameter / 2
	b := solid{kind: ball, tint: t, n: 8, size: diameter}
	for i := range 8 {
		b.corners[i] = middle.Add(Vec{r * float64(i&1*2-1), r * float64(i>>1&1*2-1), r * float64(i>>2&1*2-1)})
	}
	s.add(&b)
}

// Shadow adds a dark disc on the ground below something: a shape of eight corners, which
// lies flat around its middle.
func (s *Space) Shadow(middle Vec, diameter float64, strength float64) {
	d := solid{kind: disc, tint: Black.Fade(strength), n: 8}
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		d.corners[i] = middle.Add(Vec{cos * diameter / 2, 0, sin * diameter / 2})
	}
	s.add(&d)
}
