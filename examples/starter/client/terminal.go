//go:build !js && !window

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// play runs a bot in a random colour. It prints the state of its view once per second, and each event.
func play(ctx context.Context, addr string, config systems.ClientConfig, out io.Writer) error {
	config.Gather = systems.Gather(game.Bot)
	game.Listen(&config, func(line string) { fmt.Fprintln(out, line) })
	c, err := systems.Dial(ctx, addr, game.Protocol(), config)
	if err != nil {
		return err
	}
	if err := systems.Command(c, game.Paint{Colour: uint8(rand.IntN(len(game.Colours)))}); err != nil {
		return err
	}
	var next time.Time
	return c.Run(ctx, func(c *systems.Client) {
		if now := time.Now(); now.After(next) {
			next = now.Add(time.Second)
			fmt.Fprintln(out, status(c))
		}
	})
}

// status returns one line about a client's view.
func status(c *systems.Client) string {
	var players []string
	stars := 0
	for d := range game.Look(c) {
		switch {
		case d.Name == "":
			stars++
		case d.Own:
			players = append(players, fmt.Sprintf("%s (you) at %.0f %.0f", d.Name, d.X, d.Y))
		default:
			players = append(players, fmt.Sprintf("%s at %.0f %.0f", d.Name, d.X, d.Y))
		}
	}
	return fmt.Sprintf("tick %d, %d stars: %s", c.ServerTick(), stars, strings.Join(players, ", "))
}
