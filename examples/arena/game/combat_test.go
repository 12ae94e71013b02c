package game_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// duel is bots that shoot, over a link.
func duel(t *testing.T, link netsys.Link, clients int, c systemstest.Config) *systemstest.Crowd {
	t.Helper()
	messages := game.NewMessages()
	c.Protocol, c.Clients, c.Link, c.Seed = game.CombatProtocol, clients, link, 3
	game.Arm(&c.Server)
	messages.Serve(&c.Server)
	if c.Client == nil {
		c.Client = func(n int) systems.ClientConfig {
			config := systems.ClientConfig{Gather: game.NewGunner(3, n, clients).Gather()}
			messages.Play(&config, nil)
			return config
		}
	}
	crowd := systemstest.New(t, c)
	game.PopulateCombat(crowd.Server.World(), clients, 60)
	crowd.Connect()
	return crowd
}

// Bots shoot each other and others down, who come back, and clients predict all of
// it but being shot.
func TestBotsFight(t *testing.T) {
	c := duel(t, systemstest.RoundTrip(100*time.Millisecond, 10*time.Millisecond, 0.02), 8, systemstest.Config{})
	c.Run(90 * time.Second)
	var kills, deaths, down int
	for _, p := range ecs.All[struct{ Who game.Player }](c.Server.World()) {
		kills += int(p.Who.Kills)
		deaths += int(p.Who.Deaths)
	}
	for _, p := range ecs.All[struct {
		Is     game.Fighter
		Health components.Health
	}](c.Server.World()) {
		if p.Is.Down {
			down++
		}
		if p.Is.Down != (p.Health.Points == 0) {
			t.Errorf("down %v with health %d", p.Is.Down, p.Health.Points)
		}
	}
	feed := ecs.Single[game.Feed](c.Server.World())
	t.Logf("%d kills, %d of players; %d of %d down now", kills, deaths, down, 68)
	if kills < 20 || int(feed.Total) != deaths || down > 30 {
		t.Errorf("%d kills, %d deaths of players, %d in the feed, %d down", kills, deaths, feed.Total, down)
	}
	var corrections, resimulated uint64
	for _, k := range c.Clients {
		s := k.Stats()
		corrections += s.Corrections
		resimulated += s.Resimulated
	}
	// Death and revival come as corrections, and so do health and pushes: nothing else.
	if corrections > uint64(8*deaths+50) {
		t.Errorf("%d corrections for %d deaths", corrections, deaths)
	}
}
