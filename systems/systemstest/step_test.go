package systemstest_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// press is an input with a key that is pressed and one that is held.
type press struct {
	Jump bool `net:"edge"`
	Run  bool
}

// diary holds the records of rules.
type diary struct {
	Jumps, Runs int32  `net:"raw"`
	Simulated   uint32 `net:"raw"` // ticks whose numbers were added up
	Decided     uint32 `net:"raw"`
	Drawn       uint32 `net:"raw"`
}

func diaries() *ecs.Protocol {
	type row struct {
		In *press
		D  *diary
	}
	p := ecs.NewProtocol("diaries/1")
	ecs.Replicate[diary](p, ecs.Predicted)
	ecs.Input[press](p)
	p.Simulate("note", func(w *ecs.World) {
		for e, r := range ecs.Each[row](w) {
			if r.D.Simulated += w.Tick(); r.In.Jump {
				r.D.Jumps++
			}
			if r.In.Run {
				r.D.Runs++
			}
			draw := w.Rand(e)
			r.D.Drawn ^= uint32(draw.Uint64())
		}
	})
	p.Authority("decide", func(w *ecs.World) {
		for _, r := range ecs.Each[row](w) {
			r.D.Decided += w.Tick()
		}
	})
	return p
}

// A world that is stepped manually behaves like a server's: tick by tick, with the same clock and random numbers. A press
// counts once, and a held key stays.
func TestStep(t *testing.T) {
	populate := func(w *ecs.World) { w.Spawn(components.Owner{Client: 9}, diary{}, press{}) }
	c := systemstest.New(t, systemstest.Config{Protocol: diaries, Populate: populate})
	w := ecs.NewWorld(diaries(), ecs.Config{Seed: c.Server.World().Seed()})
	populate(w)
	first := c.Server.Tick()
	w.Netcode().SetTick(first)
	c.RunTicks(40)
	systemstest.Step(w, int(c.Server.Tick()-first))
	if got, want := one(t, w), one(t, c.Server.World()); got.Simulated != want.Simulated || got.Decided != want.Decided || want.Decided == 0 {
		t.Errorf("stepped %+v, the server %+v", got, want)
	}
	if w.Tick() != c.Server.Tick() {
		t.Errorf("tick %d comes next, on the server %d", w.Tick(), c.Server.Tick())
	}
	before := one(t, w)
	for e := range ecs.All[struct{ D diary }](w) {
		*ecs.Get[press](w, e) = press{Jump: true, Run: true}
	}
	systemstest.Step(w, 3)
	if d := one(t, w); d.Jumps != 1 || d.Runs != 3 || d.Drawn == before.Drawn {
		t.Errorf("after three ticks %+v, before %+v", d, before)
	}
}

// one returns the diary of a world.
func one(t *testing.T, w *ecs.World) diary {
	for _, r := range ecs.All[struct{ D diary }](w) {
		return r.D
	}
	t.Fatal("there is none")
	return diary{}
}
