package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

func TestResimulatedCountsTicksThatWereComplete(t *testing.T) {
	p := ecs.NewProtocol("again/1")
	p.Simulate("nothing", func(*ecs.World) {})
	w := ecs.NewWorld(p, ecs.Config{})
	w.Spawn()
	for _, tick := range []uint32{0, 1, 2, 2, 3} { // a second run in the running tick is none
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	equal(t, "re-simulated ticks", w.Resimulated(), 0)
	for tick := uint32(1); tick <= 4; tick++ { // 3 was the running tick, 4 is new
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	equal(t, "re-simulated ticks", w.Resimulated(), 2)
}
