package snapshot_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Letter is for the owner of an entity alone, whose number it holds.
type Letter struct {
	For uint32 `net:"raw"`
}

// Diary is one that Simulate reads.
type Diary struct {
	For uint32 `net:"raw"`
}

// The new owner of an entity does not get the owner-only components of the previous owner, even if owner state is of an
// earlier tick.
func TestSecretsAreNotHandedOn(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}} {
		crowd := systemstest.New(t, systemstest.Config{
			Protocol: func() *ecs.Protocol {
				p := fieldtest.Pitch()()
				ecs.Replicate[Letter](p, ecs.OwnerOnly)
				ecs.Replicate[Diary](p, ecs.OwnerOnly|ecs.Predicted)
				p.Authority("hand on", func(w *ecs.World) {
					for _, r := range ecs.Each[struct {
						Owner  *components.Owner
						Letter *Letter
						Diary  *Diary
					}](w) {
						r.Owner.Client = 1 + w.Tick()/20%2
						r.Letter.For, r.Diary.For = r.Owner.Client, r.Owner.Client
					}
				})
				return p
			},
			Server:   systems.ServerConfig{Model: model},
			Populate: func(w *ecs.World) { w.Spawn(components.Owner{}, components.Position{}, Letter{}, Diary{}) },
			Clients:  2,
			Link:     systemstest.RoundTrip(200*time.Millisecond, 20*time.Millisecond, 0.05),
		})
		seen := 0
		crowd.OnClientTick(func(k *systemstest.Client) {
			for _, r := range ecs.All[struct {
				Letter Letter
				Diary  Diary
			}](k.World()) {
				for _, secret := range []uint32{r.Letter.For, r.Diary.For} {
					if secret == k.ID() {
						seen++
					} else if secret != 0 {
						t.Fatalf("%v: %v has what is for client %d: %+v", model, k, secret, r)
					}
				}
			}
		})
		crowd.Run(10 * time.Second)
		if seen < 300 {
			t.Errorf("%v: secrets were seen %d times", model, seen)
		}
	}
}
