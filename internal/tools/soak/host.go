package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// tickRate is low, because the simulation is not under test.
const tickRate = 30

// host is a running server.
type host struct {
	name string
	transport
	addr    netip.AddrPort
	players atomic.Int64 // players that joined and have not left
	server  *systems.Server
	stop    func()
	done    chan error
}

// serve starts a server.
func (s *soak) serve(name string) (*host, error) {
	h := &host{name: name, done: make(chan error, 1)}
	h.transport, _ = transportByName(name)
	wire, err := h.listen("127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h.addr = wire.LocalAddr()
	h.server, err = systems.NewServer(wire, game(&h.players), systems.ServerConfig{
		TickRate:   tickRate,
		MaxClients: 4 * s.clients,
		Session: systems.ServerSession{
			Timeout: s.timeout,
			Key:     s.key,
			// Send every message back on its channel.
			OnMessage: func(server *systems.Server, client uint32, number int, message []byte) error {
				return server.Session(client).Channels().Send(number, message)
			},
		},
		Players:  systems.Players{ReconnectWindow: s.timeout / 2},
		Overload: systems.Overload{Off: true}, // a slow machine must not refuse clients
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), wire.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	go func() { h.done <- h.server.Run(ctx) }()
	return h, nil
}

// close stops the server and waits for its end. It returns an error if the server dropped packets of correct clients.
func (h *host) close() error {
	h.stop()
	if err := <-h.done; err != nil {
		return fmt.Errorf("%s: the server ended with %w", h.name, err)
	}
	stats := h.server.Stats()
	for _, reason := range []netsys.DropReason{
		netsys.DropTooShort, netsys.DropTooLong, netsys.DropUnknownType, netsys.DropUnexpected,
		netsys.DropMalformed, netsys.DropChannels, netsys.DropVersion, netsys.DropSchema,
	} {
		if n := stats.Drops[reason]; n > 0 {
			return fmt.Errorf("%s: the server dropped %d packets of honest clients: %v", h.name, n, reason)
		}
	}
	for _, reason := range []netcode.DropReason{netcode.DropMalformed, netcode.DropElsewhere, netcode.DropProtocol, netcode.DropFlood} {
		if n := stats.DatagramDrops[reason]; n > 0 {
			return fmt.Errorf("%s: netcode dropped %d datagrams of honest clients: %v", h.name, n, reason)
		}
	}
	return nil
}
