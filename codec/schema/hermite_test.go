package schema

import (
	"math"
	"math/rand/v2"
	"testing"
)

type track struct {
	X    float32 `net:"-100..100 step 0.01 axis x"`
	Y    int16   `net:"-1000..1000 step 1 axis y"`
	Look float32 `net:"degrees 0.5"`
}

type speeds struct {
	X float32 `net:"-50..50 step 0.01 rate x"`
	Y float32 `net:"-50..50 step 0.01 rate y"`
}

// A thrown ball moves on a parabola. The cubic curve between any two of its states follows it.
func TestHermiteFollowsAParabola(t *testing.T) {
	place, speed := compile[track](t, nil), compile[speeds](t, nil)
	at0 := func(s float64) (track, speeds) {
		return track{X: float32(30*s - 5*s*s), Look: float32(s)}, speeds{X: float32(30 - 10*s)}
	}
	a, va := at0(0)
	b, vb := at0(1.5)
	for f := 0.0; f <= 1; f += 1.0 / 64 {
		want, _ := at0(1.5 * f)
		var got track
		place.Hermite(at(&got), at(&a), at(&b), speed, at(&va), at(&vb), 1.5, f)
		if math.Abs(float64(got.X-want.X)) > 1e-4 || math.Abs(float64(got.Look-want.Look)) > 1e-4 {
			t.Errorf("at %v: %+v, want %+v", f, got, want)
		}
	}
}

// With any speeds, a curve stays between its ends and never turns back. dst may be one of the ends.
func TestHermiteNeverTurnsBack(t *testing.T) {
	place, speed := compile[track](t, nil), compile[speeds](t, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a := track{X: float32(rng.NormFloat64() * 30), Y: int16(rng.IntN(2000) - 1000)}
		b := track{X: float32(rng.NormFloat64() * 30), Y: int16(rng.IntN(2000) - 1000)}
		va := speeds{float32(rng.NormFloat64() * 50), float32(rng.NormFloat64() * 50)}
		vb := speeds{float32(rng.NormFloat64() * 50), float32(rng.NormFloat64() * 50)}
		last, seconds := a, 2*rng.Float64()
		for f := 1.0 / 32; f <= 1; f += 1.0 / 32 {
			got := a
			place.Hermite(at(&got), at(&got), at(&b), speed, at(&va), at(&vb), seconds, f)
			back := func(a, b, last, now float64) bool {
				return (now-last)*(b-a) < -1e-6 || now < min(a, b)-1e-6 || now > max(a, b)+1e-6
			}
			if back(float64(a.X), float64(b.X), float64(last.X), float64(got.X)) || back(float64(a.Y), float64(b.Y), float64(last.Y), float64(got.Y)) {
				t.Fatalf("from %+v to %+v: %+v after %+v", a, b, got, last)
			}
			last = got
		}
		if last != b {
			t.Fatalf("ends at %+v, not %+v", last, b)
		}
	}
}

func TestAdvance(t *testing.T) {
	place, speed := compile[track](t, nil), compile[speeds](t, nil)
	a, v := track{X: 95, Y: 3, Look: 1}, speeds{20, -5}
	place.Advance(at(&a), speed, at(&v), 0.5)
	if a != (track{X: 100, Y: 1, Look: 1}) { // 0.5 rounds up, the range ends at 100
		t.Errorf("%+v", a)
	}
	if !place.Rates(speed) || speed.Rates(place) || place.Rates(place) {
		t.Error("which has rates for which")
	}
}
