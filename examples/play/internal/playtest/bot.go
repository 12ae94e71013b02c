//go:build !js

package playtest

import (
	"context"
	"errors"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// bot plays one bot with a link like a home connection. It is a thin client if the model allows it.
func bot(ctx context.Context, address string, n, of int, p policy.Model) error {
	wire, server, err := stage.OpenWire(ctx, address)
	if err != nil {
		return err
	}
	home := netsys.Link{Latency: 20 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.005}
	link, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: uint64(n), In: home, Out: home})
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	gunner := game.NewGunner(1, n, of)
	config := systems.ClientConfig{Gather: gunner.Gather()}
	if !policy.TraitsOf(p).RelaysInputs {
		config.Schedule = systems.Thin
	}
	game.NewMessages().Play(&config, nil)
	c, err := systems.NewClient(link, server, game.CombatProtocol(), config)
	if err != nil {
		return errors.Join(err, link.Close())
	}
	return c.Run(ctx, nil)
}
