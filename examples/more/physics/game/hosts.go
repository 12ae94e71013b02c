package game

import "github.com/tactusgo/tactus/systems/host"

// Host returns the configuration of a host.
func Host() host.Config { return host.Config{Input: host.InputOf[Input](nil)} }
