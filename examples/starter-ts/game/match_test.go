package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The game as the server plays it, through a terrible link: a round trip of 300 ms on average, 50 ms more or less each
// way, and one packet in twenty lost.
func TestMatch(t *testing.T) {
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) { match(t, Model, seed) })
}

// The rules keep what every model asks for, so that any other word may stand in [Model].
func TestEveryModel(t *testing.T) {
	for _, model := range policy.Presets() {
		t.Run(model.String(), func(t *testing.T) { match(t, model, 1) })
	}
}

// match lets four bots play for twenty seconds. In the end all see the same: names, colours and points.
func match(t *testing.T, model policy.Model, seed uint64) {
	names := []string{"Ann", "Bob", "Cyd", "Dee"}
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: Protocol,
		Server:   systems.ServerConfig{Model: model},
		Client: func(n int) (c systems.ClientConfig) {
			who := Login{}
			who.Name.Set(names[n])
			c.Login = who
			return c
		},
		Play:    systemstest.Play(func(c *systemstest.Client, in *Move) { Bot(c.Client, in) }),
		Clients: len(names),
		Link:    systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
		Seed:    seed,
	})
	crowd.Connect()
	for n, c := range crowd.Clients {
		if err := systems.Command(c.Client, Paint{Colour: uint8(n) + 2}); err != nil {
			t.Error(err)
		}
	}
	crowd.Run(20 * time.Second)
	crowd.Settle()
	crowd.Converged()

	points := 0
	for _, p := range ecs.All[seenPlayer](crowd.Server.World()) {
		for n, c := range crowd.Clients {
			if c.ID() == p.Owner.Client && (p.Player.Name.String() != names[n] || p.Player.Colour != uint8(n)+2) {
				t.Errorf("client %d is %s with colour %d, not %s", n, p.Player.Name, p.Player.Colour, names[n])
			}
		}
		points += int(p.Player.Score)
	}
	if points == 0 {
		t.Error("nobody has collected a star")
	}
}
