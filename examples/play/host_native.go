//go:build !js

package main

import (
	"github.com/tactusgo/tactus/examples/play/internal/host"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
)

// start starts a local match if no server was given. If auto is set, a bot plays instead of the devices.
func start(world string, o *stage.Options, auto bool) (stop func(), err error) {
	stop = func() {}
	if o.Connect == "" {
		if o.Connect, stop, err = host.Start(world, o); err != nil {
			return nil, err
		}
	}
	if auto {
		drive := host.Drive(world, o)
		o.Drive = &drive
	}
	return stop, nil
}
