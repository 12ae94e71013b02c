package game

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// A correction moves the player at once and the camera gradually, at any frame rate.
func TestCameraMakesUpForCorrections(t *testing.T) {
	after := func(ticksPerFrame int) (x float32) {
		w := newYard()
		p := w.player(1, 450, 400)
		follow(w.World)
		recall(w.World)
		*ecs.Get[components.Position](w.World, p) = at(460, 400)
		jolt(w.World)
		cam := ecs.Resource[Camera](w.World)
		if follow(w.World); cam.X != 450 || cam.Jolts != 1 {
			t.Errorf("right after the correction the camera is at %v after %d jolts", cam.X, cam.Jolts)
		}
		for tick := 0; tick <= 12; tick += ticksPerFrame {
			w.Netcode().SetTick(uint32(tick))
			follow(w.World)
		}
		return cam.X
	}
	each, fourth := after(1), after(4)
	if each <= 452 || each >= 460 || each != fourth {
		t.Errorf("12 ticks later the camera is at %v, with a frame every fourth tick at %v", each, fourth)
	}
}

// The game's systems stand where the stages' comments say.
func TestSchedules(t *testing.T) {
	c := play(t, 1, 1, nil)
	for _, want := range []struct {
		schedule *ecs.Schedule
		stage    string
		names    []string
	}{
		{c.Server.Schedule(), "Before", []string{"Receive", "Census", "OnTick"}},
		{c.Server.Schedule(), "Simulate", []string{"look", "carry", "walk", "push", "stop", "board", "wear", "take"}},
		{c.Server.Schedule(), "Authority", []string{"grant"}},
		{c.Server.Schedule(), "After", []string{"Rank", "Snapshot", "Send"}},
		{c.Clients[0].Schedule(), "Before", []string{"Receive", "Recall", "Reconcile", "Jolt", "OnTick"}},
		{c.Clients[0].Schedule(), "Simulate", []string{"look", "carry", "walk", "push", "stop", "board", "wear", "take", "Keep"}},
		{c.Clients[0].Schedule(), "Render", []string{"Interpolate", "Follow"}},
	} {
		names := want.schedule.Names()
		from := slices.Index(names, want.stage) + 1
		if got := names[from:min(from+len(want.names), len(names))]; !slices.Equal(got, want.names) {
			t.Errorf("after %s come %v, want %v, in\n%v", want.stage, got, want.names, want.schedule)
		}
	}
}
