package wasm

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// Game is a game of which Serve makes a module.
type Game struct {
	// Protocol builds the game's protocol. Required.
	Protocol func() *ecs.Protocol
	// Config is the configuration of one more host. What tactus_open is given takes the place of its Client.Token,
	// Client.ClientID, Login and Partial. Where its Client.Reach is nil, the page opens the sockets to other rooms.
	// Default (nil): the zero Config.
	Config func() host.Config
}
