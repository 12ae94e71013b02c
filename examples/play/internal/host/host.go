//go:build !js

package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	yard "github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// All start a match of a world, by name: a server, and bots which are clients like any other.
var All = map[string]func(o *stage.Options) (address string, stop func(), err error){
	"arena": arena, "custom": custom,
}

// arena starts a server with bots, which are clients like any other.
func arena(o *stage.Options) (address string, stop func(), err error) {
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	messages := game.NewMessages()
	config := systems.ServerConfig{Seed: uint64(time.Now().UnixNano())}
	game.Arm(&config)
	messages.Serve(&config)
	server, err := systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		return "", nil, errors.Join(err, wire.Close())
	}
	game.PopulateCombat(server.World(), o.Bots, o.NPCs)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = server.Run(ctx) })
	for n := range o.Bots {
		all.Go(func() { _ = Bot(ctx, wire.LocalAddr().String(), n, o.Bots, policy.LocalSync) })
	}
	return wire.LocalAddr().String(), func() { cancel(); all.Wait() }, nil
}

// custom starts a yard.
func custom(o *stage.Options) (address string, stop func(), err error) {
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	config := systems.ServerConfig{Seed: uint64(time.Now().UnixNano()), Join: yard.Join, Schedule: yard.ServerSchedule}
	server, err := systems.NewServer(wire, yard.Protocol(), config)
	if err != nil {
		return "", nil, errors.Join(err, wire.Close())
	}
	yard.Populate(server.World(), o.NPCs)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = server.Run(ctx) })
	for n := range o.Bots {
		all.Go(func() {
			c, err := systems.Dial(ctx, wire.LocalAddr().String(), yard.Protocol(),
				systems.ClientConfig{Gather: yard.NewBot(1, n).Gather(), Schedule: systems.Thin})
			if err == nil {
				_ = c.Run(ctx, nil)
			}
		})
	}
	return wire.LocalAddr().String(), func() { cancel(); all.Wait() }, nil
}

// Bot plays one bot, over a link like one at home: with a thin client, where the
// model has such.
func Bot(ctx context.Context, address string, n, of int, p policy.Preset) error {
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
	if p.Policies().Correction != policy.CorrectionInputs {
		config.Schedule = systems.Thin
	}
	game.NewMessages().Play(&config, nil)
	c, err := systems.NewClient(link, server, game.CombatProtocol(), config)
	if err != nil {
		return errors.Join(err, link.Close())
	}
	return c.Run(ctx, nil)
}
