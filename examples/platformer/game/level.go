package game

import "math"

// Vec is a place, a way or a velocity, in metres and seconds: X east, Y up, Z south.
type Vec struct{ X, Y, Z float32 }

func (a Vec) add(b Vec) Vec { return Vec{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec) sub(b Vec) Vec { return Vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// times rounds each product by itself: a processor that rounds a product and the sum after it
// at once would not get the bits that others get.
func (a Vec) times(f float32) Vec { return Vec{float32(a.X * f), float32(a.Y * f), float32(a.Z * f)} }

func (a Vec) far(b Vec) float64 {
	d := b.sub(a)
	return math.Sqrt(float64(float32(d.X*d.X) + float32(d.Y*d.Y) + float32(d.Z*d.Z)))
}

// Solid is a box, or a ramp whose top goes up from Min.Y in the west to Max.Y in the east.
type Solid struct {
	Min, Max Vec
	Ramp     bool
}

// Top is how high the solid is at x.
func (s *Solid) Top(x float32) float32 {
	if !s.Ramp {
		return s.Max.Y
	}
	share := min(max((x-s.Min.X)/(s.Max.X-s.Min.X), 0), 1)
	return s.Min.Y + float32((s.Max.Y-s.Min.Y)*share)
}

// meets reports whether somebody at a place is over or under the solid, or in it.
func (s *Solid) meets(p Vec) bool {
	return p.X > s.Min.X-Radius && p.X < s.Max.X+Radius && p.Z > s.Min.Z-Radius && p.Z < s.Max.Z+Radius
}

// Platform goes to and fro between two places and waits at both. Where it is follows from the tick
// alone: nothing of it is sent, and a client knows where it will be in the tick of its input.
type Platform struct {
	From, To     Vec // the middle of its top
	Half         float32
	Travel, Wait float64 // seconds
}

// At is where the middle of its top is after so many seconds.
func (p *Platform) At(seconds float64) Vec {
	t := math.Mod(seconds, 2*(p.Travel+p.Wait))
	if t >= p.Travel+p.Wait { // on the way back
		t = max(2*p.Travel+p.Wait-t, 0)
	}
	s := min(t/p.Travel, 1)
	return p.From.add(p.To.sub(p.From).times(float32(s * s * (3 - 2*s)))) // gently off and in
}

// The level, which nobody writes.
var (
	// Solids stand.
	Solids = [...]Solid{
		{Min: Vec{-14, -1, -10}, Max: Vec{14, 0, 10}},        // the meadow
		{Min: Vec{2, 0, -8}, Max: Vec{8, 3, -4}, Ramp: true}, // the way up
		{Min: Vec{8, 0, -8}, Max: Vec{14, 3, -1}},            // the terrace
		{Min: Vec{22, 1, -10}, Max: Vec{29, 3, -2}},          // the island
		{Min: Vec{23, 0, 1}, Max: Vec{28, 6.5, 6}},           // the tower
		{Min: Vec{-9, 0, -7}, Max: Vec{-7, 1.2, -5}},         // crates
		{Min: Vec{-11.5, 0, -7.5}, Max: Vec{-9, 2.4, -4.5}},  //
		{Min: Vec{-18, -1, 3}, Max: Vec{-15.5, 0, 6}},        // stepping stones
		{Min: Vec{-22, -0.5, 3}, Max: Vec{-19.5, 0.5, 6}},    //
		{Min: Vec{-1, 0, 6}, Max: Vec{1, 0.3, 8}},            // a step
		{Min: Vec{1, 0.3, 6}, Max: Vec{5, 2, 8}, Ramp: true}, // a bridge
		{Min: Vec{5, 1.5, 5}, Max: Vec{8, 2, 9}},             // and a roof to stand under
	}
	// Platforms move.
	Platforms = [...]Platform{
		{From: Vec{15.5, 3, -6}, To: Vec{20.5, 3, -6}, Half: 1.5, Travel: 4, Wait: 2},       // the ferry
		{From: Vec{25.5, 3, -0.5}, To: Vec{25.5, 6.5, -0.5}, Half: 1.5, Travel: 3, Wait: 2}, // the lift
		{From: Vec{21.5, 6.5, 3.5}, To: Vec{15.5, 0, 3.5}, Half: 1.5, Travel: 5, Wait: 2},   // the glider
	}
	// Coins hang there; the first is the bell.
	Coins = [...]Vec{
		{25.5, 7.5, 4.5}, {5, 2.3, -6}, {11, 4, -6}, {18, 4, -6}, {25.5, 4, -6}, {25.5, 5.5, -0.5}, {18.5, 4.2, 3.5},
		{11, 1, 3.5}, {-8, 2.2, -6}, {-10.2, 3.4, -6}, {-16.7, 1, 4.5}, {-20.7, 1.5, 4.5}, {6.5, 3, 7}, {0, 1, 0},
	}
	start = Vec{0, 0, 2}
)
