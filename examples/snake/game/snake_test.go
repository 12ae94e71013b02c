package game

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// pit is a world without any network.
type pit struct{ *ecs.World }

func newPit() *pit { return &pit{ecs.NewWorld(Protocol(), ecs.Config{})} }

// snake spawns one that looks along an angle, 65536 to the full turn.
func (p *pit) snake(x, y float32, turn uint16) ecs.Entity {
	s, b := newSnake(ecs.Rand{}, Snake{Length: hatch})
	s.X, s.Y, s.Turn = x, y, turn
	return p.Spawn(components.Owner{Client: 1}, s, b, components.Teleports{}, Input{})
}

func (p *pit) step(ticks int) { systemstest.Step(p.World, ticks) }

func (p *pit) at(e ecs.Entity) *Snake { return ecs.Get[Snake](p.World, e) }

// spots returns the number of existing spots of a body at a tick.
func (p *pit) spots(e ecs.Entity, tick uint32) (n int) {
	for {
		if _, _, ok := ecs.Get[Body](p.World, e).Nth(n, p.at(e), tick); !ok {
			return n
		}
		n++
	}
}

// In a second a snake moves speed units straight on. Turning long enough brings it back to its start in a circle.
func TestGlide(t *testing.T) {
	p := newPit()
	e := p.snake(20, 32, 0)
	p.step(60)
	if s := p.at(e); math.Abs(float64(s.X-20-speed)) > 0.01 || math.Abs(float64(s.Y-32)) > 0.01 {
		t.Errorf("after a second it is at %v %v", s.X, s.Y)
	}
	ecs.Get[Input](p.World, e).Turn = 1
	p.step(67) // 0.9 of a turn a second
	if s := p.at(e); far(s, 20+speed, 32) > 0.3*0.3 {
		t.Errorf("after a circle it is at %v %v", s.X, s.Y)
	}
}

// A body has as many spots as the snake is long, along the path of the head. With an old state of the body, a client knows
// which spots are gone.
func TestBody(t *testing.T) {
	p := newPit()
	e := p.snake(20, 32, 0)
	p.step(20 * Spacing)
	for n := range hatch {
		x, y, ok := ecs.Get[Body](p.World, e).Nth(n, p.at(e), p.Tick()-1)
		if back := p.at(e).X - x; !ok || y != 32 || back < float32(n)*1.4 || back > float32(n+1)*1.6 {
			t.Errorf("spot %d lies %v behind the head, %v %v", n, back, y, ok)
		}
	}
	if now, soon := p.spots(e, p.Tick()-1), p.spots(e, p.Tick()-1+2*Spacing); now != hatch || soon != hatch-2 {
		t.Errorf("%d spots, %d when the state is two spots old", now, soon)
	}
}

// A snake that runs into a body dies, in any storage order. If two run into each other, both die. The wall kills too. A snake
// that kills grows.
func TestCrash(t *testing.T) {
	for seed := range uint64(4) {
		p := newPit()
		long := p.snake(20, 32, 0)
		first := p.snake(20, 50, 0)
		p.snake(20, 51.3, 0)
		p.step(4 * Spacing)
		between := p.snake(p.at(first).X+4, 50.65, 32768)
		x := p.at(long).X
		cut := p.snake(x-2, 27, 16384)
		a, b := p.snake(60, 10, 0), p.snake(70, 10, 32768)
		wall := p.snake(SizeX-4, 50, 0)
		p.Shuffle(seed)
		p.step(40)
		died := func(e ecs.Entity, by ecs.Entity) bool { return p.at(e).Dead > 0 && p.at(e).By == p.NetID(by) }
		if !died(cut, long) || p.at(long).Dead > 0 || p.at(long).Kills != 1 || p.at(long).Length != hatch+2 {
			t.Errorf("seed %d: cut %+v, long %+v", seed, *p.at(cut), *p.at(long))
		}
		if !died(between, first) {
			t.Errorf("seed %d: between two: %+v", seed, *p.at(between))
		}
		if !died(a, b) || !died(b, a) || p.at(a).Dead != p.at(b).Dead {
			t.Errorf("seed %d: head on: %+v, %+v", seed, *p.at(a), *p.at(b))
		}
		if p.at(wall).Dead == 0 || p.at(wall).By != 0 {
			t.Errorf("seed %d: wall: %+v", seed, *p.at(wall))
		}
	}
}

// The dead are harmless, come back small somewhere else, and no earlier than any input can change.
func TestAway(t *testing.T) {
	if Away <= Window.Seconds() {
		t.Errorf("a snake is away for %v s, and history is rewritten for %v", Away, Window)
	}
	p := newPit()
	dead := p.snake(SizeX-12, 32, 0)
	p.at(dead).Length = 20
	for p.at(dead).Dead == 0 && p.Tick() < 200 {
		p.step(1)
	}
	other := p.snake(SizeX-4, 30, 16384)
	p.step(15)
	if p.spots(dead, p.Tick()) == 0 || p.at(other).Dead > 0 {
		t.Errorf("the dead killed %+v", *p.at(other))
	}
	p.step(int(Away*60) - 19)
	if p.at(dead).Dead == 0 {
		t.Errorf("too early: %+v", *p.at(dead))
	}
	p.step(4)
	if s := p.at(dead); s.Dead > 0 || s.Length != hatch || p.spots(dead, p.Tick()) != 0 {
		t.Errorf("it came back as %+v with %d spots", *s, p.spots(dead, p.Tick()))
	}
}

// Food makes one spot longer, and lies elsewhere then.
func TestFood(t *testing.T) {
	p := newPit()
	e := p.snake(20, 32, 0)
	f := p.Spawn(Food{X: 25, Y: 32})
	p.step(60)
	if s := p.at(e); s.Length != hatch+1 || *ecs.Get[Food](p.World, f) == (Food{X: 25, Y: 32}) {
		t.Errorf("%+v, food at %+v", *s, *ecs.Get[Food](p.World, f))
	}
}
