package systems_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Gun counts its shots; one that is jammed, which the server decides, fires none.
type Gun struct {
	Shots  uint16 `net:"0..65535"`
	Jammed uint8  `net:"0..1"`
}

// Fuse is how many ticks a bullet has left, which of the gun's shots it is, and
// whether the server gave it more time, as no client can foresee.
type Fuse struct {
	Left    uint8  `net:"0..255"`
	Shot    uint16 `net:"0..65535"`
	Rescued uint8  `net:"0..1"`
}

type gunner struct {
	Owner *components.Owner
	At    *components.Position
	Gun   *Gun
	In    *Walk
}

type flying struct {
	At   *components.Position
	Fuse *Fuse
}

type bullet struct {
	Owner components.Owner
	At    components.Position
	Fuse  Fuse
}

// gallery is the field in which who presses shoots, and every second bullet lives longer than a
// round trip.
func gallery(seed uint64, clients int, jams bool, more ...part) systemstest.Config {
	config := onField(seed, clients, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.05))
	config.Populate = nil
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Smoothing: interpolate.Smoothing{Off: true}}
	}
	parts := []part{comes(joinWith(Gun{})), predicted[Gun], predicted[Fuse], simulate("fly", func(w *ecs.World) {
		for e, b := range ecs.Each[flying](w) {
			b.At.Y += 2
			if b.Fuse.Left--; b.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
	}), simulate("fire", func(w *ecs.World) {
		for _, g := range ecs.Each[gunner](w) {
			if !g.In.Jump || g.Gun.Jammed > 0 {
				continue
			}
			g.Gun.Shots++
			ecs.Spawn(w, bullet{*g.Owner, *g.At, Fuse{8 + 40*uint8(g.Gun.Shots%2), g.Gun.Shots, 0}})
		}
	})}
	jam := authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Gun *Gun }](w) {
			if draw := w.Rand(e); draw.IntN(30) == 0 {
				r.Gun.Jammed ^= 1
			}
		}
		for e, b := range ecs.Each[flying](w) {
			if draw := w.Rand(e); b.Fuse.Left < 4 && b.Fuse.Rescued == 0 && draw.IntN(12) == 0 {
				b.Fuse.Left, b.Fuse.Rescued = 250, 1
			}
		}
	})
	if jams {
		parts = append(parts, jam)
	}
	config.Protocol = fieldOf(append(parts, more...)...)
	return config
}

// A bullet shows in the tick of the input that fires it, once, unless the gun is jammed as far as
// its player knows; whatever was mispredicted, nothing waits for an answer when all is over. That
// it is confirmed or denied does not depend on whether own state travels.
func TestDecision4_PredictedBullets(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Preset{policy.LocalSync, policy.CorrectOnMismatch} {
		for _, jams := range []bool{false, true} {
			t.Run(fmt.Sprint(model, ", jams=", jams), func(t *testing.T) {
				systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) { shootOut(t, seed, jams, model) })
			})
		}
	}
}

func shootOut(t *testing.T, seed uint64, jams bool, model policy.Preset) {
	pressed := map[[2]uint32]bool{} // by client and input
	config := gallery(seed, 3, jams)
	config.Server.Policies = model.Policies()
	config.Play = systemstest.Play(func(c *systemstest.Client, in *Walk) {
		in.DX = int8(c.Rand().IntN(3) - 1)
		in.Jump = c.Rand().IntN(6) == 0
		pressed[[2]uint32{c.ID(), c.Input()}] = in.Jump
	})
	c := systemstest.New(t, config)
	shown := 0
	c.OnClientTick(func(k *systemstest.Client) {
		w, fired, shots := k.World(), false, map[uint16]bool{}
		for e, b := range ecs.All[struct{ Fuse Fuse }](w) {
			key := ecs.Get[ecs.SpawnKey](w, e)
			if key == nil || key.Owner != k.ID() {
				continue
			}
			if shots[b.Fuse.Shot] {
				t.Fatalf("%v: two bullets are shot %d", k, b.Fuse.Shot)
			}
			shots[b.Fuse.Shot] = true
			fired = fired || key.Input == k.Input()
		}
		gun := ecs.Get[Gun](w, ownOf(k))
		if gun == nil || !pressed[[2]uint32{k.ID(), k.Input()}] {
			return
		}
		if fired != (gun.Jammed == 0) {
			t.Fatalf("%v: input %d fires, the gun is %+v, and a bullet shows: %v", k, k.Input(), *gun, fired)
		} else if fired {
			shown++
		}
	})
	c.Run(15 * time.Second)
	if n := c.Clients[0].Stats().Corrections; shown < 200 || !jams && n > 20 {
		t.Errorf("%d bullets shown, %d corrections", shown, n)
	}
	c.Settle()
	c.Run(6 * time.Second)
	c.Converged()
	for _, k := range c.Clients {
		if spawns, despawns := k.World().PendingPredictions(); spawns+despawns > 0 {
			t.Errorf("%v still waits for %d spawns and %d despawns", k, spawns, despawns)
		}
	}
}
