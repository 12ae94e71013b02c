package clock

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A client that began anywhere comes to the server's tick and stays there, over a link that delays
// each message by 4 to 16 ticks and loses a third.
func TestClockFindsTheServersTick(t *testing.T) {
	for _, begin := range []float64{-200, -8, 0, 5, 150} {
		r := rand.New(rand.NewPCG(1, 2))
		var c Server
		next, acc := 1000+begin, 0.0
		arrivals := map[int][]uint32{}
		worst := 0.0
		for frame := range 2000 {
			server := uint32(1000 + frame)
			if r.IntN(3) > 0 {
				at := frame + 4 + r.IntN(13)
				arrivals[at] = append(arrivals[at], server)
			}
			for _, tick := range arrivals[frame] {
				c.Heard(float64(frame), tick, float64(8+r.IntN(25)))
			}
			acc += c.Rate(float64(frame), uint32(max(next, 0)), 4)
			n := math.Floor(acc)
			acc -= n
			next += n
			if frame > 600 {
				worst = max(worst, math.Abs(next-float64(server)))
			}
		}
		if worst > 3 {
			t.Errorf("from %v: %v ticks away at worst", begin, worst)
		}
	}
}

func TestClockForgetsWhatCannotBe(t *testing.T) {
	var c Server
	if _, ok := c.Target(1); ok || c.Rate(1, 5, 4) != 1 {
		t.Error("it knows before it has heard")
	}
	for frame := range 1000 {
		tick := uint32(500 + frame - 5)
		if frame == 300 {
			tick += 400
		}
		c.Heard(float64(frame), tick, 10)
	}
	if got, _ := c.Target(999); got != 1499 {
		t.Errorf("the server's tick: %v, want 1499", got)
	}
}
