//go:build !js

package paint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// along is how far along a ray a box begins, or infinity where the ray misses it.
func (o *solid) along(eye, ray Vec) float64 {
	from, to := 0.0, math.Inf(1)
	for _, a := range [...][4]float64{{eye.X, ray.X, o.low.X, o.high.X}, {eye.Y, ray.Y, o.low.Y, o.high.Y}, {eye.Z, ray.Z, o.low.Z, o.high.Z}} {
		t0, t1 := (a[2]-a[0])/a[1], (a[3]-a[0])/a[1]
		from, to = max(from, min(t0, t1)), min(to, max(t0, t1))
	}
	if from >= to {
		return math.Inf(1)
	}
	return from
}

// Of boxes beside and on top of each other, the nearest of those that share a pixel is
// drawn last, from wherever one looks.
func TestBoxesAreDrawnFarToNear(t *testing.T) {
	seen := 0
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		s := &Space{to: &Canvas{W: 640, H: 360}}
		s.Eye = Vec{20*draw.Float64() - 10, 1 + 8*draw.Float64(), 20*draw.Float64() - 10}
		s.Yaw, s.Pitch = 2*math.Pi*draw.Float64(), -draw.Float64()
		s.aim()
		s.Box(Vec{0, -0.5, 0}, Vec{40, 1, 40}, 0, White)
		for x := -16.0; x < 16; x += 4 {
			for z := -16.0; z < 16; z += 4 {
				if draw.IntN(2) == 0 {
					continue
				}
				high := 0.2 + 3*draw.Float64()
				wide, deep := 1+2.9*draw.Float64(), 1+2.9*draw.Float64()
				s.Box(Vec{x + 2, high / 2, z + 2}, Vec{wide, high, deep}, 0, White)
				s.Box(Vec{x + 2, high + 0.4, z + 2}, Vec{0.5, 0.8, 0.5}, 0, White)
			}
		}
		s.sort()
		if len(s.order) != len(s.solids) {
			t.Fatalf("seed %d: %d of %d boxes are drawn", seed, len(s.order), len(s.solids))
		}
		for range 200 {
			x, y := 640*draw.Float64(), 360*draw.Float64()
			ray := s.ahead.Times(s.scale).Add(s.right.Times(x - 320)).Add(s.over.Times(180 - y))
			last, nearest := -1, -1
			best := math.Inf(1)
			for _, i := range s.order {
				if at := s.solids[i].along(s.Eye, ray); !math.IsInf(at, 1) {
					last = i
					if at < best {
						nearest, best = i, at
					}
				}
			}
			if last != nearest {
				t.Fatalf("seed %d, pixel %.0f, %.0f: box %d is drawn over box %d, which is nearer", seed, x, y, last, nearest)
			}
			if last >= 0 {
				seen++
			}
		}
	}
	if seen < 20000 {
		t.Errorf("%d pixels show something", seen)
	}
}

// A camera that is turned to a place has it in the middle, and right is right and up is up.
func TestSpaceOnScreen(t *testing.T) {
	s := &Space{to: &Canvas{W: 640, H: 360}, Eye: Vec{3, 2, -5}}
	s.At(Vec{-1, 0.5, 4})
	s.aim()
	x, y, _, ok := s.OnScreen(Vec{-1, 0.5, 4})
	if !ok || math.Abs(x-320) > 1e-6 || math.Abs(y-180) > 1e-6 {
		t.Errorf("what it is turned to is at %v, %v, %v", x, y, ok)
	}
	if up, high, _, _ := s.OnScreen(Vec{-1, 1, 4}); math.Abs(up-320) > 1e-6 || high >= y {
		t.Errorf("what is above is at %v, %v", up, high)
	}
	s.Yaw, s.Pitch = 0, 0
	s.aim()
	near, _, small, _ := s.OnScreen(Vec{4, 2, 5})
	if _, _, large, _ := s.OnScreen(Vec{4, 2, 0}); near <= 320 || large != 2*small {
		t.Errorf("what is right is at %v; at half the distance a unit has %v pixels, not twice %v", near, large, small)
	}
	if _, _, _, ok := s.OnScreen(Vec{3, 2, -6}); ok {
		t.Error("what is behind the camera is on the screen")
	}
}

// covered is how much of a pixel the quads that wait cover, at most.
func (c *Canvas) covered(at Point) (most float64) {
	for i := 0; i < len(c.quads); i += 4 {
		for _, tri := range [...][3]int{{i, i + 1, i + 2}, {i + 1, i + 2, i + 3}} {
			p := [3]Point{}
			for k, v := range tri {
				p[k] = Point{float64(c.quads[v].DstX), float64(c.quads[v].DstY)}
			}
			cross := func(a, b, o Point) float64 { return (b.X-a.X)*(o.Y-a.Y) - (b.Y-a.Y)*(o.X-a.X) }
			all := cross(p[0], p[1], p[2])
			if math.Abs(all) < 1e-9 {
				continue
			}
			w := [3]float64{cross(p[1], p[2], at) / all, cross(p[2], p[0], at) / all, cross(p[0], p[1], at) / all}
			if w[0] < 0 || w[1] < 0 || w[2] < 0 {
				continue
			}
			deep := math.Inf(1)
			for own := range 4 {
				sum := 0.0
				for k, v := range tri {
					q := &c.quads[v]
					sum += w[k] * float64([...]float32{q.Custom0, q.Custom1, q.Custom2, q.Custom3}[own])
				}
				deep = min(deep, sum)
			}
			most = max(most, min(max(deep+1, 0), 1))
		}
	}
	return most
}

// A shape covers what is in it wholly and what is outside not at all, whatever its corners
// and their sense.
func TestShapesCover(t *testing.T) {
	inside, outside, edges := 0, 0, 0
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 2))
		c := New()
		n := 3 + draw.IntN(10)
		corners := make([]Point, n)
		sense := float64(1 - 2*draw.IntN(2))
		for i := range corners {
			sin, cos := math.Sincos(sense * 2 * math.Pi * (float64(i) + 0.6*draw.Float64()) / float64(n))
			corners[i] = Point{200 + 80*cos, 150 + 60*sin} // on an ellipse: convex
		}
		c.Shape(corners, White)
		for range 300 {
			at := Point{100 + 200*draw.Float64(), 70 + 160*draw.Float64()}
			deep := math.Inf(1)
			for i := range corners {
				a, b := corners[i], corners[(i+1)%n]
				deep = min(deep, sense*((b.X-a.X)*(at.Y-a.Y)-(b.Y-a.Y)*(at.X-a.X))/math.Hypot(b.X-a.X, b.Y-a.Y))
			}
			got, corner := c.covered(at), math.Inf(1)
			for _, p := range corners {
				corner = min(corner, math.Hypot(at.X-p.X, at.Y-p.Y))
			}
			switch {
			case deep > 0.01:
				inside++
				if got < 0.99 {
					t.Fatalf("seed %d: %v is %.2f pixels inside, and covered by %.2f", seed, at, deep, got)
				}
			case deep < -0.05 && deep > -0.95 && corner > 15:
				edges++
				if math.Abs(got-1-deep) > 0.05 {
					t.Fatalf("seed %d: %v is %.2f pixels outside of an edge, and covered by %.2f; %v", seed, at, -deep, got, corners)
				}
			case deep < -1.01:
				outside++
				if got > 0.01 {
					t.Fatalf("seed %d: %v is %.2f pixels outside, and covered by %.2f", seed, at, -deep, got)
				}
			}
		}
	}
	if inside < 10000 || outside < 10000 || edges < 500 {
		t.Errorf("%d pixels inside, %d outside, %d at edges", inside, outside, edges)
	}
}

// What a plane puts on the screen it finds there again, with y down or up.
func TestPlaneThereAndBack(t *testing.T) {
	for _, up := range []bool{false, true} {
		p := Plane{X: 30, Y: -4, Up: up}
		p.Look(&Canvas{W: 640, H: 360}, 100, 100)
		x, y := p.OnScreen(35, 8)
		if at := p.InWorld(x, y); math.Abs(at.X-35) > 1e-9 || math.Abs(at.Y-8) > 1e-9 {
			t.Errorf("up %v: 35, 8 is found at %v", up, at)
		}
		if x != 320+5*3.6 || (y < 180) != up {
			t.Errorf("up %v: 35, 8 is drawn at %v, %v", up, x, y)
		}
	}
}
