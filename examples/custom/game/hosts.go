package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// Host returns the configuration of a host. Its client has the game's own systems.
func Host() host.Config {
	return host.Config{
		Client: systems.ClientConfig{Schedule: ClientSchedule, Systems: systems.ClientSystems{Interpolate: Draw}},
		Input:  host.InputOf[Input](nil),
	}
}
