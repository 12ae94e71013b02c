package predict_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A bullet appears once, in the tick of the input that fires it, unless the player knows that the gun is jammed. After any
// mispredictions, no predicted spawn stays unconfirmed. Confirmation does not depend on whether owner state is sent.
func TestDecision4_PredictedBullets(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}} {
		for _, jams := range []bool{false, true} {
			t.Run(fmt.Sprint(model, ", jams=", jams), func(t *testing.T) {
				systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) { shootOut(t, seed, jams, model) })
			})
		}
	}
}

func shootOut(t *testing.T, seed uint64, jams bool, model policy.Model) {
	pressed := map[[2]uint32]bool{} // by client and input
	config := fieldtest.GalleryConfig(seed, 3, jams)
	config.Server.Model = model
	config.Play = systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) {
		in.DX = int8(c.Rand().IntN(3) - 1)
		in.Jump = c.Rand().IntN(6) == 0
		pressed[[2]uint32{c.ID(), c.Input()}] = in.Jump
	})
	c := systemstest.New(t, config)
	shown := 0
	c.OnClientTick(func(k *systemstest.Client) {
		w, fired, shots := k.World(), false, map[uint16]bool{}
		for e, b := range ecs.All[struct{ Fuse fieldtest.Fuse }](w) {
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
		gun := ecs.Get[fieldtest.Gun](w, fieldtest.OwnEntity(k))
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
