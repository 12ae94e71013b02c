package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

type fine struct {
	X float32 `net:"-100..100 step 0.25"`
}

func TestQuantizeStepsRoundsWhatWasSimulated(t *testing.T) {
	for _, quantized := range []bool{false, true} {
		p := ecs.NewProtocol("quantized/1")
		ecs.Replicate[fine](p, ecs.Predicted)
		if quantized {
			p.QuantizeSteps()
		}
		p.Simulate("creep", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ F *fine }](w) {
				r.F.X += 0.2
			}
		})
		w := ecs.NewWorld(p, ecs.Config{})
		e := w.Spawn(fine{})
		w.Netcode().SimulateStage().Run(w)
		want := float32(0.2)
		if quantized {
			want = 0.25
		}
		equal(t, "X after a step", ecs.Get[fine](w, e).X, want)
	}
}

func TestQuantizeStepsIsPartOfTheProtocol(t *testing.T) {
	build := func(quantized bool) *ecs.Protocol {
		p := ecs.NewProtocol("quantized/2")
		if quantized {
			p.QuantizeSteps()
		}
		return p
	}
	if build(true).Hash() == build(false).Hash() {
		t.Error("peers with and without quantized steps take each other for alike")
	}
	p := build(false)
	ecs.NewWorld(p, ecs.Config{})
	refused(t, p.QuantizeSteps, "put to use")
}
