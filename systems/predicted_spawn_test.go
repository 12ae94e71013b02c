package systems_test

import (
	"fmt"
	"maps"
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
	config.Server.Join, config.Populate = joinWith(Gun{}), nil
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Smoothing: interpolate.Smoothing{Off: true}}
	}
	parts := []part{predicted[Gun], predicted[Fuse], simulate("fly", func(w *ecs.World) {
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

// A bullet shows with the input that fires it and goes over into the server's, under its handle,
// in the view as in the world; one that was mispredicted leaves no trace. It is confirmed or
// denied although own state does not travel.
func TestDecision4_PredictedBullets(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Preset{policy.LocalSync, policy.CorrectOnMismatch} {
		for _, jams := range []bool{false, true} {
			t.Run(fmt.Sprint(model, ", jams=", jams), func(t *testing.T) {
				systemstest.Seeds(t, fewer(2), func(t *testing.T, seed uint64) { shootOut(t, seed, jams, model) })
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
	crowd := systemstest.New(t, config)
	type shot struct {
		e     ecs.Entity
		named bool
	}
	seen := map[ecs.SpawnKey]shot{}
	shown, confirmed := 0, 0
	crowd.OnClientTick(func(k *systemstest.Client) {
		w := k.World()
		fired := false
		shots := map[uint16]bool{}
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
			was, known := seen[*key]
			named := w.NetID(e) != 0
			if known && was.e != e && (named || !jams) && (w.Alive(was.e) || !jams) {
				t.Fatalf("%v: the bullet %v was %v and is %v", k, *key, was.e, e)
			}
			if known && named && !was.named && was.e == e {
				confirmed++
			}
			seen[*key] = shot{e, named}
		}
		for e, g := range ecs.All[struct {
			Gun Gun
			In  Walk
		}](w) {
			if !ecs.Has[components.Predicted](w, e) || !pressed[[2]uint32{k.ID(), k.Input()}] {
				continue
			}
			if g.Gun.Jammed == 0 {
				shown++
			}
			if fired != (g.Gun.Jammed == 0) {
				t.Fatalf("%v: input %d fires, the gun is %+v, and a bullet shows: %v", k, k.Input(), g.Gun, fired)
			}
		}
	})
	// The view shows the client's own bullets as its world does, under handles that
	// last as long.
	drawn := map[ecs.SpawnKey]ecs.Entity{}
	crowd.OnFrame(func(k *systemstest.Client) {
		own := [2]map[ecs.SpawnKey]bullet{{}, {}}
		for i, w := range []*ecs.World{k.World(), k.View()} {
			for e, b := range ecs.All[bullet](w) {
				key := ecs.Get[ecs.SpawnKey](w, e)
				if key == nil || b.Owner.Client != k.ID() || !ecs.Has[components.Predicted](w, e) {
					continue
				}
				own[i][*key] = b
				if was, known := drawn[*key]; i == 1 && known && was != e && !jams {
					t.Fatalf("%v: the bullet %v was %v in the view and is %v", k, *key, was, e)
				}
				if i == 1 {
					drawn[*key] = e
				}
			}
		}
		if !maps.Equal(own[0], own[1]) {
			t.Fatalf("%v: the world has %v, the view %v", k, own[0], own[1])
		}
	})
	crowd.Connect()
	crowd.Run(15 * time.Second)
	if shown < 200 || confirmed < shown/3 {
		t.Errorf("%d bullets shown, %d of them confirmed", shown, confirmed)
	}
	if !jams {
		if n := crowd.Clients[0].Stats().Corrections; n > 20 {
			t.Errorf("%d corrections", n)
		}
	}
	crowd.Settle()
	for e, b := range ecs.All[struct{ Fuse Fuse }](crowd.Server.World()) {
		id := crowd.Server.World().NetID(e)
		for _, k := range crowd.Clients {
			if own, known := k.World().ByNetID(id); b.Fuse.Left > 30 && (!known || k.World().Netcode().Suspended(own)) {
				t.Errorf("%v does not show bullet %d, which has %d ticks left", k, id, b.Fuse.Left)
			}
		}
	}
	crowd.Run(6 * time.Second)
	crowd.Converged()
	for _, k := range crowd.Clients {
		if spawns, despawns := k.World().PendingPredictions(); spawns+despawns > 0 {
			t.Errorf("%v still waits for %d spawns and %d despawns", k, spawns, despawns)
		}
		for e := range ecs.All[struct{ Fuse Fuse }](k.World()) {
			t.Errorf("%v: the ghost %v, NetID %d", k, e, k.World().NetID(e))
		}
	}
	t.Logf("%d shown, %d confirmed, client 0: %d corrections, %d states confirmed", shown, confirmed, crowd.Clients[0].Stats().Corrections, crowd.Clients[0].Stats().Confirmed)
}
