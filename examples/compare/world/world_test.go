package world

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// world returns a crowded yard in which everybody walks and shoots about.
func world(j *Journal) (w *ecs.World, tick func()) {
	r := Rules{Gusts: 30, Harm: 50, Side: 100}
	w = ecs.NewWorld(Protocol(r, j), ecs.Config{Seed: 3})
	for client := range uint32(8) {
		r.join(w, client+1, nil)
	}
	return w, func() {
		w.Netcode().SetTick(w.Tick() + 1)
		for e, p := range ecs.All[Player](w) {
			draw := ecs.NewRand(uint64(p.Owner.Client), uint64(w.Tick()/9))
			*ecs.Get[Input](w, e) = Input{
				DX: int8(draw.IntN(3) - 1), DY: int8(draw.IntN(3) - 1), Aim: uint16(draw.IntN(360)), Fire: w.Tick()%9 == 0,
			}
		}
		w.Netcode().SimulateStage().Run(w)
		w.Protocol().AuthorityStage().Run(w)
	}
}

// A repeated tick with another storage order has the same result.
func TestNothingDependsOnTheOrder(t *testing.T) {
	w, tick := world(nil)
	w.ForceRollback(func(d ecs.Divergence) { t.Errorf("%v", d) })
	for range 600 {
		tick()
	}
}

func TestWhatHappensInTheYard(t *testing.T) {
	j := &Journal{}
	w, tick := world(j)
	fallen, bumps := 0, 0
	for range 1200 {
		tick()
		for _, p := range ecs.All[Player](w) {
			if p.Life.Down == down {
				fallen++
			}
			if length(p.Vel.X, p.Vel.Y) > Speed+1 {
				bumps++
			}
			at, ok := j.Place(w.Tick(), p.Owner.Client)
			if !ok || at != p.Pos {
				t.Fatalf("tick %d: the journal says %v, %v of client %d, who is at %v", w.Tick(), at, ok, p.Owner.Client, p.Pos)
			}
		}
	}
	if fallen < 10 || bumps < 100 {
		t.Errorf("%d fell, in %d ticks somebody was thrown", fallen, bumps)
	}
	if _, ok := j.Place(w.Tick()+1, 1); ok {
		t.Error("the journal knows the future")
	}
	if _, ok := Find(w, 9); ok {
		t.Error("a client plays that has not joined")
	}
}

// A shot hits the first player in its line. Players who fall in the same tick still hit.
func TestShots(t *testing.T) {
	w := ecs.NewWorld(Protocol(Rules{Harm: 100}, nil), ecs.Config{})
	at := func(client uint32, x float32, aim uint16) ecs.Entity {
		return w.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: 100}, components.Velocity{}, Gun{},
			Life{Points: 100}, Input{Aim: aim, Fire: true})
	}
	west, middle, east := at(1, 100, 0), at(2, 200, 180), at(3, 300, 90)
	w.Netcode().SimulateStage().Run(w)
	w.Protocol().AuthorityStage().Run(w)
	for _, c := range []struct {
		who  ecs.Entity
		down uint16
	}{{west, down}, {middle, down}, {east, 0}} {
		if got := ecs.Get[Life](w, c.who).Down; got != c.down {
			t.Errorf("%v is down for %d ticks, want %d", c.who, got, c.down)
		}
	}
	if by, want := ecs.Get[Life](w, west).By, w.NetID(middle); by != want {
		t.Errorf("shot by %v, want %v", by, want)
	}
}
