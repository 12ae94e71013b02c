package main

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
)

// One client walks right, and another one watches over real UDP. It draws the walker between confirmed states, and never
// moving back.
func TestOneClientSeesTheOthersMove(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := wire.LocalAddr().String()
	served := make(chan error, 1)
	go func() { served <- systems.Serve(ctx, wire, Dots(), systems.ServerConfig{}) }()

	var walker atomic.Uint32
	played := make(chan error, 2)
	go func() {
		played <- play(ctx, addr, func(_ *systems.Client, in *Move) { in.DX = 1 }, func(c *systems.Client) { walker.Store(c.ID()) })
	}()
	const far = 50 // units, one a tick
	var farthest float32
	between := 0 // frames in which it was drawn where it is in no tick
	stand := func(*systems.Client, *Move) {}
	go func() {
		played <- play(ctx, addr, stand, func(c *systems.Client) {
			for _, d := range ecs.All[seen](c.View()) {
				switch {
				case d.Owner.Client == c.ID() && (d.Pos.X != 0 || d.Pos.Y != 0):
					t.Errorf("the client that stands still sees itself at %v", d.Pos)
				case d.Owner.Client == c.ID() || d.Owner.Client != walker.Load():
				case d.Pos.X < farthest || d.Pos.Y != 0:
					t.Errorf("the walker goes right only, and is drawn at %v after %v", d.Pos, farthest)
				default:
					farthest = d.Pos.X
					if _, part := math.Modf(float64(d.Pos.X)); part != 0 {
						between++
					}
				}
			}
			if farthest >= far && between >= 10 {
				cancel()
			}
		})
	}()
	for range 2 {
		if err := <-played; err != nil {
			t.Error(err)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if farthest < far {
		t.Errorf("the other client was seen at %v, and never at %d", farthest, far)
	}
	if between < 10 {
		t.Errorf("the other client was drawn between two ticks %d times only: it jumps", between)
	}
}

// Peers compare protocols by hash.
func TestProtocolIsBuiltAlike(t *testing.T) {
	if a, b := Dots().Hash(), Dots().Hash(); a != b {
		t.Errorf("two builds of the protocol differ: %x and %x", a, b)
	}
}
