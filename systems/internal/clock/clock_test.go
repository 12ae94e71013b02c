package clock

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client that starts at any tick reaches the server's tick and stays there, over a link that delays messages by 4 to 16
// ticks and loses a third.
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

// The reserve follows the formula of rule C3, with the loss clamped to 50 %, and is at least 1.
func TestReserve(t *testing.T) {
	for _, c := range []struct {
		loss float64
		want int32
	}{{0, 1}, {0.001, 1}, {0.005, 2}, {0.01, 2}, {0.02, 3}, {0.05, 4}, {0.1, 5}, {0.25, 10}, {0.5, 22}, {0.9, 22}, {1, 22}} {
		if got := Reserve(c.loss); got != c.want {
			t.Errorf("Reserve(%v) is %d, not %d", c.loss, got, c.want)
		}
	}
	for p := 0.001; p <= 0.5; p += 0.001 {
		// R+2 losses in a row are rarer than one in 10⁷, one fewer than R+1 is not,
		// above the floor of 1.
		r := float64(Reserve(p))
		if math.Pow(p, r+2) > 1e-7*(1+1e-9) || r > 1 && math.Pow(p, r+1) <= 1e-7 {
			t.Errorf("Reserve(%v) is %v", p, r)
		}
	}
}

// The client executes requested clock shifts at no more than 2 % of its rate, and reports them.
func TestSteering(t *testing.T) {
	for _, ticks := range []int16{0, 1, 7, -1, -12} {
		var c Steering
		c.Ask(ticks * wire.ShiftUnit)
		passed := 0.0 // of real time, in ticks
		for range 60 * 60 {
			rate := c.Rate()
			if rate < 1-MaxSteer || rate > 1+MaxSteer {
				t.Fatalf("a rate of %v", rate)
			}
			passed += 1 / rate
		}
		if ahead := 60*60 - passed; math.Abs(ahead-float64(ticks)) > MaxSteer {
			t.Errorf("asked %d ticks ahead, came %v", ticks, ahead)
		}
		if got := c.Done(); got < ticks*wire.ShiftUnit-1 || got > ticks*wire.ShiftUnit+1 {
			t.Errorf("asked %d units, reported %d", ticks*wire.ShiftUnit, got)
		}
	}
}
