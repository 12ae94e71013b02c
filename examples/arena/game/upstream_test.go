package game_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// upstream plays an arena of bots and returns the bytes of input messages that a
// client sends in a second, its inputs in a message, and the server's counters.
func upstream(t *testing.T, link func(t *testing.T) systemstest.Config) (bytes, inputs float64, s systems.ServerStats) {
	t.Helper()
	const clients, seconds = 4, 12
	config := link(t)
	config.Protocol, config.Clients = game.Protocol, clients
	config.Client = func(n int) systems.ClientConfig {
		return systems.ClientConfig{Gather: game.NewBot(config.Seed, n, clients).Gather()}
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(8 * time.Second)
	var before []systems.ClientStats
	for _, k := range c.Clients {
		before = append(before, k.Stats())
	}
	c.Run(seconds * time.Second)
	var messages float64
	for n, k := range c.Clients {
		s := k.Stats()
		bytes += float64(s.InputBytes - before[n].InputBytes)
		inputs += float64(s.InputsSent - before[n].InputsSent)
		messages += float64(s.Inputs - before[n].Inputs)
	}
	return bytes / clients / seconds, inputs / messages, c.Server.Stats()
}

// A player's inputs cost at most 300 bytes per second on a good link. Each input is repeated until it is acknowledged.
func TestUpstreamBytes(t *testing.T) {
	for _, c := range []struct {
		rtt, jitter  time.Duration
		loss         float64
		most, repeat float64
	}{
		{100 * time.Millisecond, 0, 0, 300, 5},
		{20 * time.Millisecond, 0, 0, 300, 2},
		{100 * time.Millisecond, 10 * time.Millisecond, 0.05, 600, 5},
		{200 * time.Millisecond, 30 * time.Millisecond, 0.05, 900, 8},
		{500 * time.Millisecond, 84 * time.Millisecond, 0.05, 1200, 15},
	} {
		bytes, inputs, s := upstream(t, func(*testing.T) systemstest.Config {
			return systemstest.Config{Link: systemstest.RoundTrip(c.rtt, c.jitter, c.loss), Seed: 1}
		})
		t.Logf("%v ±%v, %.0f %%: %.1f bytes a second, %.1f inputs in a message", c.rtt, c.jitter, 100*c.loss, bytes, inputs)
		if bytes > c.most || inputs < c.repeat || s.Inputs.Unread+s.MalformedMessages > 0 {
			t.Errorf("%v ±%v, %.0f %%: %.1f bytes a second, at most %.0f; %.1f inputs in a message; %+v",
				c.rtt, c.jitter, 100*c.loss, bytes, c.most, inputs, s.Inputs)
		}
	}
}
