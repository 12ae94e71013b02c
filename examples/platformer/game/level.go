package game

import "math"

// Vec is a place, a vector or a velocity, in metres and seconds: X east, Y up, Z south.
type Vec struct{ X, Y, Z float32 }

func (a Vec) add(b Vec) Vec { return Vec{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec) sub(b Vec) Vec { return Vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a Vec) long() float64 { return math.Hypot(math.Hypot(float64(a.X), float64(a.Y)), float64(a.Z)) }

// times rounds each product separately, so that all processors get the same result in a sum.
func (a Vec) times(f float32) Vec { return Vec{float32(a.X * f), float32(a.Y * f), float32(a.Z * f)} }

// Solid is a box, or a ramp whose west side is lower than its east side by Slope.
type Solid struct {
	Min, Max Vec
	Slope    float32
}

// Top returns the height of the surface at x.
func (s *Solid) Top(x float32) float32 {
	return s.Max.Y - float32(s.Slope*min(max((s.Max.X-x)/(s.Max.X-s.Min.X), 0), 1))
}

// meets reports whether a character at a place is above, below or inside the solid.
func (s *Solid) meets(p Vec) bool {
	return p.X > s.Min.X-Radius && p.X < s.Max.X+Radius && p.Z > s.Min.Z-Radius && p.Z < s.Max.Z+Radius
}

// Platform is a square that moves back and forth and waits at both ends. Its place is a function of time: it is never sent,
// and a client knows it in the tick of its input.
type Platform struct {
	From, To Vec // the middle of its top
	Travel   float64
}

// Half is half the width of platforms. wait is their waiting time in seconds.
const Half, wait = 1.5, 2

// At returns the middle of the platform's surface at a time in seconds.
func (p *Platform) At(seconds float64) Vec {
	t := math.Mod(seconds, 2*(p.Travel+wait))
	if t >= p.Travel+wait { // on the way back
		t = max(2*p.Travel+wait-t, 0)
	}
	s := min(t/p.Travel, 1)
	return p.From.add(p.To.sub(p.From).times(float32(s * s * (3 - 2*s)))) // gently off and in
}

// The constant level: solids, platforms, and the places of coins. The first coin is a bell.
var (
	Solids = [...]Solid{
		{Min: Vec{-14, -1, -10}, Max: Vec{14, 0, 10}},                                                 // the meadow
		{Min: Vec{2, 0, -8}, Max: Vec{8, 3, -4}, Slope: 3}, {Min: Vec{8, 0, -8}, Max: Vec{14, 3, -1}}, // up to the terrace
		{Min: Vec{22, 1, -10}, Max: Vec{29, 3, -2}}, {Min: Vec{23, 0, 1}, Max: Vec{28, 6.5, 6}}, // the island, the tower
		{Min: Vec{-9, 0, -7}, Max: Vec{-7, 1.2, -5}}, {Min: Vec{-11.5, 0, -7.5}, Max: Vec{-9, 2.4, -4.5}}, // crates
		{Min: Vec{-18, -1, 3}, Max: Vec{-15.5, 0, 6}}, {Min: Vec{-22, -0.5, 3}, Max: Vec{-19.5, 0.5, 6}}, // stepping stones
		{Min: Vec{-1, 0, 6}, Max: Vec{1, 0.3, 8}}, {Min: Vec{1, 0.3, 6}, Max: Vec{5, 2, 8}, Slope: 1.7}, // a step, a bridge
		{Min: Vec{5, 1.5, 5}, Max: Vec{8, 2, 9}}, // a roof to stand under
	}
	Platforms = [...]Platform{ // the ferry, the lift, the glider
		{Vec{15.5, 3, -6}, Vec{20.5, 3, -6}, 4}, {Vec{25.5, 3, -0.5}, Vec{25.5, 6.5, -0.5}, 3}, {Vec{21.5, 6.5, 3.5}, Vec{15.5, 0, 3.5}, 5},
	}
	Coins = [...]Vec{
		{25.5, 7.5, 4.5}, {5, 2.3, -6}, {11, 4, -6}, {18, 4, -6}, {25.5, 4, -6}, {25.5, 5.5, -0.5}, {18.5, 4.2, 3.5},
		{11, 1, 3.5}, {-8, 2.2, -6}, {-10.2, 3.4, -6}, {-16.7, 1, 4.5}, {-20.7, 1.5, 4.5}, {6.5, 3, 7}, {0, 1, 0},
	}
	start = Vec{0, 0, 2}
)
