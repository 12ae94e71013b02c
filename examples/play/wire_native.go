//go:build !js

package main

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// openWire opens a socket for a server.
func openWire(ctx context.Context, address string) (netsys.Wire, netip.AddrPort, error) {
	if strings.Contains(address, "://") {
		w, err := websocket.DialConfig{Redial: 250 * time.Millisecond}.Dial(ctx, address)
		if err != nil {
			return nil, netip.AddrPort{}, err
		}
		return w, w.RemoteAddr(), nil
	}
	w, err := netsys.DialUDP(ctx, address)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

// host starts a server with bots, which are clients like any other.
func host(o *options) (address string, stop func(), err error) {
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
	game.PopulateCombat(server.World(), o.bots, o.npcs)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = server.Run(ctx) })
	for n := range o.bots {
		all.Go(func() { _ = playBot(ctx, wire.LocalAddr().String(), n, o.bots, policy.LocalSync) })
	}
	return wire.LocalAddr().String(), func() { cancel(); all.Wait() }, nil
}

// playBot plays one bot, over a link like one at home: with a thin client, where the
// model has such.
func playBot(ctx context.Context, address string, n, of int, p policy.Preset) error {
	wire, server, err := openWire(ctx, address)
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
