package runner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// join plays on a server until its view shows enough pawns, and returns their number.
func join(t *testing.T, addr string, enough int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	game := plaza()
	c, err := systems.Dial(ctx, addr, game.Protocol(&Options{}), systems.ClientConfig{Gather: walker(1).Gather()})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	if err := c.Run(ctx, func(c *systems.Client) {
		n := 0
		for range ecs.All[struct{ Shots testgame.Shots }](c.View()) {
			n++
		}
		if most = max(most, n); most >= enough {
			cancel()
		}
	}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	return most
}

// A player who joins a hosted match plays with its bots, or alone if there are none.
func TestHost(t *testing.T) {
	for bots, pawns := range map[int]int{3: 4, -1: 1} {
		addr, stop, err := Host(t.Context(), plaza(), Options{Clients: bots, NPCs: -1, RTT: -1, Jitter: -1, Loss: -1})
		if err != nil {
			t.Fatal(err)
		}
		if n := join(t, addr, pawns); n != pawns {
			t.Errorf("with -clients %d there are %d players, want %d", bots, n, pawns)
		}
		stop()
		w, _, err := dial(t.Context(), "udp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Wire(plaza().Listen["udp"])(addr); err != nil {
			t.Errorf("its port is taken after the end: %v", err)
		} else if err := errors.Join(back.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Host refuses the same values as the flags.
func TestHostWithWrongOptions(t *testing.T) {
	bare := plaza()
	bare.Listen = nil
	for want, try := range map[string]struct {
		game Game
		o    Options
	}{
		"-model Quantum":  {plaza(), Options{Preset: "Quantum"}},
		"-send 7":         {plaza(), Options{Send: 7}},
		"no sockets":      {bare, Options{}},
		"Protocol is nil": {Game{}, Options{}},
		"-key":            {plaza(), Options{Key: "12"}},
	} {
		if _, _, err := Host(t.Context(), try.game, try.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is not about %s", err, want)
		}
	}
}
