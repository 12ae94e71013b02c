package ecs_test

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

type aim struct {
	Yaw uint16 `net:"0..359 angle"`
}

// What a client writes is no state of the simulation: it cannot be predicted, is no
// singleton, and peers must agree on it.
func TestClientOwnedIsApartFromTheSimulation(t *testing.T) {
	p := ecs.NewProtocol("p")
	refused(t, func() { ecs.Replicate[aim](p, ecs.ClientOwned|ecs.Predicted) }, "aim", "cannot be ClientOwned")
	refused(t, func() { ecs.Singleton[aim](p, ecs.ClientOwned) }, "aim", "no owner")
	refused(t, func() { ecs.Local[aim](p, ecs.ClientOwned) }, "aim", "local")
	ecs.Replicate[aim](p, ecs.ClientOwned|ecs.Interpolated|ecs.OwnerOnly)
	if line := p.Lines()[len(p.Lines())-1]; !strings.Contains(line, "owner-only client-owned ") {
		t.Error(line)
	}
	w := ecs.NewWorld(p, ecs.Config{})
	e := w.Spawn(aim{Yaw: 5})
	h := ecs.NewWorldHistory(w, 4)
	h.Capture(1)
	past, err := h.At(1)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "past", func() uint16 { v, _ := ecs.GetAt[aim](past, e); return v.Yaw }(), 5)
	equal(t, "present", ecs.Get[aim](w, e).Yaw, 5)

	p = ecs.NewProtocol("q")
	ecs.Replicate[aim](p, ecs.ClientOwned)
	p.Simulate("peek", func(w *ecs.World) {
		for range ecs.Chunks[struct{ Aim []aim }](w) {
			break
		}
	})
	w = ecs.NewWorld(p, ecs.Config{})
	w.Spawn(aim{})
	refused(t, func() { w.Netcode().SimulateStage().Run(w) }, "Simulate reads aim")
	for range ecs.Each[struct{ Aim *aim }](w) { // a run that panicked is over
		break
	}
}
