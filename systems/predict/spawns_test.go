package predict_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
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

// A server that goes back may give a bullet that was sent another NetID, or its NetID to another bullet. The player still has each
// bullet once, in the world and in the view, and in the world under the handle that it had from the start.
func TestBulletsOfARewritingServerExistOnce(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		config := fieldtest.GalleryConfig(seed, 4, true)
		config.Server.Model = policy.ServerRewind{}
		config.Play = systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.Jump = c.Rand().IntN(3) == 0 })
		c := systemstest.New(t, config)
		type bullet struct {
			entity ecs.Entity
			id     components.NetID
		}
		bullets, renamed := map[ecs.SpawnKey]bullet{}, 0
		c.OnClientTick(func(k *systemstest.Client) {
			for _, w := range []*ecs.World{k.World(), k.View()} {
				twice := map[ecs.SpawnKey]components.NetID{}
				for e, b := range ecs.All[struct {
					Key  ecs.SpawnKey
					Fuse fieldtest.Fuse
				}](w) {
					now := bullet{e, w.NetID(e)}
					if id, found := twice[b.Key]; found {
						t.Fatalf("%v: the entities %d and %d are both the spawn %+v", k, id, now.id, b.Key)
					}
					twice[b.Key] = now.id
					if was := bullets[b.Key]; w == k.World() && was.id != now.id {
						if was.id != 0 {
							renamed++
						}
						if bullets[b.Key] = now; was.id != 0 && was.entity != e {
							t.Errorf("%v: the spawn %+v was %v with NetID %d, and is %v with NetID %d", k, b.Key, was.entity, was.id, e, now.id)
						}
					}
				}
			}
		})
		for n := range 80 { // inputs of one player after another are late
			link := systemstest.RoundTrip(time.Duration(20+400*(n%2))*time.Millisecond, 0, 0)
			c.Clients[n/2%4].SetLinks(link, link)
			c.Run(time.Second / 4)
		}
		if len(bullets) < 100 || renamed == 0 {
			t.Errorf("%d bullets, of which the server renamed %d", len(bullets), renamed)
		}
	})
}
