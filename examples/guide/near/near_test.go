package near

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// All peers agree about what is near, under every model.
func TestWolvesHunt(t *testing.T) {
	for _, model := range policy.Presets() {
		t.Run(model.String(), func(t *testing.T) {
			crowd := systemstest.New(t, systemstest.Config{
				Protocol: Protocol,
				Populate: Populate,
				Server:   systems.ServerConfig{Model: model},
				Play: systemstest.Play(func(c *systemstest.Client, in *Move) {
					in.DX, in.DY = int8(c.Rand().IntN(3)-1), int8(c.Rand().IntN(3)-1)
				}),
				Clients: 4,
				Link:    systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
				Seed:    1,
			})
			crowd.Connect()
			crowd.Run(10 * time.Second)
			crowd.Settle()
			crowd.Converged()
			caught := 0
			for _, s := range ecs.All[struct{ Sheep Sheep }](crowd.Server.World()) {
				caught += int(s.Sheep.Caught)
			}
			if caught == 0 {
				t.Error("no wolf has reached a sheep")
			}
		})
	}
}

// The grid finds what a look at all sheep finds, also at edges and outside, and among equals; filling it allocates nothing.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	w := ecs.NewWorld(Protocol(), ecs.Config{})
	place := func() Place { return Place{float32(r.IntN(150)*8 - 600), float32(r.IntN(150)*8 - 600)} }
	all := map[components.NetID]Place{}
	for range 300 {
		at := place()
		all[w.NetID(w.Spawn(at, Sheep{}))] = at
	}
	fill(w)
	g := ecs.Resource[Grid](w)
	for range 2000 {
		at, radius := place(), float32(r.IntN(200))
		var want components.NetID
		most := radius * radius
		for id, p := range all {
			if d := (p.X-at.X)*(p.X-at.X) + (p.Y-at.Y)*(p.Y-at.Y); d < most || d == most && want != 0 && id < want {
				want, most = id, d
			}
		}
		if got, _ := g.nearest(at, radius); got.id != want {
			t.Fatalf("near %v within %v is %d, want %d", at, radius, got.id, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { fill(w) }); n > 0 {
		t.Errorf("filling the grid allocates %v times", n)
	}
}
