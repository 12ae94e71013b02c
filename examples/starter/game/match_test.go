package game

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
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

// match lets four bots play for twenty seconds. In the end all see the same: names, colours and points. Each client has
// received an event for each star that was taken.
func match(t *testing.T, model policy.Model, seed uint64) {
	names := []string{"Ann", "Bob", "Cyd", "Dee"}
	told := make([]int, len(names)) // points, by the events of each client
	playing := false
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: Protocol,
		Server:   systems.ServerConfig{Model: model, Events: event.NewServer(Events(), event.ServerConfig{})},
		Client: func(n int) (c systems.ClientConfig) {
			who := Login{}
			who.Name.Set(names[n])
			c.Login = who
			Listen(&c, func(line string) {
				name, worth := "", 0
				if _, err := fmt.Sscanf(line, "%s takes a star: +%d", &name, &worth); err != nil || !slices.Contains(names, name) {
					t.Errorf("an event is %q: %v", line, err)
				}
				told[n] += worth
			})
			return c
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *Move) {
			if playing {
				Bot(c.Client, in)
			}
		}),
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
	points := func() (all int) {
		for _, p := range ecs.All[seenPlayer](crowd.Server.World()) {
			all += int(p.Player.Score)
		}
		return all
	}
	crowd.Run(time.Second)
	before := points()
	clear(told)
	playing = true
	crowd.Run(20 * time.Second)
	crowd.Settle()
	crowd.Converged()

	for _, p := range ecs.All[seenPlayer](crowd.Server.World()) {
		for n, c := range crowd.Clients {
			if c.ID() == p.Owner.Client && (p.Player.Name.String() != names[n] || p.Player.Colour != uint8(n)+2) {
				t.Errorf("client %d is %s with colour %d, not %s", n, p.Player.Name, p.Player.Colour, names[n])
			}
		}
	}
	got := points() - before
	if got == 0 {
		t.Error("nobody has collected a star")
	}
	for n, sum := range told {
		if sum != got {
			t.Errorf("the events of client %d are about %d points, the players have got %d", n, sum, got)
		}
	}
	dots := 0
	for d := range Look(crowd.Clients[0].Client) {
		if d.Own && d.Name[:3] != names[0] {
			t.Errorf("the first client draws itself as %q", d.Name)
		}
		dots++
	}
	if dots != stars+len(names) {
		t.Errorf("a client draws %d things", dots)
	}
}
