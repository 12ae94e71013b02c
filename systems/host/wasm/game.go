package wasm

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// Game is the game of a module: see Serve.
type Game struct {
	// Protocol builds the game's protocol. Required.
	Protocol func() *ecs.Protocol
	// Config returns the configuration of a new host. The arguments of tactus_open replace its Client.Token,
	// Client.ClientID, Login and Partial. If its Client.Reach is nil, the page opens the sockets to other rooms. Default
	// (nil): the zero Config.
	Config func() host.Config
}
