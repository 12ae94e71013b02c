package game

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The open door lets a player through, the closed one stops it at the door's
// face, and opening lets it go on.
func TestDoorBlocksWhileClosed(t *testing.T) {
	y := newYard()
	d := &level(y.World).Door
	if d.Closed(0) || d.Closed(d.Open-1) || !d.Closed(d.Open) || !d.Closed(d.Open+d.Shut-1) || d.Closed(d.Open+d.Shut) {
		t.Fatal("the door is not first open, then closed, and open again")
	}
	start := Point{d.X0 - 100, doorY}
	p := y.player(1, start.X, start.Y)
	y.press(p, 1, 0)

	y.skip(d.Open)
	y.step(int(d.Shut) - 1)
	samePlace(t, y.at(p), Point{d.X0 - Width/2, doorY}, 0.01, "the player at the closed door")
	y.step(60)
	if got := y.at(p); got.X < d.X1+Width/2 {
		t.Errorf("a second after the door opened the player is at %v", got)
	}
}

// A closing door leaves no player inside it: it moves the player to one side, left or right of its middle.
func TestDoorClosesOnPlayer(t *testing.T) {
	for _, right := range []bool{false, true} {
		y := newYard()
		d := &level(y.World).Door
		x, want := float32(wallX-1), d.X0-Width/2
		if right {
			x, want = wallX+1, d.X1+Width/2
		}
		p := y.player(1, x, doorY)
		y.skip(d.Open - 1)
		y.step(1)
		samePlace(t, y.at(p), Point{want, doorY}, 0.01, "the player")
	}
}

// Walls hold against walking and pushing from any side, corners included.
func TestWallsHold(t *testing.T) {
	y := newYard()
	y.skip(level(y.World).Door.Open)
	n := uint32(0)
	for i := range 20 {
		for side := range 2 {
			n++
			x := float32(wallX - 60 + 120*side)
			p := y.player(n, x, float32(40*i))
			y.press(p, int8(1-2*side), int8(i%3-1))
		}
	}
	for range 100 {
		y.skip(level(y.World).Door.Open)
		y.step(1)
		for e, p := range allPlaces(y) {
			client := ecs.Get[components.Owner](y.World, e).Client
			if left := p.X < wallX; left != (client%2 == 1) {
				t.Fatalf("player %d went through the wall to %v", client, p)
			}
			if p.X < Width/2 || p.X > SizeX-Width/2 || p.Y < Width/2 || p.Y > SizeY-Width/2 {
				t.Fatalf("player left the yard to %v", p)
			}
			if d := abs(p.X - wallX); d < wallHalf+Width/2-0.01 {
				t.Fatalf("player stands in the wall at %v", p)
			}
		}
	}
}

func at(x, y float32) components.Position { return components.Position{X: x, Y: y} }
