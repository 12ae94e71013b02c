package game_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// fight is a match of shooting bots over a link. heard records their events.
type fight struct {
	*systemstest.Crowd
	messages *game.Messages
	gunners  []*game.Gunner
}

// newFight starts it under a model. thin makes the clients thin ones.
func newFight(t *testing.T, link netsys.Link, clients int, p policy.Model, thin bool) *fight {
	t.Helper()
	f := &fight{messages: game.NewMessages()}
	c := systemstest.Config{Protocol: game.CombatProtocol, Clients: clients, Link: link, Seed: 3,
		Server: systems.ServerConfig{Model: p}}
	game.Arm(&c.Server)
	f.messages.Serve(&c.Server)
	c.Client = func(n int) systems.ClientConfig {
		f.gunners = append(f.gunners, game.NewGunner(3, n, clients))
		config := systems.ClientConfig{Gather: f.gunners[n].Gather()}
		if thin {
			config.Schedule = systems.Thin
		}
		f.messages.Play(&config, nil)
		return config
	}
	f.Crowd = systemstest.New(t, c)
	game.PopulateCombat(f.Server.World(), clients, 60)
	f.Connect()
	return f
}

// kills counts them, and the deaths of players.
func (f *fight) kills() (kills, deaths int) {
	for _, p := range ecs.All[struct{ Who game.Player }](f.Server.World()) {
		kills += int(p.Who.Kills)
		deaths += int(p.Who.Deaths)
	}
	return kills, deaths
}

// Guns work under every model, for full clients and for thin ones: bots shoot each other, fall and return, and all peers agree
// on the results. Clients predict everything except being shot. A player gets the name that it requests.
func TestBotsFightUnderEveryModel(t *testing.T) {
	for _, p := range policy.Presets() {
		for _, thin := range []bool{false, true} {
			everywhere := policy.TraitsOf(p).RelaysInputs
			if everywhere && thin || thin && (testing.Short() || !policy.Is[policy.LocalSync](p) && os.Getenv("TACTUS_LONG") == "") {
				continue
			}
			t.Run(fmt.Sprintf("%v,thin=%v", p, thin), func(t *testing.T) {
				t.Parallel()
				f := newFight(t, systemstest.RoundTrip(80*time.Millisecond, 10*time.Millisecond, 0.02), 6, p, thin)
				f.Run(time.Second)
				var r names.Rename
				r.Name.Set("Ada")
				if err := systems.Command(f.Clients[0].Client, r); err != nil {
					t.Fatal(err)
				}
				kills, deaths := 0, 0
				wanted, players := 3, 0
				if full := policy.Is[policy.LocalSync](p) && !thin; full {
					wanted, players = 10, 1
				}
				if !f.RunUntil(90*time.Second, func() bool {
					kills, deaths = f.kills()
					return kills >= wanted && deaths >= players
				}) {
					t.Errorf("%d kills, %d of players", kills, deaths)
				}
				for _, g := range f.gunners {
					g.Release()
				}
				f.Settle()
				if !f.RunUntil(10*time.Second, func() bool { return f.down(t) == 0 }) {
					t.Errorf("%d are down", f.down(t))
				}
				f.Converged()
				if comp := f.Server.LagComp(); comp != nil {
					if s := comp.Stats(); s.Views == 0 || s.Ahead+s.Old+s.Backwards+s.Unsent > 0 {
						t.Errorf("claims of honest clients: %+v", s)
					}
				}
				t.Logf("%d kills, %d of players, in %v", kills, deaths, f.Elapsed())
				own, _ := f.Clients[0].Own(f.Clients[0].World())
				name := ecs.Get[names.Named](f.Clients[0].World(), own).Name.String()
				if name != "Ada" {
					t.Errorf("the player is called %q", name)
				}
				if !policy.Is[policy.LocalSync](p) {
					return
				}
				var corrections uint64
				for _, k := range f.Clients {
					corrections += k.Stats().Corrections
				}
				// Death and revival come as corrections, and so do health and pushes: nothing else.
				if _, deaths = f.kills(); corrections > uint64(8*deaths+50) {
					t.Errorf("%d corrections for %d deaths", corrections, deaths)
				}
			})
		}
	}
}

// down returns the number of players without health. The feed has counted the deaths of players.
func (f *fight) down(t *testing.T) (n int) {
	for _, p := range ecs.All[struct {
		Is     game.Fighter
		Health components.Health
	}](f.Server.World()) {
		if p.Is.Down {
			n++
		}
		if p.Is.Down != (p.Health.Points == 0) {
			t.Errorf("down %v with health %d", p.Is.Down, p.Health.Points)
		}
	}
	_, deaths := f.kills()
	if feed := ecs.Single[game.Feed](f.Server.World()); int(feed.Total) != deaths {
		t.Errorf("%d deaths of players, %d in the feed", deaths, feed.Total)
	}
	return n
}

// A round ends for the player with enough points, and the next one begins without points. Nobody is ever inside of a block.
func TestRoundAndCover(t *testing.T) {
	t.Parallel()
	f := newFight(t, systemstest.RoundTrip(80*time.Millisecond, 10*time.Millisecond, 0.02), 4, policy.LocalSync{}, false)
	f.OnServerTick(func() {
		for _, e := range ecs.All[struct{ Pos components.Position }](f.Server.World()) {
			for _, b := range game.Cover {
				if e.Pos.X > b.X && e.Pos.X < b.X+b.W && e.Pos.Y > b.Y && e.Pos.Y < b.Y+b.H {
					t.Fatalf("tick %d: something is at %v, inside of %v", f.Server.Tick(), e.Pos, b)
				}
			}
		}
	})
	f.Run(5 * time.Second)
	if r := ecs.Single[game.Round](f.Server.World()); r.Winner != 0 || r.Left < 170 {
		t.Errorf("after the start: %+v", r)
	}
	best, _ := f.Clients[2].Own(f.Server.World())
	ecs.Get[game.Player](f.Server.World(), best).Points = game.Goal
	f.Run(2 * time.Second)
	if r := ecs.Single[game.Round](f.Clients[0].World()); r.Winner != uint16(f.Clients[2].ID()) {
		t.Errorf("client 1 sees %+v", r)
	}
	f.Run(6 * time.Second)
	if r := ecs.Single[game.Round](f.Server.World()); r.Winner != 0 || ecs.Get[game.Player](f.Server.World(), best).Points >= game.Goal {
		t.Errorf("after the break: %+v, %d points", r, ecs.Get[game.Player](f.Server.World(), best).Points)
	}
}
