package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Hand is what a player holds, and nobody else may know.
type Hand struct {
	Cards uint32 `net:"raw"`
}

// Round is the phase of the match.
type Round struct {
	Number uint16 `net:"0..1000"`
}

// Owner-only components reach their owner and nobody else, also when an entity
// changes hands, and although own state does not travel; singletons reach everybody.
func TestOwnerOnlyAndSingletons(t *testing.T) {
	each(t, []policy.Preset{policy.LocalSync, policy.CorrectOnMismatch}, 3, passHands)
}

func passHands(t *testing.T, model policy.Preset, seed uint64) {
	config := underPreset(model, seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.1))
	config.Populate = nil
	config.Protocol = fieldOf(comes(joinWith(Hand{})), func(p *ecs.Protocol) {
		ecs.Replicate[Hand](p, ecs.OwnerOnly)
		ecs.Singleton[Round](p, 0)
	}, authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Hand *Hand }](w) {
			draw := w.Rand(e)
			r.Hand.Cards = uint32(draw.Uint64()) | 1
		}
		for _, r := range ecs.Each[struct{ Round *Round }](w) {
			r.Round.Number = uint16(w.Tick() / 60)
		}
	}))
	crowd := systemstest.New(t, config)
	hands := 0
	crowd.OnFrame(func(k *systemstest.Client) {
		for _, w := range []*ecs.World{k.World(), k.View()} {
			for _, r := range ecs.All[struct {
				Owner components.Owner
				Hand  Hand
			}](w) {
				hands++
				if r.Owner.Client != k.ID() {
					t.Fatalf("%v knows the hand of client %d", k, r.Owner.Client)
				}
			}
		}
	})
	crowd.Connect()
	crowd.Run(3 * time.Second)
	if hands == 0 {
		t.Fatal("nobody knows their own hand")
	}
	given := false
	crowd.OnServerTick(func() {
		if given {
			return
		}
		given = true
		w := crowd.Server.World()
		for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
			r.Owner.Client = r.Owner.Client%3 + 1
		}
	})
	crowd.Run(3 * time.Second)
	crowd.Settle()
	crowd.Converged()
	want := ecs.Single[Round](crowd.Server.World())
	for _, k := range crowd.Clients {
		if got := ecs.Single[Round](k.World()); want.Number-got.Number > 1 || got.Number == 0 {
			t.Errorf("%v is in round %d, the server in %d", k, got.Number, want.Number)
		}
		n := 0
		for range ecs.All[struct{ Hand Hand }](k.World()) {
			n++
		}
		if n != 1 {
			t.Errorf("%v knows %d hands after they were passed on, want 1", k, n)
		}
	}
}
