package guide_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/guide"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// crew returns the n-th player.
func crew(n int) (l guide.Login) {
	l.Name.Set(fmt.Sprintf("player %d", n))
	l.Team = uint8(n % 2)
	return l
}

// match is six players on a bad link, under a model. It counts tanks that clients hear to be destroyed.
func match(t *testing.T, model policy.Model, seed uint64, destroyed *int) *systemstest.Crowd {
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: guide.Protocol,
		Populate: guide.Populate,
		Server:   guide.Server(model),
		Client: func(n int) systems.ClientConfig {
			return guide.Client(crew(n), func(guide.Say) {}, func(guide.Destroyed) { *destroyed++ })
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *guide.Drive) {
			in.Gas, in.Turn, in.Fire = 1, int8(c.Rand().IntN(3)-1), c.Rand().IntN(20) == 0
		}),
		Clients: 6,
		Link:    systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
		Seed:    seed,
	})
	crowd.Connect()
	return crowd
}

// The game runs under every model, and changing it is one word.
func TestEveryModel(t *testing.T) {
	for _, model := range policy.Presets() {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				destroyed := 0
				crowd := match(t, model, seed, &destroyed)
				screen := guide.NewScreen(crowd.Clients[0].Client)
				crowd.OnFrame(func(c *systemstest.Client) {
					if c == crowd.Clients[0] {
						screen.Draw()
					}
				})
				var name guide.Rename
				name.Name.Set("somebody else")
				if err := systems.Command(crowd.Clients[1].Client, name); err != nil {
					t.Fatal(err)
				}
				crowd.Run(10 * time.Second)
				crowd.Settle()
				crowd.Converged()
				if destroyed == 0 && seed == 1 { // with some seeds the tanks drive apart
					t.Error("no client has heard of a tank that was destroyed")
				}
				names := 0
				for _, c := range ecs.All[struct{ Crew guide.Crew }](crowd.Clients[2].View()) {
					if c.Crew.Name.String() == "somebody else" {
						names++
					}
				}
				if names != 1 {
					t.Errorf("client 3 sees %d players under the name that one asked for, want 1", names)
				}
			})
		})
	}
}

// A destroyed tank drops the flag where it was: it does not score by restarting at its own base.
func TestDestroyedTankDropsTheFlag(t *testing.T) {
	w := ecs.NewWorld(guide.Protocol(), ecs.Config{TickRate: 60})
	at := guide.Place{X: 100, Y: 50}
	carrier := w.Spawn(components.Owner{Client: 1}, at, guide.Hull{Left: 1}, guide.Crew{Team: 0}, guide.Ammo{}, guide.Drive{})
	flag := w.Spawn(at, guide.Flag{Carrier: w.NetID(carrier), Team: 1})
	w.Spawn(components.Owner{Client: 2}, at, guide.Shell{Ticks: 90, Team: 1})
	systemstest.Step(w, 1)
	if f := ecs.Get[guide.Flag](w, flag); f.Carrier != 0 {
		t.Error("the destroyed tank still carries the flag")
	}
	if s := ecs.Single[guide.Score](w); s.Points != [2]uint16{} {
		t.Errorf("the score is %v", s.Points)
	}
}
