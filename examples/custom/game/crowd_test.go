package game

import (
	"iter"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// allPlaces walks the players.
func allPlaces(y *yard) iter.Seq2[ecs.Entity, Point] {
	return func(yield func(ecs.Entity, Point) bool) {
		for e, p := range ecs.All[struct {
			Pos   components.Position
			Owner components.Owner
		}](y.World) {
			if !yield(e, Point(p.Pos)) {
				return
			}
		}
	}
}

// Two overlapping players push each other equally far in opposite directions, along the line between them, and no faster than
// PushSpeed.
func TestPushIsSymmetric(t *testing.T) {
	for _, off := range []Point{{10, 0}, {-7, 21}, {0, -39}, {0, 0}, {0.001, 0}} {
		y := newYard()
		a0 := Point{300, 400}
		b0 := Point{a0.X + off.X, a0.Y + off.Y}
		a, b := y.player(1, a0.X, a0.Y), y.player(2, b0.X, b0.Y)
		y.step(1)
		da := Point{y.at(a).X - a0.X, y.at(a).Y - a0.Y}
		db := Point{y.at(b).X - b0.X, y.at(b).Y - b0.Y}
		samePlace(t, db, Point{-da.X, -da.Y}, 1e-4, "the other's step")
		if d := length(da.X, da.Y); d == 0 || d > PushSpeed*y.Step()+1e-4 {
			t.Errorf("%v apart: a step of %v, want more than 0 and at most %v", off, d, PushSpeed*y.Step())
		}
		if cross := da.X*off.Y - da.Y*off.X; !near(cross, 0, 1e-2) {
			t.Errorf("%v apart: pushed by %v, which is not in line", off, da)
		}
	}
}

// Two overlapping players who stand still are pushed apart, and then no further.
func TestPushEnds(t *testing.T) {
	y := newYard()
	a, b := y.player(1, 450, 400), y.player(2, 460, 405)
	y.step(600)
	pa, pb := y.at(a), y.at(b)
	if d := length(pa.X-pb.X, pa.Y-pb.Y); d < Width-0.1 || d > Width {
		t.Errorf("they came to rest %v apart, want %v", d, Width)
	}
}

// A player who walks into another pushes it along and does not pass through.
func TestWalkerPushesAnother(t *testing.T) {
	y := newYard()
	a, b := y.player(1, 100, 400), y.player(2, 100+Width, 400)
	y.press(a, 1, 0)
	y.step(120)
	pa, pb := y.at(a), y.at(b)
	if pb.X < 200 || pa.X > pb.X-1 {
		t.Errorf("after two seconds the walker is at %v, the pushed one at %v", pa, pb)
	}
}

// A crowd pushes no harder than one.
func TestPushIsBounded(t *testing.T) {
	y := newYard()
	p := y.player(1, 300, 400)
	for i := range uint32(10) {
		y.player(2+i, 299, 400)
	}
	y.step(1)
	if d := y.at(p).X - 300; !near(d, PushSpeed*y.Step(), 1e-3) {
		t.Errorf("ten push by %v a step, want %v", d, PushSpeed*y.Step())
	}
}

// The storage order does not change a bit of the result: neither the places of a pushing crowd, nor who gets power-ups that
// several players reach for.
func TestOrderDoesNotMatter(t *testing.T) {
	run := func(shuffle bool) uint64 {
		y := newYard()
		Populate(y.World, 50)
		for i := range uint32(30) {
			p := y.player(1+i, 280+17*float32(i%6), 380+13*float32(i/6))
			y.press(p, int8(i%3)-1, int8(i/3%3)-1)
		}
		for i := range 400 {
			if shuffle {
				y.Shuffle(uint64(i))
			}
			y.step(1)
			if i%100 == 99 {
				for e := range allPlaces(y) {
					in := ecs.Get[Input](y.World, e)
					y.press(e, in.DY, -in.DX)
				}
			}
		}
		return y.Hash()
	}
	if a, b := run(false), run(true); a != b {
		t.Errorf("in storage order %x, shuffled %x", a, b)
	}
}
